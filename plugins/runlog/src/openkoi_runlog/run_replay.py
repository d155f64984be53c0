"""Replay from the log what a run did before it was interrupted, so that resuming it repeats no model or tool call.

Each recorded event is returned once, at the same point, instead of repeating the action: no call is paid for twice,
and no effect is repeated. When no event is left, the run continues from there. A new run has no recorded events.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
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
from openkoi_hookspecs.lazy_dataclass import dataclass

from .fork import find_run_tree
from .replayable import drop_unapproved, drop_unjudged
from .run_views import build_view

E = TypeVar("E", bound=Event)

RESULT_UNKNOWN = (
    "OpenKoi was interrupted during this call, so it may or may not have taken effect. "
    "Check the current state before you repeat it."
)
REPLAYED_EVENTS = (
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
VERDICT_EVENTS = (events.ExecutionFinished, events.EvaluationFinished, events.DecisionMade)
CLOSING_EVENTS = (*VERDICT_EVENTS, events.RequestClassified)
REPEATED_EVENTS = (events.TaskStarted, events.HistoryCompacted, events.InnerLoopEnded, events.IterationFinished)


def accept_any(event: Event) -> bool:
    """Return True."""
    return True


@dataclass(slots=True)
class RunReplay:
    """The recorded events of a resumed run that are not replayed yet, and facts computed from all of them.

    ``origin`` is the workspace before its first change, ``seconds`` how long it took.
    ``baselines`` are the results of checks then, by evaluator; ``called``: a tool was called after that.

    ``rejudge``: it ended, and only a judgement was missing.

    ``approved`` are the paths that the user has let its commands change, ``advice`` what the user wanted after an
    iteration, by its number.

    ``paid`` is what it and its parts have paid for, ``iteration_cost`` what its iterations have cost. ``lost`` are
    requests without a response, by run.
    """

    left: list[Event] = field(default_factory=list)
    written: Counter[type[Event]] = field(default_factory=Counter)
    origin: str = ""
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    called: bool = False
    seconds: float = 0.0
    paid: Sequence[events.Paid] = ()
    lost: Sequence[tuple[str, events.ModelResponseBroken]] = ()
    iteration_cost: Cost = Cost()
    rejudge: bool = False
    approved: frozenset[str] = frozenset()
    advice: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        """Whether recorded events are left; plugins' calls are not counted, since they may not be made again."""
        return not all(getattr(event, "by_plugin", False) for event in self.left)

    @property
    def remaining_usd(self) -> float:
        """The dollars that were paid for the events that are not replayed yet."""
        return sum(event.usd for event in self.left if isinstance(event, events.ModelResponse))

    @property
    def next_decision(self) -> events.DecisionMade | None:
        """The next recorded decision; None if there is none."""
        return next((event for event in self.left if isinstance(event, events.DecisionMade)), None)

    @property
    def awaiting_verdict(self) -> ExecutionResult | None:
        """The last work, if it only remains to be judged."""
        ends = (*VERDICT_EVENTS, events.MessageAdded)
        last = next((event for event in reversed(self.left) if isinstance(event, ends)), None)
        return last.work if isinstance(last, events.ExecutionFinished) else None

    def pop_response(self, request: Request) -> events.ModelResponse | None:
        """Return the response to a request that was made before."""
        role, length = request.model, len(request.messages)
        return self.pop_event(events.ModelResponse, lambda known: known.role == role and known.messages in (0, length))

    def pop_event(self, kind: type[E], fits: Callable[[E], bool] = accept_any) -> E | None:
        """Return the next matching event of a kind; an event that ends a phase discards all before it."""
        for place, event in enumerate(self.left):
            if isinstance(event, kind) and fits(event):
                self.left = (
                    self.left[place + 1 :] if kind in CLOSING_EVENTS else [*self.left[:place], *self.left[place + 1 :]]
                )
                return event
        return None

    def pop_messages(self, role: str) -> list[events.MessageAdded]:
        """Return the user's messages before the next response to this role, and remove them."""
        messages: list[events.MessageAdded] = []
        for event in self.left:
            if isinstance(event, events.ModelResponse) and event.role == role:
                break
            if isinstance(event, events.MessageAdded) and event.from_user:
                messages.append(event)
        self.left = [event for event in self.left if not any(event is one for one in messages)]
        return messages

    def pop_result(self, call: ToolCall, *, repeatable: bool) -> ToolResult | None:
        """Return a call's result, or that it is unknown; None if the call was never started."""
        begun = next((event for event in self.left if is_call(event, call)), None)
        if begun:
            self.left.remove(begun)
        for event in self.left:
            if isinstance(event, events.ToolCallFinished) and event.result.call == call.id:
                self.left.remove(event)
                return event.result
        return ToolResult(RESULT_UNKNOWN, failed=True, call=call.id) if begun and not repeatable else None

    def after_work(self) -> Event | None:
        """Return what followed a finished execution: a classification or a decision."""
        ends = (
            events.RequestClassified,
            events.EvaluationFinished,
            events.IterationFinished,
            events.DecisionMade,
            events.MessageAdded,
        )
        return next((event for event in self.left if isinstance(event, ends)), None)

    def skips_evaluation(self) -> bool:
        """Return whether the iteration ended without an evaluation."""
        ends = (events.EvaluationFinished, events.IterationFinished, events.MessageAdded)
        return isinstance(
            next((event for event in self.left if isinstance(event, ends)), None), events.IterationFinished
        )

    def without_covered(self, happened: Sequence[Event]) -> Sequence[Event]:
        """Return the events that are not in the log yet."""
        if not (self.written or self.left):
            return happened
        return [event for event in happened if not self.covers(event)]

    def covers(self, event: Event) -> bool:
        """Whether an event is already in the log; an event that is only live is not repeated."""
        if isinstance(event, events.ModelRequest):
            return False
        if self.written[type(event)] > 0:
            self.written[type(event)] -= 1
            if isinstance(event, events.IterationFinished):
                self.pop_event(events.IterationFinished)
            return True
        return self.is_active and not event.durable


def is_call(event: Event, call: ToolCall) -> bool:
    return isinstance(event, events.ToolCallStarted) and event.call.id == call.id


def build_replay(records: Sequence[Record], run: str) -> RunReplay:
    """Return the replay of a run."""
    if not records:
        return RunReplay()
    whole = [*drop_unapproved(record for record in records if record.run == run)]
    own = [*drop_unjudged(whole)]
    happened = [record.event for record in own]
    view = build_view(own, run)
    baselines = {
        event.baseline.evaluator: event.baseline for event in happened if isinstance(event, events.ChecksBaseline)
    }
    again = (*REPEATED_EVENTS, events.RunCompleted, events.UsageRecorded) if is_over(happened) else REPEATED_EVENTS
    written: Counter[type[Event]] = Counter(type(event) for event in happened if isinstance(event, again))
    members = find_run_tree(records, run)
    everything = [record for record in records if record.run in members]
    lost = list(find_lost_requests(everything))
    paid = [record.event for record in everything if isinstance(record.event, events.Paid)] + [
        event for _, event in lost
    ]
    replayed: list[Event] = [event for event in happened if isinstance(event, REPLAYED_EVENTS)]
    costs = [event.cost for event in happened if isinstance(event, events.IterationFinished)]
    called = called_tool_after_baseline(happened)
    rejudge = ended_unjudged([record.event for record in whole])
    iteration_cost, approved = sum(costs, Cost()), frozenset(approved_paths(happened))
    advice = {one.number: one.advice for one in view.ended_iterations if one.advice}
    return RunReplay(
        replayed,
        written,
        view.checkpoints.origin,
        baselines,
        called,
        running_seconds(own),
        paid,
        lost,
        iteration_cost,
        rejudge,
        approved,
        advice,
    )


def approved_paths(happened: Iterable[Event]) -> Iterator[str]:
    """Yield the paths that the user allowed commands to change."""
    for event in happened:
        if isinstance(event, events.PathsApproved):
            yield from event.paths


def called_tool_after_baseline(happened: Sequence[Event]) -> bool:
    """Whether a tool was called after the workspace was saved."""
    kept = next(
        (place for place, event in enumerate(happened) if isinstance(event, events.BaselineSaved)), len(happened)
    )
    return any(isinstance(event, events.ToolCallStarted) for event in happened[kept:])


def find_lost_requests(records: Iterable[Record]) -> Iterator[tuple[str, events.ModelResponseBroken]]:
    """Yield requests without a response as broken responses, by run."""
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


def is_over(happened: Iterable[Event]) -> bool:
    """Return whether the run ended and does not wait for the user."""
    ends = [event.decision.action for event in happened if isinstance(event, events.RunCompleted)]
    return bool(ends) and ends[-1] is not NextAction.ESCALATE


def ended_unjudged(happened: Iterable[Event]) -> bool:
    """Whether a run ended and lacks only a judgement."""
    ends = [event.decision for event in happened if isinstance(event, events.RunCompleted)]
    return bool(ends) and ends[-1].unjudged


def running_seconds(records: Sequence[Record]) -> float:
    """Return how long a run was active, without the time between its processes."""
    total = 0.0
    for segment in dict.fromkeys(record.segment for record in records):
        times = [datetime.fromisoformat(record.at) for record in records if record.segment == segment]
        total += (max(times) - min(times)).total_seconds()
    return total
