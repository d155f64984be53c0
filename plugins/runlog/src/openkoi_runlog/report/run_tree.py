"""Build a run's tree: its iterations, their cycles, and the events in each.

Works on incomplete logs too: those of killed runs, and those with missing lines.
"""

from collections.abc import Iterable
from dataclasses import field
from typing import TypeAlias

from openkoi_hookspecs import Record, ToolCall, ToolResult, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import IterationView, RunView

from .charges import RunCharges, cost_of
from .costs import NO_COST, Costs, ModelCost, Phase, sum_charges


@dataclass(slots=True)
class CycleToolCall:
    """A tool call. Without a result it may have run if it was started, and did not run if it was not."""

    call: ToolCall
    progress_text: str = ""
    started: bool = False
    result: ToolResult | None = None


@dataclass(slots=True)
class CycleQuestion:
    """A question to the user, and the answer."""

    id: str
    text: str
    replied: bool = False
    answer: str | None = None


@dataclass(slots=True)
class Cycle:
    """A turn of the inner loop: the model's text, and what followed; ``answered`` once the model responded."""

    number: int
    text: str = ""
    answered: bool = False
    charge: int = 0
    cost: ModelCost = NO_COST
    items: "list[CycleItem]" = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether neither a response nor an event was recorded."""
        return not (self.answered or self.items)


@dataclass(slots=True)
class IterationAttempt:
    """One attempt at an iteration: its cycles, and the iteration's state at the end of the attempt.

    ``other_cost`` was paid outside of the cycles, mostly for judges.
    """

    number: int
    cycles: list[Cycle] = field(default_factory=list)
    items: "list[CycleItem]" = field(default_factory=list)
    other_cost: ModelCost = NO_COST
    iteration: IterationView = field(default_factory=IterationView)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was recorded for it."""
        outcome = self.iteration.terminated_by or self.iteration.evaluation or self.iteration.decision
        return not (self.cycles or self.items or outcome)


@dataclass(slots=True)
class CycleTree:
    """The tree of a run or a sub-task, in the order of its events."""

    run: str
    view: RunView = field(default_factory=RunView)
    attempts: list[IterationAttempt] = field(default_factory=lambda: [IterationAttempt(0)])
    cycle: Cycle | None = None
    charges: RunCharges = field(default_factory=RunCharges)

    @property
    def task(self) -> str:
        """The text of the task."""
        return self.view.task.text

    @property
    def outcome(self) -> str:
        """The run's decision and its reason; empty until it ends."""
        return f"{self.view.decision}: {self.view.reason}" if self.view.decision else ""

    @property
    def costs(self) -> Costs:
        """The costs, those of sub-tasks included."""
        return sum_charges(self.charges.charges)

    @property
    def current_items(self) -> "list[CycleItem]":
        """The list that the next item belongs to: the current cycle's, else the iteration's."""
        return self.cycle.items if self.cycle else self.attempts[-1].items

    def add_event(self, record: Record) -> None:
        """Add an event of this run."""
        self.charges.observe(record.event)
        self.view.take(record)
        self.attempts[-1].iteration = self.view.current
        match record.event:
            case events.CycleStarted(cycle=number):
                self.start_cycle(number)
            case events.ModelResponse() as answered:
                self.add_response(answered)
            case events.ToolCallStarted(call=call, progress_text=doing):
                tool_call = self.find_call(call)
                tool_call.started, tool_call.progress_text = True, doing
            case events.ToolCallFinished(result=result):
                self.find_call(ToolCall(result.call, result.call, {})).result = result
            case events.QuestionAsked(id=id, text=text):
                self.find_question(id, text)
            case events.QuestionAnswered(id=id, answer=answer):
                question = self.find_question(id)
                question.replied, question.answer = True, answer
            case events.HistoryCompacted() as compacted:
                self.add_compaction(compacted)
            case events.ExecutionFinished():
                self.cycle = None
            case events.IterationFinished(iteration=number):
                self.attempts[-1].number = number
            case events.DecisionMade(iteration=number):
                self.end_attempt(number)

    def end_attempt(self, number: int) -> None:
        """End the current iteration; further events belong to the next one."""
        now = self.attempts[-1]
        now.number, now.iteration, self.cycle = number, self.view.known[number], None
        self.attempts.append(IterationAttempt(number + 1))

    def start_cycle(self, number: int) -> None:
        """Start a cycle, or restart it after an interruption."""
        cycles = self.attempts[-1].cycles
        if cycles and cycles[-1].is_empty:
            cycles.pop()
        self.cycle = Cycle(number)
        cycles.append(self.cycle)

    def add_response(self, answered: events.ModelResponse) -> None:
        """Add a response: the first in a cycle is the model's turn, others count as other costs."""
        cycle = self.cycle
        if cycle is None or cycle.answered:
            self.add_other_cost(cost_of(answered))
            return
        cycle.answered, cycle.text, cycle.charge = True, answered.response.text, len(self.charges.charges) - 1
        cycle.cost += cost_of(answered)
        cycle.items += [CycleToolCall(call) for call in answered.response.calls]

    def add_other_cost(self, cost: ModelCost) -> None:
        """Add a cost that is not a turn of the model."""
        if self.cycle:
            self.cycle.cost += cost
        else:
            self.attempts[-1].other_cost += cost

    def find_call(self, call: ToolCall) -> CycleToolCall:
        """Return the last call of that id without a result, or a new one."""
        calls = (item for item in reversed(self.current_items) if isinstance(item, CycleToolCall))
        found = next((item for item in calls if item.result is None and item.call.id == call.id), None)
        if found is None:
            found = CycleToolCall(call)
            self.current_items.append(found)
        return found

    def find_question(self, question_id: str, text: str = "") -> CycleQuestion:
        """Return the unanswered question of that id, or a new one."""
        waiting = (one for one in self.current_items if isinstance(one, CycleQuestion) and not one.replied)
        found = next((one for one in waiting if one.id == question_id), None)
        if found is None:
            found = CycleQuestion(question_id, text)
            self.current_items.append(found)
        return found

    def add_compaction(self, compacted: events.HistoryCompacted) -> None:
        """Record a compaction; responses requested for it are not the model's turn."""
        cycle = self.cycle
        if cycle and cycle.answered and self.charges.charges[cycle.charge].phase is Phase.COMPACTION:
            cycle.answered, cycle.text = False, ""
        self.current_items.append(compacted)


CycleItem: TypeAlias = CycleToolCall | CycleQuestion | events.HistoryCompacted | CycleTree


@dataclass(slots=True)
class CycleTreeBuilder:
    """Builds the trees of one run and its sub-tasks."""

    run: str = ""
    trees: dict[str, CycleTree] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)

    def add_record(self, record: Record) -> None:
        """Add the next record."""
        event = record.event
        if isinstance(event, events.TaskStarted) and record.run not in self.trees:
            self.add_run(record.run, event)
        if isinstance(event, events.Paid):
            self.add_charge(record, event)
        if tree := self.trees.get(record.run):
            tree.add_event(record)

    def add_run(self, run: str, started: events.TaskStarted) -> None:
        """Start the tree of a run, if it is the wanted one or a sub-task of it."""
        parent = self.trees.get(started.task.parent)
        if self.run in ("", run):
            self.run = run
        elif parent is None:
            return
        self.trees[run] = CycleTree(run)
        if parent is not None:
            self.parents[run] = parent.run
            parent.current_items.append(self.trees[run])

    def add_charge(self, record: Record, paid: events.Paid) -> None:
        """Charge a call to its run and to all runs above it."""
        run = record.run
        while run in self.trees:
            self.trees[run].charges.add_charge(record.at, paid, own=run == record.run)
            run = self.parents.get(run, "")


def build_cycle_tree(records: Iterable[Record], run: str = "") -> CycleTree:
    """Build the tree of the given run, or of the first one in the records."""
    trees = CycleTreeBuilder(run)
    for record in records:
        trees.add_record(record)
    return trees.trees.get(trees.run, CycleTree(run))
