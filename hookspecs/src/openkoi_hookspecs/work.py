"""What an iteration produced, and what was found in it."""

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum

from .prompt import Section

RED_CAP = 0.5


class Severity(StrEnum):
    """A blocker must be mended before anything is accepted; a suggestion is never sent back to the executor."""

    BLOCKER = "blocker"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with the work. ``rule``, ``where`` (path:line) and ``title`` together are its identity."""

    title: str
    severity: Severity = Severity.IMPORTANT
    _: KW_ONLY
    rule: str = ""
    where: str = ""
    detail: str = ""
    fix: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Tell whether a finding is the same one as before, although lines have moved."""
        return self.rule, self.where.partition(":")[0], self.title


@dataclass(frozen=True, slots=True)
class Check:
    """A fact about the work. It gates: no score outvotes a failed one. A check that was not run is left out.

    One that is not ``required`` was red before the work began and is not what the task is about: it informs.
    """

    name: str
    passed: bool
    _: KW_ONLY
    required: bool = True


@dataclass(frozen=True, slots=True)
class Score:
    """An opinion about one dimension of the work, 0.0 to 1.0. Weights are relative: a dimension counts by its share."""

    dimension: str
    value: float
    weight: float = 1.0


class Mode(StrEnum):
    """How an evaluation was come by."""

    FULL = "full"
    INCREMENTAL = "incremental"
    CACHED = "cached"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What evaluators say about one work. ``unknown`` is the reason why no judgement could be had.

    ``suggestion`` is one line of advice for the next attempt; ``log`` is what the checks printed, for judges to read.
    """

    checks: tuple[Check, ...] = ()
    scores: tuple[Score, ...] = ()
    findings: tuple[Finding, ...] = ()
    mode: Mode = Mode.FULL
    unknown: str = ""
    suggestion: str = ""
    log: str = ""

    @property
    def score(self) -> float | None:
        """The weighted mean of the scores; without any, the share of checks that pass; None when unknown.

        A red required check caps it at 0.5: no opinion outvotes a failing check.
        """
        if self.unknown or not (self.scores or self.checks):
            return None
        scores = self.scores or tuple(Score(check.name, float(check.passed)) for check in self.checks)
        weight = sum(score.weight for score in scores)
        if weight <= 0:
            return None
        mean = sum(score.value * score.weight for score in scores) / weight
        return min(mean, RED_CAP) if self.failing else mean

    @property
    def failing(self) -> frozenset[str]:
        """Names of the required checks that do not pass."""
        return frozenset(check.name for check in self.checks if check.required and not check.passed)

    @property
    def blockers(self) -> tuple[Finding, ...]:
        """Findings that forbid acceptance."""
        return tuple(f for f in self.findings if f.severity is Severity.BLOCKER)

    @property
    def open(self) -> tuple[Finding, ...]:
        """Findings that are sent back to the executor: all but suggestions."""
        return tuple(f for f in self.findings if f.severity is not Severity.SUGGESTION)


class Ended(StrEnum):
    """Why an execution stopped working."""

    DONE = "done"
    CYCLES = "cycles"
    BUDGET = "budget"
    TIME = "time"
    LOOP = "loop"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Work:
    """What one execution left behind: its last words, and a unified diff against the workspace before the run.

    ``criteria`` are what plugins want the judges to look at. ``known`` is what the evaluators asked before this one
    found: checks come first, judges last. ``limit`` names what ended it, when ``ended`` is BUDGET or TIME.
    """

    text: str
    _: KW_ONLY
    diff: str = ""
    files: tuple[str, ...] = ()
    checkpoint: str = ""
    ended: Ended = Ended.DONE
    limit: str = ""
    criteria: tuple[Section, ...] = ()
    known: Evaluation | None = None
