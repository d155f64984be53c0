"""Find tests that no longer run: deleted, renamed, excluded or skipped."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .baseline import SuiteBaseline
from .outcome import SuiteOutcome
from .project import RunnerKind

CASE = re.compile(r"(?P<pytest>.+?::[^\[]+)\[.*\]|(?P<go>.+?\.(?:Test|Fuzz)[^/]*)/.+", re.DOTALL)
FIXTURE = re.compile(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)")
SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
MARKS = ("::", ".", "/")


def absent(names: Sequence[str], outcome: SuiteOutcome, before: SuiteBaseline) -> tuple[str, ...]:
    """Those of the names that neither ran nor are accounted for otherwise."""
    now = Now(outcome, before)
    missing = [name for name in names if name not in now.ran]
    if not missing or now.broke_off:
        return ()
    cases = Counter(map(function, names))
    lost = [name for name in missing if not now.tells(name) and not now.has(name, cases[function(name)])]
    return tuple(lost if outcome.complete else before_last_run(lost, names, now.ran.difference(outcome.runners)))


@dataclass(frozen=True)
class Now:
    """What runs now, beside what was there before."""

    outcome: SuiteOutcome
    before: SuiteBaseline

    @cached_property
    def ran(self) -> frozenset[str]:
        """The names of all that ran."""
        return frozenset(test.name for test in self.outcome.tests)

    @cached_property
    def new(self) -> frozenset[str]:
        """The names that were not there before."""
        return self.ran - self.before.passed.keys()

    @cached_property
    def plain(self) -> frozenset[str]:
        """The new names as unittest would have them."""
        return frozenset(map(to_dotted_name, self.new))

    @cached_property
    def cases(self) -> Counter[str]:
        """How many cases run of each function."""
        return Counter(map(function, self.ran))

    @cached_property
    def moved_names(self) -> frozenset[str]:
        """The new names as another runner would have them, or the same one from another folder."""
        return frozenset(ending for name in self.new for ending in ends(name))

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """How the names begin of tests that are in something which fails itself, and has to pass."""
        red = (test.name for test in self.outcome.red if self.before.requires(test.name))
        return tuple(start for name in red for start in within(name))

    @property
    def broke_off(self) -> bool:
        """Whether the runner did not finish, which a check of its own reports."""
        own = [test for test in self.outcome.tests if test.name in self.outcome.runners]
        told = any(test.passed or self.before.requires(test.name) for test in own)
        return told and not self.outcome.complete

    def tells(self, name: str) -> bool:
        """Return whether it is not a test, and others report its content: a runner, or what could not be read."""
        if self.before.passed.get(name, True) or "::" in name or not self.ran:
            return name in self.outcome.runners and bool(self.ran)
        script = name.endswith(SCRIPTS) and bool(self.new)
        inside = within(name)[: 2 if self.before.kind(name) is RunnerKind.GO else None]
        return script or name in self.outcome.runners or any(test.startswith(inside) for test in self.ran)

    def has(self, name: str, cases: int) -> bool:
        """Whether it is there in another shape: other cases of its function, another folder, or unread for now."""
        if name.startswith(self.unread):
            return True
        if name in self.outcome.skipped:
            return False
        return self.cases[function(name)] >= cases or self.has_moved(name)

    def has_moved(self, name: str) -> bool:
        """Whether a new test has this name, with more or fewer folders before it."""
        return to_dotted_name(name) in self.moved_names or not self.plain.isdisjoint(ends(name))


def function(name: str) -> str:
    """The name without what tells one case from another."""
    match = CASE.fullmatch(name)
    return (match["pytest"] or match["go"]) if match else name


def within(name: str) -> tuple[str, ...]:
    """How the names begin of tests in a file, a class, a folder or a package."""
    if name == ".":
        return ("",)
    fixture = FIXTURE.fullmatch(name)
    whole = fixture[1] if fixture else name.removesuffix("/__init__.py")
    return tuple(f"{whole}{mark}" for mark in MARKS)


def to_dotted_name(name: str) -> str:
    """Return the name as unittest has it, with dots between folders, file, class and function."""
    return re.sub(r"\.py(?=::)", "", name).replace("/", ".").replace("::", ".")


def ends(name: str) -> list[str]:
    """The name from each of its folders on, as unittest would have it from there; two parts at least."""
    parts = to_dotted_name(name).split(".")
    return [".".join(parts[n:]) for n in range(len(parts) - 1)]


def before_last_run(lost: Iterable[str], names: Sequence[str], ran: frozenset[str]) -> list[str]:
    """Return the lost tests before the last one that ran; a runner that was cut off may have come less far."""
    place = {name: n for n, name in enumerate(names)}
    last = max((place[name] for name in names if name in ran), default=len(names))
    return [name for name in lost if place[name] <= last]


def siblings(name: str, outcome: SuiteOutcome, before: SuiteBaseline) -> list[str]:
    """The new tests of the same file, class or module: it may be one of them by now."""
    home, mark, _ = name.partition("::")
    if not mark:
        home, mark, _ = name.rpartition("." if " > " not in name else " > ")
    return sorted(new for new in Now(outcome, before).new if mark and new.startswith(f"{home}{mark}"))
