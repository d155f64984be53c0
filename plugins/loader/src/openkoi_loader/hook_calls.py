"""Call implementations of a hook one after another, each within its deadline (timeout), until one returns something."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, NamedTuple

from openkoi_base.isolation import PLAIN_SEQUENCES, arguments_of, copy_arguments, must_end
from openkoi_hookspecs import HookActivity, Json
from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from .hook_implementations import HookImplementation

SYNC_TIMEOUT_SECONDS = 2.0  # a busy machine stretches the first call of an honest hook, which imports, beyond one
CHANGED_ARGUMENTS = "changed the arguments of a call (without effect)"
WITH_ARGUMENTS = frozenset({"before_tool", "after_tool", "on_event"})  # whose facts hold the arguments of a call


@dataclass(slots=True)
class CallCounts:
    """The counts of an implementation's calls; the last call returned at ``last``, by ``perf_counter``."""

    calls: int = 0
    answers: int = 0
    failures: int = 0
    seconds: float = 0.0
    last: float = 0.0

    def add(self, other: "CallCounts") -> None:
        """Add the calls of a run."""
        self.calls += other.calls
        self.answers += other.answers
        self.failures += other.failures
        self.seconds += other.seconds
        self.last = max(self.last, other.last)


Counts = defaultdict[tuple[str, str], CallCounts]
Counted = tuple["HookImplementation", CallCounts]


def make_counts() -> Counts:
    """Return empty counts."""
    return defaultdict(CallCounts)


def describe_calls(name: tuple[str, str], counts: CallCounts) -> HookActivity:
    """Return the counts of an implementation as a fact."""
    last = round(time() - perf_counter() + counts.last, 3) if counts.calls else 0.0
    return HookActivity(*name, counts.calls, counts.answers, counts.failures, round(counts.seconds, 6), last)


class HookCall(NamedTuple):
    """A call that has started: what it returned, which may have to be awaited, or how it failed.

    ``is_done``: the answer arrived in time and need not be awaited.
    """

    implementation: "HookImplementation"
    counts: CallCounts
    answer: object
    failure: BaseException | None
    started: float
    is_done: bool


class HookCalls:
    """The calls of one hook with the same facts; ``next_answer`` makes them in order.

    Each implementation gets the original arguments of a tool call: a copy that was changed is replaced.
    """

    def __init__(self, counted: Sequence[Counted], facts: Mapping[str, Any], report: Callable[[str], None]) -> None:
        self.report = report
        self.remaining = iter(counted)
        self.originals = self.facts = facts
        self.selected: tuple[object, tuple[Any, ...]] = (None, ())  # the parameters of the call before, and their facts
        self.original_arguments: list[Mapping[str, Json]] = []
        self.own_arguments: list[Mapping[str, Json]] = []
        if counted and counted[0][0].hook in WITH_ARGUMENTS:
            self.original_arguments = [each for fact in facts.values() for each in arguments_of(fact)]
            self.copy()

    def next_answer(self) -> HookCall | None:
        """Return the next call that did not immediately return None; None after the last implementation."""
        parameters, facts = self.selected
        started = perf_counter()
        for implementation, counts in self.remaining:
            if implementation.is_disabled:
                continue
            if parameters is not implementation.parameters:
                parameters = implementation.parameters
                facts = self.select(implementation.parameters)
            answer: object = None
            failure: BaseException | None = None
            counts.calls += 1
            try:
                answer = implementation.function(*facts)
            except BaseException as error:  # the one place where a hook is called: no error of it may end the run
                if must_end(error):
                    raise
                failure = error
            counts.last = ended = perf_counter()
            counts.seconds += ended - started
            if answer is not None or failure or ended - started > SYNC_TIMEOUT_SECONDS:
                self.selected = parameters, facts
                self.copy()  # the answer may be awaited, and hold the arguments
                is_done = type(answer) in PLAIN_SEQUENCES and ended - started <= SYNC_TIMEOUT_SECONDS
                return HookCall(implementation, counts, answer, failure, started, is_done)
            if self.own_arguments != self.original_arguments:
                self.report_change(implementation)
                self.copy()
                parameters, facts = self.selected
            started = ended
        return None

    def report_change(self, implementation: "HookImplementation") -> None:
        """Report the first time that an implementation changes its copy of the arguments."""
        if not implementation.changed_arguments:
            from openkoi_base.side_effects.effect_text import describe_effects

            implementation.changed_arguments = True
            self.report(describe_effects(implementation.plugin, implementation.hook, CHANGED_ARGUMENTS))

    def select(self, parameters: tuple[str, ...]) -> tuple[Any, ...]:
        """Return the facts for these parameters."""
        return tuple(self.facts[name] for name in parameters)

    def pass_on(self, name: str, value: object) -> None:
        """Pass a new value to the implementations that follow."""
        self.originals = {**self.originals, name: value}
        self.facts = {**self.facts, name: value}
        self.selected = None, ()

    def copy(self) -> None:
        """Pass new copies of the arguments, to which no implementation has a reference."""
        if self.original_arguments:
            self.facts = {name: copy_arguments(fact) for name, fact in self.originals.items()}
            self.own_arguments = [each for fact in self.facts.values() for each in arguments_of(fact)]
            self.selected = None, ()
