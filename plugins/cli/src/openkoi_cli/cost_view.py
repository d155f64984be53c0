"""Read the costs of time spans from the log.

Only lines of the needed event kinds are parsed.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.counts import format_count
from openkoi_runlog.report import NO_COST, Phase, format_dollars, format_tokens

if TYPE_CHECKING:
    from openkoi_hookspecs import Event, Record
    from openkoi_runlog import PastTask
    from openkoi_runlog.report import ModelCharge, ModelCost
    from openkoi_runlog.report.charges import LogCharges

SPANS = (("Today", 1), ("This week", 7), ("This month", 30))
Kinds = Sequence["type[Event]"]


def charge_events(*, phases: bool) -> "Kinds":
    """Return the kinds of events that costs are read from; more of them for costs by phase."""
    from openkoi_hookspecs import events
    from openkoi_runlog.report import CHARGE_EVENTS

    paid = (events.ModelResponse, events.ModelResponseBroken)
    ends = events.DecisionMade, events.RunCompleted
    return CHARGE_EVENTS if phases else (events.TaskStarted, *paid, events.RunForked, events.PlanReady, *ends)


def read_charges(sessions: Path, kinds: "Kinds", *, since: str = "") -> "LogCharges":
    """Return every paid call, and when the tasks began; all, or those since a time."""
    from openkoi_runlog.report.charges import LogCharges

    return LogCharges().add_records(read_records(sessions, kinds, since=since))


def read_records(sessions: Path, kinds: "Kinds", *, since: str = "") -> "Iterator[Record]":
    """Yield the records of these kinds, oldest session first; all, or those since a time."""
    from openkoi_runlog import list_all_segments, select_from

    for path in list_all_segments(sessions):
        yield from select_from(path, kinds, since=since)


def read_task_cost(sessions: Path, past: "PastTask") -> tuple[int, float]:
    """Return a task's tokens and dollars: its final totals, or the sums of its paid calls if it was cut short."""
    if past.tokens or not past.cut_short:
        return past.tokens, past.usd
    from openkoi_runlog import list_all_segments, select_from
    from openkoi_runlog.report.charges import LogCharges

    kinds, paths = charge_events(phases=False), list_all_segments(sessions, past.session)
    records = (record for path in paths for record in select_from(path, kinds) if record.run == past.run)
    cost = sum((charge.cost for charge in LogCharges().add_records(records).charges), NO_COST)
    return cost.usage.total, cost.usd


def span_start(days: int) -> str:
    """Return the start of a span that ends now, in UTC; a span of one day starts at midnight."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - timedelta(days=days - 1)).isoformat()


def format_span(name: str, start: str, there: "Sequence[ModelCharge]", begun: Sequence[str]) -> str:
    """Format the cost of a span, its number of tasks, and the share of learning."""
    recent = [charge for charge in there if charge.at >= start]
    cost = sum((charge.cost for charge in recent), NO_COST)
    learning = sum((charge.cost for charge in recent if charge.phase is Phase.LEARN), NO_COST)
    count = sum(at >= start for at in begun)
    part = "" if learning == NO_COST else f", of which learning {format_cost(learning)}"
    tokens = format_tokens(cost.usage.total)
    return f"  {name + ':':<12} {format_dollars(cost.usd)}  ({format_count(count, 'task')}, {tokens} tokens){part}"


def format_cost(cost: "ModelCost") -> str:
    """Format as ``$0.01 (1.2k tokens)``."""
    return f"{format_dollars(cost.usd)} ({format_tokens(cost.usage.total)} tokens)"
