"""An iteration's result and its evaluation: checks, findings, and the final score, a weighted mean of dimensions."""

from dataclasses import KW_ONLY
from enum import StrEnum

from .lazy_dataclass import dataclass
from .prompt import Section
from .tool import Json

RED_CAP = 0.5  # highest score while a required check fails: praise must not outvote a red test (estimate)


class Severity(StrEnum):
    """A blocker must be fixed before anything is accepted; a suggestion is never sent back to the executor."""

    BLOCKER = "blocker"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with the work. ``rule``, ``where`` (path:line) and ``title`` together are its identity.

    ``evaluator`` names the evaluator that reported it; the kernel sets it.
    """

    title: str
    severity: Severity = Severity.IMPORTANT
    _: KW_ONLY
    rule: str = ""
    where: str = ""
    detail: str = ""
    fix: str = ""
    evaluator: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Return the identity of a finding, which stays the same if lines move."""
        return self.rule, self.where.partition(":")[0], self.title


@dataclass(frozen=True, slots=True)
class Check:
    """A fact about the work. A failed check blocks acceptance, whatever the score.

    A check that was not run is omitted. A check that is not ``required`` failed before the work began and is not what
    the task is about, so it is only reported. ``file`` is the path of the file that defines the check, if there is one:
    a check whose own file was changed has not turned green. ``evaluator`` names the evaluator that reported the check;
    the kernel sets it.
    """

    name: str
    passed: bool
    _: KW_ONLY
    required: bool = True
    file: str = ""
    evaluator: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The results of one evaluator's checks before the work began. They are logged, for resume and fork as well.

    ``state`` is whatever else the evaluator needs for comparison, as JSON. The kernel sets ``evaluator``.
    """

    evaluator: str
    checks: tuple[Check, ...] = ()
    state: Json = None


@dataclass(frozen=True, slots=True)
class Score:
    """A judge's opinion about one dimension of the work, 0.0 to 1.0. Weights are relative.

    Only an evaluator that declares ``judges = True`` may give scores.
    """

    dimension: str
    value: float
    weight: float = 1.0


class EvaluationMode(StrEnum):
    """How an evaluation was obtained."""

    FULL = "full"
    INCREMENTAL = "incremental"
    CACHED = "cached"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """The chance that another iteration helps, estimated from ``seen`` iterations of the project.

    ``error`` is the calibration error of such estimates so far: their mean distance from the outcome; None if too few
    are known. A plugin sets it at ``after_evaluate``; it can end a run, but never accept anything.
    """

    chance: float
    seen: int
    error: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What evaluators report about the work.

    ``unavailable_reason`` says why a judge gave no score. ``missing`` says which checks should have run and did not,
    and why: without them the work is not green. ``suggestion`` is one line of advice for the next attempt; ``log`` is
    what the checks printed, for judges to read.
    """

    checks: tuple[Check, ...] = ()
    scores: tuple[Score, ...] = ()
    findings: tuple[Finding, ...] = ()
    mode: EvaluationMode = EvaluationMode.FULL
    unavailable_reason: str = ""
    missing: tuple[str, ...] = ()
    suggestion: str = ""
    log: str = ""
    prospect: Prospect | None = None

    @property
    def score(self) -> float | None:
        """The weighted mean of the judges' scores; None if no judge gave one.

        A failing required check caps it at 0.5: no opinion outweighs a check, and checks are never a number.
        """
        weight = sum(score.weight for score in self.scores)
        if self.unavailable_reason or weight <= 0:
            return None
        mean = sum(score.value * score.weight for score in self.scores) / weight
        return min(mean, RED_CAP) if self.failing else mean

    @property
    def red(self) -> bool:
        """Whether a required check fails or a blocker is open."""
        return bool(self.failing or self.blockers)

    @property
    def green(self) -> bool:
        """Whether at least one required check ran, all of them passed, and none is missing."""
        return any(check.required for check in self.checks) and not (self.failing or self.missing)

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


class StopReason(StrEnum):
    """Why an execution stopped working.

    DONE: it answered, or a declared condition was met. UNMET: it answered without meeting any declared condition.
    REFUSED: the model or its vendor declined. PERSON: it waits for the user.
    """

    DONE = "done"
    CYCLES = "cycles"
    BUDGET = "budget"
    TIME = "time"
    LOOP = "loop"
    REFUSED = "refused"
    UNMET = "unmet"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class EffectCall:
    """A tool call that could change something, and how it ended, in words.

    ``effects`` describe its changes that no diff of the workspace shows: a commit, a message sent.
    """

    call: str
    outcome: str
    effects: tuple[str, ...] = ()


UNSEEN = EffectCall("files", "unknown", ("files may have changed: no checkpoint was saved",))


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """The outcome of one execution: its final answer, and a unified diff against the workspace before the run.

    ``calls`` are the run's tool calls so far that could change something. ``criteria`` are what plugins want the judges
    to look at. ``known`` is what earlier evaluators found: checks run first, judges last. ``baseline`` is what the
    current evaluator reported before the first change. ``limit`` names what ended it, if ``ended`` is BUDGET or TIME,
    or says that an answer was too long.
    """

    text: str
    _: KW_ONLY
    diff: str = ""
    files: tuple[str, ...] = ()
    checkpoint: str = ""
    ended: StopReason = StopReason.DONE
    limit: str = ""
    calls: tuple[EffectCall, ...] = ()
    criteria: tuple[Section, ...] = ()
    known: Evaluation | None = None
    baseline: Baseline | None = None

    @property
    def answered(self) -> bool:
        """Whether there is an answer with at least one visible character."""
        return any(char.isprintable() and not char.isspace() for char in self.text)

    @property
    def effects(self) -> tuple[str, ...]:
        """What the run changed that no diff of the workspace shows."""
        return tuple(effect for call in self.calls for effect in call.effects)

    @property
    def unseen(self) -> bool:
        """Whether files may have changed that its diff does not show, because no checkpoint was saved."""
        return UNSEEN in self.calls

    @property
    def changed(self) -> bool:
        """Whether the run has changed a file that git does not ignore, or something outside the workspace, so far."""
        return bool(self.files or self.diff or self.effects)
