"""Format what ``openkoi status --verbose`` adds: costs by model and phase, daily limits, questions, open tasks."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_base.counts import format_count
from openkoi_base.files import is_run_active
from openkoi_hookspecs import Budget, BudgetDay, Koi, KoiError
from openkoi_runlog.report import (
    NO_COST,
    Costs,
    ModelCost,
    format_dollars,
    format_tokens,
    sum_charges,
    truncate_line,
)

from .cost_view import SPANS, span_start
from .pending import Pending, format_age

if TYPE_CHECKING:
    from openkoi_runlog import PastTask
    from openkoi_runlog.report import ModelCharge

MAX_SHOWN = 10  # tasks


def format_breakdown(
    running: Path,
    tasks: "Sequence[PastTask]",
    there: "Sequence[ModelCharge]",
    pending: Sequence[Pending],
    day: Sequence[str],
) -> Iterator[str]:
    """Yield all parts that are not empty."""
    spans = [sum_charges(charge for charge in there if charge.at >= span_start(days)) for _, days in SPANS]
    yield from format_part("Providers used this month", format_providers(spans[-1]))
    yield from format_part("By model", format_table([{**costs.by_model} for costs in spans]))
    yield from format_part(
        "By phase", format_table([{str(phase): cost for phase, cost in costs.by_phase.items()} for costs in spans])
    )
    yield from format_part("Daily limit", day)
    yield from format_part("Waiting for an answer (openkoi approvals)", format_questions(pending))
    yield from format_part("Not finished (openkoi resume ID)", format_unfinished(running, tasks))


def format_part(title: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield lines under their title; yield nothing if there are no lines."""
    if lines:
        yield ""
        yield f"  {title}:"
        yield from (f"    {line}" for line in lines)


def format_providers(costs: Costs) -> list[str]:
    """Return calls and cost of each provider, most expensive first."""
    by_provider: dict[str, ModelCost] = {}
    for model, cost in costs.by_model.items():
        name = model.partition("/")[0]
        by_provider[name] = by_provider.get(name, NO_COST) + cost
    dearest = sorted(by_provider.items(), key=lambda pair: pair[1].usd, reverse=True)
    return [f"{name:<20} {format_count(cost.calls, 'call')}, {cost.text}" for name, cost in dearest]


def format_table(spans: "Sequence[dict[str, ModelCost]]") -> list[str]:
    """Return a row for each name in the last, longest span, and a column for each span."""
    names = list(spans[-1])
    if not names:
        return []
    wide = max(map(len, names))
    head = f"{'':<{wide}}" + "".join(f"{title:>20}" for title, _ in SPANS)
    return [
        head,
        *(f"{name:<{wide}}" + "".join(format_cell(span.get(name, NO_COST)) for span in spans) for name in names),
    ]


def format_cell(cost: ModelCost) -> str:
    return f"{format_dollars(cost.usd)} ({format_tokens(cost.usage.total)})".rjust(20)


async def read_day_limits(koi: Koi) -> list[str]:
    """Return how much of the daily limits is used, reservations included; empty if there are no limits."""
    if not (name := koi.chosen_name("budgets")):
        return []
    try:
        budget = cast(Budget, await koi.load("budgets", name))  # the kind says what it is
        return [text for day in (await budget.days())[-1:] if (text := format_day(day))]
    except KoiError as error:
        return [str(error)]


def format_day(day: BudgetDay) -> str:
    """Return how much of each daily limit is used."""
    usd, tokens, limit = day.spent.usd + day.reserved.usd, day.spent.tokens + day.reserved.tokens, day.limit
    parts = (
        f"{format_dollars(usd)} of {format_dollars(limit.usd)}" if math.isfinite(limit.usd) else "",
        f"{format_tokens(round(tokens))} of {limit.tokens:,.0f} budget tokens" if math.isfinite(limit.tokens) else "",
    )
    return ", ".join(filter(None, parts))


def format_questions(pending: Sequence[Pending]) -> list[str]:
    """Return a line for each unanswered question."""
    now = datetime.now(UTC)
    return [f"{one.id}  {format_age(one.waiting.at, now)}  {one.line}" for one in pending]


def format_unfinished(running: Path, tasks: "Sequence[PastTask]") -> list[str]:
    """Return a line for each unfinished task: running now, or how it ended."""
    left = [past for past in tasks if past.resumable]
    lines = [
        f"{past.run[:8]}  {past.status(under_way=is_run_active(running, past.run)):<12} {truncate_line(past.text, 60)}"
        for past in left[:MAX_SHOWN]
    ]
    return [*lines, f"and {len(left) - MAX_SHOWN} more"] if len(left) > MAX_SHOWN else lines
