"""What was paid for, read from the log, and told by the day. Knows lines of the log; decides nothing.

Only the lines that tell what a call was for are read; all others are passed over unparsed.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_report import NO_COST, Phase, format_count, format_dollars, format_tokens

if TYPE_CHECKING:
    from openkoi_hookspecs import Event, Record
    from openkoi_report import ModelCharge, ModelCost
    from openkoi_runlog import Past

SPANS = (("Today", 1), ("This week", 7), ("This month", 30))
Kinds = Sequence["type[Event]"]


def told_by(*, phases: bool) -> "Kinds":
    """The kinds of events that tell what was paid, by whom; and for which phase, if that is asked."""
    from openkoi_hookspecs import events
    from openkoi_report import CHARGE_EVENTS

    paid = (events.ModelResponse, events.ModelResponseBroken)
    ends = events.DecisionMade, events.RunCompleted
    return CHARGE_EVENTS if phases else (events.TaskStarted, *paid, events.RunForked, events.PlanReady, *ends)


def charges(sessions: Path, kinds: "Kinds") -> "Sequence[ModelCharge]":
    """Every call that was paid for, as these kinds of events tell it."""
    from openkoi_report import collect_charges

    return collect_charges(told(sessions, kinds))


def told(sessions: Path, kinds: "Kinds") -> "Iterator[Record]":
    """The records of these kinds, oldest session first."""
    from openkoi_runlog import all_segments, select_from

    for path in all_segments(sessions):
        yield from select_from(path, kinds)


def since(days: int) -> str:
    """The beginning of a span that ends now, in UTC as the log writes it; a span of one day begins at midnight."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - timedelta(days=days - 1)).isoformat()


def span_line(name: str, start: str, there: "Sequence[ModelCharge]", tasks: "Sequence[Past]") -> str:
    """What was spent since then, on how many tasks that began since then, and which part of it on learning."""
    recent = [charge for charge in there if charge.at >= start]
    cost = sum((charge.cost for charge in recent), NO_COST)
    learning = sum((charge.cost for charge in recent if charge.phase is Phase.LEARN), NO_COST)
    began = sum(past.at >= start for past in tasks)
    part = "" if learning == NO_COST else f", of which learning {money(learning)}"
    tokens = format_tokens(cost.usage.total)
    return f"  {name + ':':<12} {format_dollars(cost.usd)}  ({format_count(began, 'task')}, {tokens} tokens){part}"


def money(cost: "ModelCost") -> str:
    """``$0.01 (1.2k tokens)``."""
    return f"{format_dollars(cost.usd)} ({format_tokens(cost.usage.total)} tokens)"
