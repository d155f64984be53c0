"""The working line (status line) with the spinner of a running task: its activity, time, cost and scores."""

from collections.abc import Sequence
from dataclasses import field, replace

from openkoi_base.counts import format_count
from openkoi_hookspecs import Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import format_dollars, format_tokens

from .width import clip_row, text_width

INTERRUPT_HINT = "esc to interrupt"  # other programs look for exactly these words
CHARACTERS_PER_TOKEN = 4  # of English text, about
MAX_SCORES = 4  # of iterations; the line stays short
LEFT_OUT = (  # where the line is too narrow, in this order; how to interrupt is always there
    {"forecast": 0.0},
    {"tokens": 0},
    {"queued": 0},
    {"iterations": 0},
    {"scores": ()},
    {"usd": 0.0},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingFacts:
    """What the working line shows. ``iteration`` counts from 1, 0 shows none; ``forecast`` is in dollars, or 0."""

    activity: str = "Thinking"
    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0
    budget: float = 0.0
    iteration: int = 0
    iterations: int = 0
    scores: Sequence[float] = ()
    forecast: float = 0.0
    queued: int = 0


def format_working_line(facts: WorkingFacts, *, hint: str = INTERRUPT_HINT, width: int = 0) -> str:
    """Format as ``Thinking… (12s · 1.2k tokens · $0.04 of $0.50 · iteration 2/3 · 0.71→0.86 · esc to interrupt)``.

    The line is at most ``width`` columns long, unless that is 0.
    """
    line = join_facts(facts, hint)
    for change in LEFT_OUT if width else ():
        if text_width(line) <= width:
            return line
        facts = replace(facts, **change)
        line = join_facts(facts, hint)
    too_wide = text_width(line) - width if width else 0
    if too_wide <= 0:
        return line
    activity = clip_row(facts.activity, max(text_width(facts.activity) - too_wide, 1))
    return join_facts(replace(facts, activity=activity.removesuffix("…")), hint)


def join_facts(facts: WorkingFacts, hint: str) -> str:
    """Return all facts in one line, however wide."""
    parts = [
        format_seconds(facts.seconds),
        f"{format_tokens(facts.tokens)} token{'' if facts.tokens == 1 else 's'}" if facts.tokens else "",
        format_spending(facts),
        f"iteration {facts.iteration}/{facts.iterations}" if facts.iteration and facts.iterations > 1 else "",
        "→".join(f"{score:.2f}" for score in facts.scores[-MAX_SCORES:]),
        f"{facts.queued} queued" if facts.queued else "",
        hint,
    ]
    return f"{facts.activity}… ({' · '.join(filter(None, parts))})"


def format_seconds(seconds: float) -> str:
    """Format as ``12s``, ``3m 05s`` or ``1h 02m``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    return f"{whole // 60}m {whole % 60:02}s" if whole < 3600 else f"{whole // 3600}h {whole % 3600 // 60:02}m"


def format_spending(facts: WorkingFacts) -> str:
    """Format the spent part of the budget, and the likely cost of all iterations."""
    if not facts.usd:
        return ""
    limit = f" of {format_dollars(facts.budget)}" if facts.budget else ""
    likely = f", likely {format_dollars(facts.forecast)}" if facts.forecast > facts.usd else ""
    return f"{format_dollars(facts.usd)}{limit}{likely}"


@dataclass(slots=True)
class WorkingLine:
    """Gathers the facts of the working line from the records of one run and its sub-tasks."""

    activity: str = "Starting"
    tokens: int = 0
    usd: float = 0.0
    streamed: int = 0
    budget: float = 0.0
    iteration: int = 0
    iterations: int = 0
    scores: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def add_record(self, record: Record) -> None:
        """Add one record."""
        match record.event:
            case events.TaskStarted(task=task) if not task.parent:
                limits = task.effective_limits
                self.budget, self.iterations = limits.usd, limits.iterations
                self.iteration = min(1, limits.iterations)
            case events.ModelDelta(text=text):
                self.activity, self.streamed = "Writing", self.streamed + len(text)
            case events.ModelResponse(usage=usage, usd=usd) | events.ModelResponseBroken(usage=usage, usd=usd):
                self.tokens, self.usd, self.streamed = self.tokens + usage.total, self.usd + usd, 0
            case events.DecisionMade(iteration=number, decision=decision):
                self.iteration = number + (1 if decision.final else 2)
                self.iterations = self.iteration if decision.final else self.iterations
            case events.IterationFinished(score=score, cost=cost):
                self.costs.append(cost.usd)
                self.scores += [score] if score is not None else []
            case event:
                self.activity = describe_activity(event, judges=self.iterations > 0) or self.activity

    def facts(self, seconds: float, *, queued: int = 0) -> WorkingFacts:
        """Return the current facts."""
        return WorkingFacts(
            activity=self.activity,
            seconds=seconds,
            tokens=self.tokens + self.streamed // CHARACTERS_PER_TOKEN,
            usd=self.usd,
            budget=self.budget,
            iteration=self.iteration,
            iterations=self.iterations,
            scores=tuple(self.scores),
            forecast=self.forecast,
            queued=queued,
        )

    @property
    def forecast(self) -> float:
        """The task's cost if each remaining iteration costs the average of the earlier ones; 0 if unknown."""
        left = self.iterations - len(self.costs)
        if not self.costs or left <= 0:
            return 0.0
        likely = sum(self.costs) * self.iterations / len(self.costs)
        return min(likely, self.budget) if self.budget else likely


def describe_activity(event: events.Event, *, judges: bool) -> str:
    """Return the activity that starts with this event, in a few words; empty if none does."""
    from openkoi_runlog.report import truncate_line

    match event:
        case events.ToolCallStarted(progress_text=doing, call=call):
            return truncate_line(doing or call.tool, 40)
        case events.CycleStarted() | events.ToolResultsReady():
            return "Thinking"
        case events.InnerLoopEnded():
            return "Judging" if judges else "Finishing"
        case events.RunCompleted():
            return "Finishing"
        case _:
            return ""


def format_step(facts: WorkingFacts) -> str:
    """Format one line per step for ``ACCESSIBLE=1``, which redraws nothing."""
    count = f", iteration {facts.iteration} of {format_count(facts.iterations, 'iteration')}" if facts.iteration else ""
    return f"{facts.activity}, {format_seconds(facts.seconds)}{count}"
