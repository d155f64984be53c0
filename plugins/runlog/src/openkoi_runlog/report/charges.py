"""Assign each model call to the phase it was made in, from the order of a run's events.

A compactor calls the executor's model in the middle of its work: only the compaction event that follows shows that
the calls before it were not the executor's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Self

from openkoi_hookspecs import Event, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .costs import ModelCharge, ModelCost, Phase

PHASE_AFTER: Mapping[type[Event], Phase] = {
    events.TaskStarted: Phase.RECALL,
    events.RecallFinished: Phase.PLAN,
    **dict.fromkeys(
        (events.PlanReady, events.MessageAdded, events.CycleStarted, events.ToolCallStarted, events.ToolCallFinished),
        Phase.EXECUTE,
    ),
    events.ExecutionFinished: Phase.EVALUATE,
    **dict.fromkeys((events.EvaluationFinished, events.IterationFinished, events.DecisionMade), Phase.DECIDE),
    events.RunCompleted: Phase.LEARN,
}
STEP_EVENTS = (
    *(
        events.MessageAdded,
        events.CycleStarted,
        events.ToolCallStarted,
        events.ToolCallFinished,
        events.ToolResultsReady,
    ),
    *(events.InnerLoopEnded, events.ExecutionFinished),
)
LARGE_EVENTS = (events.MessageAdded, events.ToolCallStarted, events.ToolCallFinished)
CHARGE_EVENTS = (
    *(kind for kind in PHASE_AFTER if kind not in LARGE_EVENTS),
    *(
        events.ToolResultsReady,
        events.InnerLoopEnded,
        events.HistoryCompacted,
        events.ModelResponse,
        events.ModelResponseBroken,
        events.RunForked,
    ),
)


@dataclass(slots=True)
class RunCharges:
    """The charges of one run in order; calls of sub-tasks are charged to the phase that it is in."""

    charges: list[ModelCharge] = field(default_factory=list)
    phase: Phase = Phase.RECALL
    undecided: list[int] = field(default_factory=list)
    expects_turn: bool = False

    def observe(self, event: Event) -> None:
        """Update the phase for an event of this run, unless a plugin caused it."""
        if getattr(event, "by_plugin", False):
            return
        self.phase = PHASE_AFTER.get(type(event), self.phase)
        if isinstance(event, STEP_EVENTS):
            self.undecided.clear()
        if isinstance(event, events.HistoryCompacted):
            self.mark_compaction()
        self.expects_turn = self.expects_turn or isinstance(event, (events.CycleStarted, events.HistoryCompacted))

    def add_charge(self, at: str, paid: events.Paid, *, own: bool) -> None:
        """Add a call; its phase is undecided if it is this run's own and may not be the model's turn."""
        if own and self.phase is Phase.EXECUTE:
            if not (self.expects_turn and (isinstance(paid, events.ModelResponseBroken) or paid.messages > 1)):
                self.undecided.append(len(self.charges))
            self.expects_turn = False
        self.charges.append(ModelCharge(at, paid.model, self.phase, cost_of(paid)))

    def mark_compaction(self) -> None:
        """Assign the undecided calls to compaction."""
        for place in self.undecided:
            self.charges[place] = replace(self.charges[place], phase=Phase.COMPACTION)
        self.undecided.clear()


def cost_of(paid: events.Paid) -> ModelCost:
    """Return the cost of one call."""
    return ModelCost(paid.usd, paid.usage, 1)


@dataclass(slots=True)
class ForkCopies:
    """Finds the records that a fork copied from another task, by the segment that contains them."""

    open: dict[str, tuple[str, int]] = field(default_factory=dict)

    def contains(self, record: Record) -> bool:
        """Return whether the next record is a copy."""
        event = record.event
        if isinstance(event, events.RunForked):
            self.open[record.segment] = (record.run, event.at)
        if record.segment not in self.open:
            return False
        run, at = self.open[record.segment]
        if record.run == run and ends_copy(event, at):
            del self.open[record.segment]
        return True


@dataclass(slots=True)
class LogCharges:
    """The charges of all tasks in a log, and when these started; records that a fork copied are not charged again."""

    by_task: dict[str, RunCharges] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    root_tasks: dict[str, str] = field(default_factory=dict)
    copies: ForkCopies = field(default_factory=ForkCopies)

    @property
    def charges(self) -> list[ModelCharge]:
        """Every paid call, ordered by task."""
        return [charge for ledger in self.by_task.values() for charge in ledger.charges]

    def add_records(self, records: Iterable[Record]) -> Self:
        """Add records in their order."""
        for record in records:
            self.add_record(record)
        return self

    def add_record(self, record: Record) -> None:
        """Add the next record."""
        event, task = record.event, self.find_task(record)
        ledger = self.by_task.setdefault(task, RunCharges())
        copied = self.copies.contains(record)
        if isinstance(event, events.Paid) and not copied:
            ledger.add_charge(record.at, event, own=record.run == task)
        if record.run == task:
            ledger.observe(event)

    def find_task(self, record: Record) -> str:
        """Return the top-level task of a run."""
        if isinstance(record.event, events.TaskStarted) and record.run not in self.root_tasks:
            parent = record.event.task.parent
            self.root_tasks[record.run] = self.root_tasks.get(parent, parent) or record.run
            if not parent:
                self.begun.append(record.at)
        return self.root_tasks.get(record.run, record.run)


def ends_copy(event: Event, at: int) -> bool:
    """Return whether a fork's copied records end with this event, for a fork at this iteration."""
    if at <= 0:
        return isinstance(event, events.PlanReady)
    return isinstance(event, events.DecisionMade) and event.iteration == at - 1


def collect_charges(records: Iterable[Record]) -> list[ModelCharge]:
    """Return every paid call of all tasks, ordered by task."""
    return LogCharges().add_records(records).charges
