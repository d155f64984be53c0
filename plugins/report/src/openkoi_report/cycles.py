"""A run as a tree: its iterations, the cycles of each, and what happened in those. Pure; knows events and their order.

It is read from whatever records there are: of a run that was killed as well, and with lines missing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from openkoi_hookspecs import Record, ToolCall, ToolResult, events
from openkoi_runlog import IterationView, RunView

from .costs import NOTHING, Costs, ModelCost, Phase, costs_of
from .ledger import RunCharges, cost_of


@dataclass(slots=True)
class Called:
    """A call of a tool. One that was begun and has no result may have happened; one that was not begun has not."""

    call: ToolCall
    doing: str = ""
    begun: bool = False
    result: ToolResult | None = None


@dataclass(slots=True)
class Questioned:
    """What a person was asked, and said."""

    id: str
    text: str
    replied: bool = False
    answer: str | None = None


@dataclass(slots=True)
class Cycle:
    """One turn of the inner loop: what the model said, and what came of it. ``heard`` tells whether it answered."""

    number: int
    text: str = ""
    heard: bool = False
    charge: int = 0
    cost: ModelCost = NOTHING
    happened: "list[Happening]" = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether nothing came of it."""
        return not (self.heard or self.happened)


@dataclass(slots=True)
class Round:
    """One attempt at an iteration: its cycles, and the iteration as far as this attempt came.

    ``aside`` is what was paid beside the cycles: for judges, above all.
    """

    number: int
    cycles: list[Cycle] = field(default_factory=list)
    happened: "list[Happening]" = field(default_factory=list)
    aside: ModelCost = NOTHING
    iteration: IterationView = field(default_factory=IterationView)

    @property
    def is_empty(self) -> bool:
        """Whether it never began."""
        outcome = self.iteration.terminated_by or self.iteration.evaluation or self.iteration.decision
        return not (self.cycles or self.happened or outcome)


@dataclass(slots=True)
class CycleTree:
    """A run, or a part of one, in the order in which it happened."""

    run: str
    view: RunView = field(default_factory=RunView)
    rounds: list[Round] = field(default_factory=lambda: [Round(0)])
    cycle: Cycle | None = None
    ledger: RunCharges = field(default_factory=RunCharges)

    @property
    def task(self) -> str:
        """The text of the task."""
        return self.view.task.text

    @property
    def ended(self) -> str:
        """How the run ended and why; empty while it has not."""
        return f"{self.view.decision}: {self.view.reason}" if self.view.decision else ""

    @property
    def costs(self) -> Costs:
        """What it cost, its parts among it."""
        return costs_of(self.ledger.charges)

    @property
    def happened(self) -> "list[Happening]":
        """Where the next thing belongs: the cycle that is under way, else the iteration."""
        return self.cycle.happened if self.cycle else self.rounds[-1].happened

    def note(self, record: Record) -> None:
        """Take an event of the run's own."""
        self.ledger.note(record.event)
        self.view.take(record)
        self.rounds[-1].iteration = self.view.current
        match record.event:
            case events.CycleStarted(cycle=number):
                self.turn(number)
            case events.ModelResponse() as answered:
                self.heard(answered)
            case events.ToolCallStarted(call=call, progress_text=doing):
                self.begin(self.find_call(call), doing)
            case events.ToolCallFinished(result=result):
                self.find_call(ToolCall(result.call, result.call, {})).result = result
            case events.QuestionAsked(id=id, text=text):
                self.asked(id, text)
            case events.QuestionAnswered(id=id, answer=answer):
                self.replied(self.asked(id), answer)
            case events.HistoryCompacted() as compressed:
                self.shortened(compressed)
            case events.ExecutionFinished():
                self.cycle = None
            case events.IterationFinished(iteration=number):
                self.rounds[-1].number = number
            case events.DecisionMade(iteration=number):
                self.close_round(number)

    def close_round(self, number: int) -> None:
        """End the iteration that is under way; what follows is the next one."""
        now = self.rounds[-1]
        now.number, now.iteration, self.cycle = number, self.view.known[number], None
        self.rounds.append(Round(number + 1))

    def turn(self, number: int) -> None:
        """A cycle begins, or begins again after an interruption."""
        cycles = self.rounds[-1].cycles
        if cycles and cycles[-1].empty:
            cycles.pop()
        self.cycle = Cycle(number)
        cycles.append(self.cycle)

    def heard(self, answered: events.ModelResponse) -> None:
        """Add a response of the model: the first in a cycle is its turn, others are billed separately."""
        cycle = self.cycle
        if cycle is None or cycle.heard:
            self.pay_aside(cost_of(answered))
            return
        cycle.heard, cycle.text, cycle.charge = True, answered.response.text, len(self.ledger.charges) - 1
        cycle.cost += cost_of(answered)
        cycle.happened += [Called(call) for call in answered.response.calls]

    def pay_aside(self, cost: ModelCost) -> None:
        """Record a cost that is not a turn of the model."""
        if self.cycle:
            self.cycle.cost += cost
        else:
            self.rounds[-1].aside += cost

    def find_call(self, call: ToolCall) -> Called:
        """Return the last call of that id without a result, or a new one."""
        waiting = (one for one in reversed(self.happened) if isinstance(one, Called) and one.result is None)
        found = next((one for one in waiting if one.call.id == call.id), None)
        if found is None:
            found = Called(call)
            self.happened.append(found)
        return found

    def begin(self, called: Called, doing: str) -> None:
        called.begun, called.doing = True, doing

    def asked(self, id: str, text: str = "") -> Questioned:
        """Return the question of that id without a reply, or a new one."""
        waiting = (one for one in self.happened if isinstance(one, Questioned) and not one.replied)
        found = next((one for one in waiting if one.id == id), None)
        if found is None:
            found = Questioned(id, text)
            self.happened.append(found)
        return found

    def replied(self, question: Questioned, answer: str | None) -> None:
        question.replied, question.answer = True, answer

    def shortened(self, compressed: events.HistoryCompacted) -> None:
        """Record a compaction; the responses requested for it were not the model's turn."""
        cycle = self.cycle
        if cycle and cycle.heard and self.ledger.charges[cycle.charge].phase is Phase.COMPACTION:
            cycle.heard, cycle.text = False, ""
        self.happened.append(compressed)


Happening: TypeAlias = Called | Questioned | events.HistoryCompacted | CycleTree


@dataclass(slots=True)
class Trees:
    """The trees of one run and its parts, by run."""

    run: str = ""
    trees: dict[str, CycleTree] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """Take the next record."""
        event = record.event
        if isinstance(event, events.TaskStarted) and record.run not in self.trees:
            self.begin(record.run, event)
        if isinstance(event, events.Paid):
            self.pay(record, event)
        if tree := self.trees.get(record.run):
            tree.note(record)

    def begin(self, run: str, started: events.TaskStarted) -> None:
        """A run begins, if it is the one or a part of it."""
        parent = self.trees.get(started.task.parent)
        if self.run in ("", run):
            self.run = run
        elif parent is None:
            return
        self.trees[run] = CycleTree(run)
        if parent is not None:
            self.above[run] = parent.run
            parent.happened.append(self.trees[run])

    def pay(self, record: Record, paid: events.Paid) -> None:
        """Charge a call to its run, and to all that it is a part of."""
        run = record.run
        while run in self.trees:
            self.trees[run].ledger.pay(record.at, paid, own=run == record.run)
            run = self.above.get(run, "")


def cycles_of(records: Iterable[Record], run: str = "") -> CycleTree:
    """The tree of one run: the one named, else the first that began."""
    trees = Trees(run)
    for record in records:
        trees.take(record)
    return trees.trees.get(trees.run, CycleTree(run))
