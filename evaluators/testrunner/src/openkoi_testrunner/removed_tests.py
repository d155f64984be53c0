"""Find tests that no longer run: deleted, renamed, excluded or skipped."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .baseline import SuiteBaseline
from .project import RunnerKind
from .results import SuiteOutcome

CASE = lazy_pattern(r"(?P<pytest>.+?::[^\[]+)\[.*\]|(?P<go>.+?\.(?:Test|Fuzz)[^/]*)/.+", re.DOTALL)
FIXTURE = lazy_pattern(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)")
SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
MARKS = ("::", ".", "/")


def find_absent(names: Sequence[str], outcome: SuiteOutcome, before: SuiteBaseline) -> tuple[str, ...]:
    """Return the names that neither ran nor are explained otherwise."""
    now = CurrentTests(outcome, before)
    missing = [name for name in names if name not in now.ran]
    if not missing or now.broke_off:
        return ()
    cases = Counter(map(function_name, names))
    lost = [name for name in missing if not now.is_container(name) and not now.has(name, cases[function_name(name)])]
    return tuple(lost if outcome.complete else before_last_run(lost, names, now.ran.difference(outcome.runners)))


@dataclass(frozen=True)
class CurrentTests:
    """What runs now, compared with the baseline."""

    outcome: SuiteOutcome
    before: SuiteBaseline

    @cached_property
    def ran(self) -> frozenset[str]:
        """The names of all tests that ran."""
        return frozenset(test.name for test in self.outcome.tests)

    @cached_property
    def new(self) -> frozenset[str]:
        """The names that are not in the baseline."""
        return self.ran - self.before.passed.keys()

    @cached_property
    def plain(self) -> frozenset[str]:
        """The new names in unittest's form."""
        return frozenset(map(to_dotted_name, self.new))

    @cached_property
    def cases(self) -> Counter[str]:
        """The number of cases of each function."""
        return Counter(map(function_name, self.ran))

    @cached_property
    def moved_names(self) -> frozenset[str]:
        """The new names in another runner's form, or from another folder."""
        return frozenset(ending for name in self.new for ending in name_endings(name))

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """The name prefixes of tests in a file or class that fails itself and must pass."""
        red = (test.name for test in self.outcome.red if self.before.requires(test.name))
        return tuple(start for name in red for start in name_prefixes(name))

    @property
    def broke_off(self) -> bool:
        """Whether the runner did not finish, which its own check reports."""
        own = [test for test in self.outcome.tests if test.name in self.outcome.runners]
        reported = any(test.passed or self.before.requires(test.name) for test in own)
        return reported and not self.outcome.complete

    def is_container(self, name: str) -> bool:
        """Return whether the name is not a test's but that of a runner or file, whose tests are reported."""
        if self.before.passed.get(name, True) or "::" in name or not self.ran:
            return name in self.outcome.runners and bool(self.ran)
        script = name.endswith(SCRIPTS) and bool(self.new)
        inside = name_prefixes(name)[: 2 if self.before.kind(name) is RunnerKind.GO else None]
        return script or name in self.outcome.runners or any(test.startswith(inside) for test in self.ran)

    def has(self, name: str, cases: int) -> bool:
        """Return whether a test exists in another form: other cases, another folder, or in a file that fails now."""
        if name.startswith(self.unread):
            return True
        if name in self.outcome.skipped:
            return False
        return self.cases[function_name(name)] >= cases or self.has_moved(name)

    def has_moved(self, name: str) -> bool:
        """Return whether a new test has this name in a folder above or below."""
        return to_dotted_name(name) in self.moved_names or not self.plain.isdisjoint(name_endings(name))


def function_name(name: str) -> str:
    """Return the name without the part that distinguishes cases."""
    match = CASE.fullmatch(name)
    return (match["pytest"] or match["go"]) if match else name


def name_prefixes(name: str) -> tuple[str, ...]:
    """Return the name prefixes of tests in a file, a class, a folder or a package."""
    if name == ".":
        return ("",)
    fixture = FIXTURE.fullmatch(name)
    whole = fixture[1] if fixture else name.removesuffix("/__init__.py")
    return tuple(f"{whole}{mark}" for mark in MARKS)


def to_dotted_name(name: str) -> str:
    """Return the name in unittest's form, with dots between folders, file, class and function."""
    return re.sub(r"\.py(?=::)", "", name).replace("/", ".").replace("::", ".")


def name_endings(name: str) -> list[str]:
    """Return the name from each of its folders on, in unittest's form; two parts or more."""
    parts = to_dotted_name(name).split(".")
    return [".".join(parts[n:]) for n in range(len(parts) - 1)]


def before_last_run(lost: Iterable[str], names: Sequence[str], ran: frozenset[str]) -> list[str]:
    """Return the lost tests before the last one that ran; a runner that was cut off did not reach the others."""
    place = {name: n for n, name in enumerate(names)}
    last = max((place[name] for name in names if name in ran), default=len(names))
    return [name for name in lost if place[name] <= last]


def find_siblings(name: str, outcome: SuiteOutcome, before: SuiteBaseline) -> list[str]:
    """Return the new tests of the same file, class or module: it may have been renamed to one of them."""
    home, mark, _ = name.partition("::")
    if not mark:
        home, mark, _ = name.rpartition("." if " > " not in name else " > ")
    return sorted(new for new in CurrentTests(outcome, before).new if mark and new.startswith(f"{home}{mark}"))
