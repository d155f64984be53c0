"""A run's records read as iterations: what each cost, scored, found and led to. Knows no tables."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from openkoi_hookspecs import Evaluation, Record, Usage
from openkoi_hookspecs.events import Answered, Decided, Evaluated, Iterated


@dataclass(frozen=True, slots=True)
class Turn:
    """An iteration. ``usage`` is what was asked of models since the one before."""

    event: Iterated
    moment: str
    usage: Usage
    evaluation: Evaluation | None
    decision: str = ""


def turns(records: Iterable[Record]) -> list[Turn]:
    """Read records, oldest first; an iteration that did not come to its end is not told."""
    made: dict[int, Turn] = {}
    decisions: dict[int, str] = {}
    usage = Usage()
    evaluation: Evaluation | None = None
    for record in records:
        match record.event:
            case Answered(reply=reply):
                usage = added(usage, reply.done.usage)
            case Evaluated() as judged:
                evaluation = judged.evaluation
            case Decided(iteration=number, ruling=ruling):
                decisions[number] = ruling.decision
            case Iterated() as event:
                made[event.iteration] = Turn(event, record.at, usage, evaluation)
                usage, evaluation = Usage(), None
    return [replace(made[number], decision=decisions.get(number, "")) for number in sorted(made)]


def added(one: Usage, other: Usage) -> Usage:
    """Add up what two calls used."""
    return Usage(
        input=one.input + other.input,
        output=one.output + other.output,
        cache_read=one.cache_read + other.cache_read,
        cache_write=one.cache_write + other.cache_write,
    )
