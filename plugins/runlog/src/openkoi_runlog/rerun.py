"""A run that ended before its time, as its records tell it. Pure; knows records and their order.

Each thing that happened is handed out once, where it happened, in place of doing it again: no call is paid for twice,
no effect repeated. When nothing is left, the run goes on from there. The past of a run that just begins is empty.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from openkoi_hookspecs import (
    Baseline,
    Cost,
    Event,
    ExecutionResult,
    NextAction,
    Record,
    Request,
    ToolCall,
    ToolResult,
    events,
)

from .forking import family
from .replayable import with_somebody_there, without_missing_verdict
from .run_views import view_of

E = TypeVar("E", bound=Event)

UNKNOWN = (
    "It is not known whether this was done: OpenKoi was interrupted after it had begun. "
    "Look at what is there before you do it again."
)
TOLD = (
    *(
        events.RecallFinished,
        events.PlanReady,
        events.MessageAdded,
        events.ModelResponse,
        events.ToolCallStarted,
        events.ToolCallFinished,
    ),
    *(
        events.ExecutionFinished,
        events.RequestClassified,
        events.EvaluationFinished,
        events.IterationFinished,
        events.DecisionMade,
    ),
)
VERDICTS = (events.ExecutionFinished, events.EvaluationFinished, events.DecisionMade)
CLOSING = (*VERDICTS, events.RequestClassified)
SAID_AGAIN = (events.TaskStarted, events.HistoryCompacted, events.InnerLoopEnded, events.IterationFinished)


def always(event: Event) -> bool:
    """Whatever it is."""
    return True


@dataclass(slots=True)
class Rerun:
    """What is left of it. ``origin`` is how the workspace was before its first change, ``seconds`` how long it took.
    ``baselines`` are how checks stood then, by evaluator; ``called`` tells whether a tool was called after that.

    ``rejudge``: it ended, and only a judgement was missing.

    ``approved`` are the paths that the user has let its commands change, ``advice`` what the user wanted after an
    iteration, by its number.

    ``paid`` is what it and its parts have paid for, ``lapped`` what its iterations have cost. ``lost`` are questions of
    which nothing more was heard, by run.
    """

    left: list[Event] = field(default_factory=list)
    written: Counter[type[Event]] = field(default_factory=Counter)
    origin: str = ""
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    called: bool = False
    seconds: float = 0.0
    paid: Sequence[events.Paid] = ()
    lost: Sequence[tuple[str, events.ModelResponseBroken]] = ()
    lapped: Cost = Cost()
    rejudge: bool = False
    approved: frozenset[str] = frozenset()
    advice: Mapping[int, str] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether there is something still that was done before; what plugins called may not be called again."""
        return not all(getattr(event, "by_plugin", False) for event in self.left)

    @property
    def to_come(self) -> float:
        """Dollars that were paid for what is still to be handed out."""
        return sum(event.usd for event in self.left if isinstance(event, events.ModelResponse))

    @property
    def next_decision(self) -> events.DecisionMade | None:
        """The next decision that is handed out; None if there is none."""
        return next((event for event in self.left if isinstance(event, events.DecisionMade)), None)

    @property
    def awaiting_verdict(self) -> ExecutionResult | None:
        """The last work, if nothing is left to do of it but to judge it."""
        ends = (*VERDICTS, events.MessageAdded)
        last = next((event for event in reversed(self.left) if isinstance(event, ends)), None)
        return last.work if isinstance(last, events.ExecutionFinished) else None

    def answer(self, request: Request) -> events.ModelResponse | None:
        """What was answered to a request, if it was made before and was answered."""
        said, length = request.model, len(request.messages)
        return self.take(events.ModelResponse, lambda known: known.role == said and known.messages in (0, length))

    def take(self, kind: type[E], fits: Callable[[E], bool] = always) -> E | None:
        """The next thing of a kind that fits; what closes a phase leaves all before it behind."""
        for place, event in enumerate(self.left):
            if isinstance(event, kind) and fits(event):
                self.left = self.left[place + 1 :] if kind in CLOSING else [*self.left[:place], *self.left[place + 1 :]]
                return event
        return None

    def said_before(self, role: str) -> list[events.MessageAdded]:
        """What the user said before the next answer to this role, taken out."""
        said: list[events.MessageAdded] = []
        for event in self.left:
            if isinstance(event, events.ModelResponse) and event.role == role:
                break
            if isinstance(event, events.MessageAdded) and event.from_user:
                said.append(event)
        self.left = [event for event in self.left if not any(event is one for one in said)]
        return said

    def result(self, call: ToolCall, *, repeatable: bool) -> ToolResult | None:
        """What a call brought, or that nobody knows; None when it has to be made, because it never was."""
        begun = next((event for event in self.left if is_call(event, call)), None)
        if begun:
            self.left.remove(begun)
        for event in self.left:
            if isinstance(event, events.ToolCallFinished) and event.result.call == call.id:
                self.left.remove(event)
                return event.result
        return ToolResult(UNKNOWN, failed=True, call=call.id) if begun and not repeatable else None

    def after_work(self) -> Event | None:
        """What came next of a finished execution: its request was classified, or it was decided without that."""
        ends = (
            events.RequestClassified,
            events.EvaluationFinished,
            events.IterationFinished,
            events.DecisionMade,
            events.MessageAdded,
        )
        return next((event for event in self.left if isinstance(event, ends)), None)

    def unjudged(self) -> bool:
        """Whether the iteration is over, and nobody had an opinion about it."""
        ends = (events.EvaluationFinished, events.IterationFinished, events.MessageAdded)
        return isinstance(
            next((event for event in self.left if isinstance(event, ends)), None), events.IterationFinished
        )

    def covers(self, event: Event) -> bool:
        """Whether an event is in the log already; what is only told while it happens is not told again."""
        if isinstance(event, events.ModelRequest) or not (self.written or self.left):
            return False
        if self.written[type(event)] > 0:
            self.written[type(event)] -= 1
            if isinstance(event, events.IterationFinished):
                self.take(events.IterationFinished)
            return True
        return self.active and not event.durable


def is_call(event: Event, call: ToolCall) -> bool:
    return isinstance(event, events.ToolCallStarted) and event.call.id == call.id


def rerun_of(records: Sequence[Record], run: str) -> Rerun:
    """What one run did before."""
    if not records:
        return Rerun()
    whole = [*with_somebody_there(record for record in records if record.run == run)]
    own = [*without_missing_verdict(whole)]
    happened = [record.event for record in own]
    origin = next((event.checkpoint for event in happened if isinstance(event, events.BaselineSaved)), "")
    baselines = {
        event.baseline.evaluator: event.baseline for event in happened if isinstance(event, events.ChecksBaseline)
    }
    again = (*SAID_AGAIN, events.RunCompleted, events.UsageRecorded) if over(happened) else SAID_AGAIN
    written: Counter[type[Event]] = Counter(type(event) for event in happened if isinstance(event, again))
    members = family(records, run)
    everything = [record for record in records if record.run in members]
    lost = list(unheard(everything))
    paid = [record.event for record in everything if isinstance(record.event, events.Paid)] + [
        event for _, event in lost
    ]
    told: list[Event] = [event for event in happened if isinstance(event, TOLD)]
    laps = [event.cost for event in happened if isinstance(event, events.IterationFinished)]
    called = called_after_kept(happened)
    rejudge = ended_unjudged([record.event for record in whole])
    lapped, approved = sum(laps, Cost()), frozenset(approved_paths(happened))
    advice = {one.number: one.advice for one in view_of(own, run).finished if one.advice}
    return Rerun(told, written, origin, baselines, called, lasted(own), paid, lost, lapped, rejudge, approved, advice)


def approved_paths(happened: Iterable[Event]) -> Iterator[str]:
    """The paths that the user has let the run's commands change."""
    for event in happened:
        if isinstance(event, events.PathsApproved):
            yield from event.paths


def called_after_kept(happened: Sequence[Event]) -> bool:
    """Whether a tool was called after the workspace was kept."""
    kept = next(
        (place for place, event in enumerate(happened) if isinstance(event, events.BaselineSaved)), len(happened)
    )
    return any(isinstance(event, events.ToolCallStarted) for event in happened[kept:])


def unheard(records: Iterable[Record]) -> Iterator[tuple[str, events.ModelResponseBroken]]:
    """Questions of which nothing more was heard, as answers that broke off, by run."""
    asked: dict[str, tuple[str, events.ModelRequest]] = {}
    for record in records:
        if isinstance(event := record.event, events.ModelRequest):
            asked[event.lease] = record.run, event
        elif isinstance(event, events.Paid):
            asked.pop(event.lease, None)
    for run, one in asked.values():
        if one.reserved.total:
            yield (
                run,
                events.ModelResponseBroken(one.model, one.reserved, one.reserved_usd, role=one.role, lease=one.lease),
            )


def over(happened: Iterable[Event]) -> bool:
    """Whether it came to its end, and waits for nobody: a part of a run that did not."""
    ends = [event.decision.action for event in happened if isinstance(event, events.RunCompleted)]
    return bool(ends) and ends[-1] is not NextAction.ESCALATE


def ended_unjudged(happened: Iterable[Event]) -> bool:
    """Whether a run came to its end, and only a judgement was missing."""
    ends = [event.decision for event in happened if isinstance(event, events.RunCompleted)]
    return bool(ends) and ends[-1].unjudged


def lasted(records: Sequence[Record]) -> float:
    """Seconds that a run was under way: each process's own, not what lies between two of them."""
    total = 0.0
    for segment in dict.fromkeys(record.segment for record in records):
        times = [datetime.fromisoformat(record.at) for record in records if record.segment == segment]
        total += (max(times) - min(times)).total_seconds()
    return total
