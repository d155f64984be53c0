"""Which phase each call of a model was made in, told by the order of a run's events. Knows events; knows no file.

What a compactor asks is asked in the middle of the work, as the one who works: only when the conversation is told to
have become shorter is it known that the calls before it were no part of the work.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from openkoi_hookspecs import Event, Record, events

from .costs import ModelCharge, ModelCost, Phase

BEGINS: Mapping[type[Event], Phase] = {
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
STEPS = (
    *(
        events.MessageAdded,
        events.CycleStarted,
        events.ToolCallStarted,
        events.ToolCallFinished,
        events.ToolResultsReady,
    ),
    *(events.InnerLoopEnded, events.ExecutionFinished),
)
BULKY = (events.MessageAdded, events.ToolCallStarted, events.ToolCallFinished)
TOLD = (
    *(kind for kind in BEGINS if kind not in BULKY),
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
    """The charges of one run, as they come. Calls of its parts are charged to the phase that it is in."""

    charges: list[ModelCharge] = field(default_factory=list)
    phase: Phase = Phase.RECALL
    doubtful: list[int] = field(default_factory=list)
    turns: bool = False

    def note(self, event: Event) -> None:
        """Take an event of the run's own: what comes after it may be another phase. Plugins call tools in any."""
        if getattr(event, "by_plugin", False):
            return
        self.phase = BEGINS.get(type(event), self.phase)
        if isinstance(event, STEPS):
            self.doubtful.clear()
        if isinstance(event, events.HistoryCompacted):
            self.summed_up()
        self.turns = self.turns or isinstance(event, (events.CycleStarted, events.HistoryCompacted))

    def pay(self, at: str, paid: events.Paid, *, own: bool) -> None:
        """Put down a call; it is doubtful what for when it is the run's own and not the model's turn in a cycle."""
        if own and self.phase is Phase.EXECUTE:
            if not (self.turns and (isinstance(paid, events.ModelResponseBroken) or paid.messages > 1)):
                self.doubtful.append(len(self.charges))
            self.turns = False
        self.charges.append(ModelCharge(at, paid.model, self.phase, cost_of(paid)))

    def summed_up(self) -> None:
        """The calls in doubt were made to make the conversation shorter."""
        for place in self.doubtful:
            self.charges[place] = replace(self.charges[place], phase=Phase.COMPACTION)
        self.doubtful.clear()


def cost_of(paid: events.Paid) -> ModelCost:
    """What one call cost."""
    return ModelCost(paid.usd, paid.usage, 1)


@dataclass(slots=True)
class Copies:
    """Which records a fork wrote down again of another task's past, by the segments they stand in."""

    open: dict[str, tuple[str, int]] = field(default_factory=dict)

    def has(self, record: Record) -> bool:
        """Whether the next record is one of them."""
        event = record.event
        if isinstance(event, events.RunForked):
            self.open[record.segment] = (record.run, event.at)
        if record.segment not in self.open:
            return False
        run, at = self.open[record.segment]
        if record.run == run and closes(event, at):
            del self.open[record.segment]
        return True


@dataclass(slots=True)
class Books:
    """The charges of all tasks in a log. What a fork wrote down again of another task's past was paid there."""

    ledgers: dict[str, RunCharges] = field(default_factory=dict)
    whole: dict[str, str] = field(default_factory=dict)
    copies: Copies = field(default_factory=Copies)

    def take(self, record: Record) -> None:
        """Take the next record."""
        event, task = record.event, self.task_of(record)
        ledger = self.ledgers.setdefault(task, RunCharges())
        copied = self.copies.has(record)
        if isinstance(event, events.Paid) and not copied:
            ledger.pay(record.at, event, own=record.run == task)
        if record.run == task:
            ledger.note(event)

    def task_of(self, record: Record) -> str:
        """The task that a run is, or is a part of."""
        if isinstance(record.event, events.TaskStarted) and record.run not in self.whole:
            parent = record.event.task.parent
            self.whole[record.run] = self.whole.get(parent, parent) or record.run
        return self.whole.get(record.run, record.run)


def closes(event: Event, at: int) -> bool:
    """Whether the past that a fork at this iteration began with ends here."""
    if at <= 0:
        return isinstance(event, events.PlanReady)
    return isinstance(event, events.DecisionMade) and event.iteration == at - 1


def charges_of(records: Iterable[Record]) -> list[ModelCharge]:
    """Every call that was paid for, of whichever task, in the order of the tasks."""
    books = Books()
    for record in records:
        books.take(record)
    return [charge for ledger in books.ledgers.values() for charge in ledger.charges]
