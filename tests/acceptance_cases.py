"""List all disturbances of a run."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from zlib import crc32


class Fault(StrEnum):
    """What goes wrong."""

    LIMIT = "limit"
    DEADLINE = "deadline"
    REFUSAL = "refusal"
    GARBAGE = "garbage"
    SILENCE = "silence"
    KEY = "key"


class Place(StrEnum):
    """The place of the disturbance."""

    EXECUTOR = "executor"
    JUDGE = "judge"
    PLANNER = "planner"
    HOOK = "hook"
    TOOL = "tool"


class Checks(StrEnum):
    """The result of the project's own check before the work, and after work that writes ``x = 3``."""

    NONE = "none"
    GREEN = "green"
    RED = "red"
    TURNS = "turns"


class Basis(StrEnum):
    """The evidence that an acceptance needs, by the issue's policy."""

    JUDGE = "judge"
    CHECKS = "checks"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Case:
    """One run. ``changed``: the disturbed iteration writes ``x = 3``. ``earlier``: one before it wrote ``x = 2``."""

    fault: Fault
    place: Place
    checks: Checks
    changed: bool
    earlier: bool
    policy: Basis

    def __str__(self) -> str:
        return "-".join(
            (
                *(self.fault, self.place, f"checks_{self.checks}", "changed" if self.changed else "same"),
                *("earlier" if self.earlier else "first", f"policy_{self.policy}"),
            )
        )

    def pick(self, salt: str, choices: int) -> int:
        """Choose a variant of this case, always the same one."""
        return crc32(f"{salt} {self}".encode()) % choices

    @property
    def fatal(self) -> bool:
        """Whether nothing can follow the fault."""
        return self.fault in (Fault.LIMIT, Fault.DEADLINE)

    @property
    def limit(self) -> str:
        """Which limit is reached: the number of calls, if only a judge's answer comes before it."""
        judge_before = self.place is Place.EXECUTOR and self.earlier and not self.changed
        kinds = ("calls",) if judge_before else ("calls", "tokens", "dollars")
        return kinds[self.pick("limit", len(kinds))] if self.fault is Fault.LIMIT else ""

    @property
    def mute(self) -> bool:
        """Whether the executor ends without text although nothing is wrong with it."""
        return self.place is not Place.EXECUTOR and self.pick("mute", 3) == 0

    @property
    def in_pytest(self) -> bool:
        """Whether the check is a test of pytest's; otherwise it is a command, which takes no time."""
        return self.fault is not Fault.DEADLINE and self.pick("pytest", 12) == 0

    @property
    def in_text(self) -> bool:
        """Whether the result is printed as text; otherwise as JSON."""
        return self.pick("text", 4) == 0

    @property
    def keyless(self) -> bool:
        """Whether there is no key; otherwise the vendor rejects the key."""
        return self.pick("keyless", 2) == 0

    @property
    def silent_moments(self) -> tuple[str, ...]:
        """The hooks that are not called: work without changes is not evaluated, and uncheckable work has no result."""
        if self.policy is Basis.NONE or (self.mute and not self.changed):
            return "before_evaluate", "after_evaluate"
        return ("after_evaluate",) if self.policy is Basis.CHECKS and self.checks is Checks.NONE else ()

    @property
    def moment(self) -> str:
        """The hook that fails; if nothing can follow, it runs before or after the change."""
        late = ("after_tool", "after_execute", "before_evaluate", "after_evaluate")
        early = ("before_execute", "after_execute", "before_evaluate", "after_evaluate")
        possible = late if self.changed else early if self.earlier else ("before_plan", *early)
        choices = [one for one in possible if one not in self.silent_moments]
        return choices[self.pick("moment", len(choices))]


def cases() -> list[Case]:
    """Return all of them: 6 x 5 x 4 x 2 x 2 x 3."""
    return [Case(*values) for values in product(Fault, Place, Checks, (True, False), (True, False), Basis)]


def impossible(case: Case) -> str:
    """Return why a case cannot be staged; empty if it can."""
    if case.checks is Checks.TURNS and not case.changed:
        return "nothing turns green by itself"
    if case.earlier and case.policy is Basis.NONE:
        return "there is one execution"
    if case.earlier and case.policy is Basis.CHECKS and case.checks in (Checks.NONE, Checks.GREEN):
        return "without a judge the first iteration ends the run: it is accepted, or nothing can check it"
    if case.place is Place.PLANNER and case.fatal and (case.changed or case.earlier):
        return "nothing is executed after a planner that used up what there was"
    if case.place is Place.EXECUTOR and case.fault is Fault.KEY and (case.changed or case.earlier):
        return "an executor without a key has done nothing"
    return ""
