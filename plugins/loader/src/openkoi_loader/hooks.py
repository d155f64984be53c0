"""Call the plugins' hooks in turn; a hook that raises an exception or hangs (timeout) is reported and skipped."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from openkoi_base.isolation import IsolatedAwaitable, format_error, must_end
from openkoi_hookspecs import (
    ArgumentError,
    Ask,
    Event,
    HookActivity,
    HookReturn,
    LimitExceededError,
    PluginError,
    Run,
    Section,
    events,
    hooks,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_prompt import without_refused_texts
from openkoi_settings import plugin_keys

from .hook_calls import (
    SYNC_TIMEOUT_SECONDS,
    CallCounts,
    Counted,
    Counts,
    HookCall,
    HookCalls,
    describe_calls,
    make_counts,
)

if TYPE_CHECKING:
    from .hook_implementations import HookImplementation


T = TypeVar("T")
P = ParamSpec("P")
Hook = Callable[..., object]

AFTER_THE_RESULT = frozenset({"before_learn", "on_learning"})


@dataclass(frozen=True, slots=True)
class HookCaller:
    """What hooks need of the run that calls them: its log of answers, remaining time, and record of limits."""

    emit: Callable[[Event], Awaitable[None]]
    seconds_left: Callable[[], float]
    note_limit: Callable[[str], None]


@dataclass(slots=True)
class Hooks:
    """The implementations of all hooks. ``report`` reports failures; without a ``caller`` no run logs the answers.

    ``counts`` are those of the caller's calls, ``process_counts`` those of calls outside runs and of ended runs.
    """

    report: Callable[[str], None]
    order: Sequence[str] = ()
    timeout: float = plugin_keys.HOOK_DEADLINE.default
    implementations_by_hook: "dict[str, tuple[HookImplementation, ...]]" = field(default_factory=dict)
    caller: HookCaller | None = None
    counts: Counts = field(default_factory=make_counts)
    process_counts: Counts = field(default_factory=make_counts)
    counted_by_hook: dict[str, tuple[Counted, ...]] = field(default_factory=dict)
    counted_by_event: dict[type, tuple[Counted, ...]] = field(default_factory=dict)

    def register(self, plugins: Mapping[str, object]) -> list[PluginError]:
        """Register plugins; return an error for each plugin with a wrong signature, which is left out.

        Those that the configuration names run first, as named; the rest keep their order.
        """
        from .hook_implementations import find_implementations
        from .watched_hooks import watch_first_calls

        place = {name: rank for rank, name in enumerate(self.order)}
        found, errors = find_implementations(plugins)
        for hook, implementations in found.items():
            ordered = sorted(implementations, key=lambda one: place.get(one.plugin, len(place)))
            self.implementations_by_hook[hook] = tuple(ordered)
            for implementation in ordered:
                watch_first_calls(implementation, self.report)
        self.forget_counted()
        return errors

    def called_by(self, caller: HookCaller) -> "Hooks":
        """Return the same hooks, called by a run."""
        return replace(
            self,
            caller=caller,
            counts=make_counts(),
            process_counts=self.counts,
            counted_by_hook={},
            counted_by_event={},
        )

    def implementations(self, hook: Hook) -> "list[HookImplementation]":
        """Return the enabled implementations of a hook."""
        return [one for one in self.implementations_by_hook.get(name_of(hook), ()) if not one.is_disabled]

    def calls(self, hook: Hook, facts: Mapping[str, object]) -> HookCalls:
        """Return the calls of a hook's implementations, which the caller makes one by one."""
        if hook is hooks.on_event:
            return HookCalls(self.followers(type(facts["event"])), facts, self.report)
        return HookCalls(self.implementations_with_counts(hook), facts, self.report)

    def implementations_with_counts(self, hook: Hook) -> tuple[Counted, ...]:
        """Return the enabled implementations of a hook, with the counts of their calls."""
        name = name_of(hook)
        counted = self.counted_by_hook.get(name)
        if counted is None:
            counted = tuple((one, self.counts[one.key]) for one in self.implementations(hook))
            self.counted_by_hook[name] = counted
        return counted

    def followers(self, kind: type) -> tuple[Counted, ...]:
        """Return the implementations that are called for events of a kind."""
        counted = self.counted_by_event.get(kind)
        if counted is None:
            counted = tuple(
                one for one in self.implementations_with_counts(hooks.on_event) if issubclass(kind, one[0].kinds)
            )
            self.counted_by_event[kind] = counted
        return counted

    async def collect(
        self, hook: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Call all implementations with the same facts; return the plugins and their answers, in order."""
        answers: list[tuple[str, T]] = []
        calls = self.calls(hook, facts)
        while call := calls.next_answer():
            answer: Any = await self.finish_call(call)
            if answer is not None:
                answers.append((call.implementation.plugin, answer))
        return answers

    async def fold(
        self, hook: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through all implementations; each gets the result of the previous one."""
        first = first_parameter(hook)
        calls = self.calls(hook, {**facts, first: value})
        while call := calls.next_answer():
            answer: Any = await self.finish_call(call)
            if answer is not None:
                value = answer
                calls.pass_on(first, value)
        return value

    def select_followed(self, happened: Sequence[Event]) -> list[Event]:
        """Return the events that an implementation is called for."""
        return [event for event in happened if self.followers(type(event))]

    async def notify(self, event: Event, run: Run) -> None:
        """Pass an event to the implementations that follow its kind, without answers."""
        calls = self.calls(hooks.on_event, {"event": event, "run": run})
        while call := calls.next_answer():
            await self.finish_call(call)

    async def finish_call(self, call: HookCall) -> object:
        """Return the answer of a call, or None. Failures are reported by name; a failing guard answers Ask."""
        implementation, counts = call.implementation, call.counts
        try:
            answer = call.answer if call.is_done else await self.wait(call)
            implementation.check_answer(answer)
        except BaseException as error:  # as in next_answer
            if must_end(error):
                raise
            counts.failures += 1
            return self.report_failure(implementation, error)
        if answer is None:
            return None
        counts.answers += 1
        if self.caller:
            took, logged = round((counts.last - call.started) * 1e6), answer
            if implementation.item_type is Section:
                logged = without_refused_texts(answer)  # type: ignore[arg-type]  # a sequence, as checked
            name, kind = implementation.plugin, "" if implementation.item_type else type(answer).__name__
            await self.caller.emit(events.HookReturned(implementation.hook, name, took, logged, kind))
        return tuple(answer) if implementation.item_type else answer  # type: ignore[arg-type]  # a sequence, as checked

    def activity(self) -> tuple[HookActivity, ...]:
        """Return how each implementation was called in this process, by ended runs and outside runs."""
        names = [(one.hook, one.plugin) for some in self.implementations_by_hook.values() for one in some]
        return tuple(describe_calls(name, self.counts.get(name, CallCounts())) for name in names)

    def end_run(self) -> tuple[HookActivity, ...]:
        """Return the counts of a run's calls, and add them to those of the process."""
        counts, self.counts = self.counts, make_counts()
        self.forget_counted()
        for name, called in counts.items():
            self.process_counts[name].add(called)
        return tuple(map(describe_calls, counts, counts.values()))

    def forget_counted(self) -> None:
        """Clear the cached implementations, so that the next call looks them up again."""
        self.counted_by_hook.clear()
        self.counted_by_event.clear()

    async def wait(self, call: HookCall) -> object:
        """Return the answer. Cancel an awaited call at its timeout; report any other call that returned late."""
        if call.failure:
            raise call.failure
        answer, limit = call.answer, SYNC_TIMEOUT_SECONDS
        if inspect.isawaitable(answer):
            limit = self.timeout_of(call.implementation)
            answer = await self.wait_timed(IsolatedAwaitable(answer, limit), call.counts)
        if perf_counter() - call.started > limit:
            from openkoi_base.side_effects.effect_text import describe_effects

            late = f"took more than {limit:g} s"
            self.report(describe_effects(call.implementation.plugin, call.implementation.hook, late))
        return answer

    async def wait_timed(self, awaited: Awaitable[object], counts: CallCounts) -> object:
        """Await an answer, and count the seconds."""
        started = perf_counter()
        try:
            return await awaited
        finally:
            counts.last = perf_counter()
            counts.seconds += counts.last - started

    def timeout_of(self, implementation: "HookImplementation") -> float:
        """Return the seconds that a hook may take: at most the task's remaining time, and at least one."""
        if implementation.hook in AFTER_THE_RESULT or self.caller is None:
            return self.timeout
        return min(self.timeout, max(1.0, self.caller.seconds_left()))

    def report_failure(self, implementation: "HookImplementation", error: BaseException) -> Ask | None:
        """Report the first failure of each implementation; return the answer that replaces it."""
        out_of_time = isinstance(error, TimeoutError) and self.caller is not None and self.caller.seconds_left() <= 0
        if out_of_time and self.caller:
            self.caller.note_limit("seconds")
        if not (out_of_time or isinstance(error, LimitExceededError)):
            implementation.add_failure()
        text = "was cut off at the task's time limit" if out_of_time else describe_failure(error, self.timeout)
        if implementation.failures <= 1:
            failure = PluginError(implementation.plugin, implementation.hook, text + implementation.consequence)
            self.report(str(failure))
        return (
            Ask(f"{implementation.plugin} could not check this call: {text}") if implementation.fails_closed else None
        )


def name_of(hook: Hook) -> str:
    """Return the name of a hook; raise ArgumentError for anything else."""
    if not hasattr(hook, "openkoi_spec"):
        raise ArgumentError(f"Expected a hook, a function of openkoi_hookspecs.hooks, not {hook!r:.80}.")
    return hook.__name__


@cache
def first_parameter(hook: Hook) -> str:
    """Return the name of the value that is passed through all implementations."""
    name_of(hook)
    return next(iter(inspect.signature(hook).parameters))


def describe_failure(error: BaseException, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"did not answer within {timeout:g} s"
    return format_error(error)
