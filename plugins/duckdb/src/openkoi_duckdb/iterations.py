"""A run's records read as iterations: what each made, cost, scored, found and led to. Knows no tables."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from openkoi_hookspecs import Decision, Evaluation, Record, Ruling, Usage, Work
from openkoi_hookspecs.events import Answered, Decided, Evaluated, Iterated, Planned, RunCompleted, Worked


class Phase(StrEnum):
    """How far an iteration came. What is learned is learned after the last one."""

    PLAN = "plan"
    EXECUTE = "execute"
    EVALUATE = "evaluate"
    COMPLETE = "complete"
    ABORT = "abort"


@dataclass(frozen=True, slots=True)
class Turn:
    """An iteration. ``usage`` is what was asked of models since the one before; without ``seconds`` it did not end."""

    iteration: int
    moment: str
    phase: Phase
    usage: Usage = Usage()
    work: Work | None = None
    evaluation: Evaluation | None = None
    score: float | None = None
    seconds: float | None = None
    decision: str = ""

    @property
    def ended(self) -> bool:
        """Whether it came to its end."""
        return self.seconds is not None


@dataclass(slots=True)
class Reading:
    """What was read so far, and what is known of the iteration that is under way: if one is, when it last moved.

    What is asked after a result is out is no iteration, until it is seen that the run was gone on with.
    """

    made: dict[int, Turn] = field(default_factory=dict)
    phase: Phase = Phase.PLAN
    moment: str = ""
    over: bool = False
    usage: Usage = Usage()
    work: Work | None = None
    evaluation: Evaluation | None = None

    def take(self, record: Record) -> None:
        """Take the next record."""
        match record.event:
            case Planned():
                self.phase = Phase.EXECUTE
            case Answered(reply=reply):
                self.usage += reply.done.usage
                self.moment = "" if self.over else record.at
            case Worked(work=work):
                self.work, self.phase = work, Phase.EVALUATE
                self.moment, self.over = record.at, False
            case Evaluated(evaluation=evaluation):
                self.evaluation = evaluation
            case Iterated(iteration=number, score=score, spent=spent):
                self.keep(replace(self.under_way(record.at, number), score=score, seconds=spent.seconds))
            case Decided(iteration=number, ruling=ruling) if number in self.made:
                self.made[number] = replace(self.made[number], decision=ruling.decision, phase=phase_after(ruling))
            case RunCompleted():
                self.moment, self.over = "", True

    def under_way(self, moment: str, number: int) -> Turn:
        """What is known of an iteration; one that was resumed is paid for as a whole."""
        before = self.made.get(number)
        usage, work = (before.usage + self.usage, self.work or before.work) if before else (self.usage, self.work)
        return Turn(number, moment, self.phase, usage, work, self.evaluation)

    def keep(self, turn: Turn) -> None:
        """An iteration is over, and another may begin."""
        self.made[turn.iteration] = turn
        self.phase, self.moment = Phase.EXECUTE, ""
        self.usage, self.work, self.evaluation = Usage(), None, None

    @property
    def turns(self) -> list[Turn]:
        """All iterations, in their order; last the one that did not come to its end, if there is one."""
        made = dict(self.made)
        if self.moment:
            number = self.next_number
            made[number] = self.under_way(self.moment, number)
        return [made[number] for number in sorted(made)]

    @property
    def next_number(self) -> int:
        """The iteration that is under way: the last one goes on when it had waited for a person."""
        last = max(self.made, default=-1)
        waited = last in self.made and self.made[last].decision == Decision.ESCALATE
        return last if waited else last + 1


def phase_after(ruling: Ruling) -> Phase:
    """An iteration that was decided about is complete, unless the task was broken off there."""
    return Phase.ABORT if ruling.decision.value.startswith("abort") else Phase.COMPLETE


def turns(records: Iterable[Record]) -> list[Turn]:
    """Read records, oldest first."""
    reading = Reading()
    for record in records:
        reading.take(record)
    return reading.turns
