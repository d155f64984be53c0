"""What ``openkoi status --verbose`` adds: providers, costs by model and phase, the day's limit, what is left to do."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_base.files import is_run_active
from openkoi_hookspecs import Budget, BudgetDay, Koi, KoiError
from openkoi_report import (
    NO_COST,
    Costs,
    ModelCost,
    format_count,
    format_dollars,
    format_tokens,
    sum_charges,
    truncate_line,
)
from openkoi_settings import keys

from .spending import SPANS, since
from .waiting import Pending, age

if TYPE_CHECKING:
    from openkoi_report import ModelCharge
    from openkoi_runlog import Past
    from openkoi_settings import Config

SHOWN = 10


def breakdown(
    config: "Config",
    tasks: "Sequence[Past]",
    there: "Sequence[ModelCharge]",
    pending: Sequence[Pending],
    day: Sequence[str],
) -> Iterator[str]:
    """All of it; a part that has nothing to say is left out."""
    spans = [sum_charges(charge for charge in there if charge.at >= since(days)) for _, days in SPANS]
    yield from headed("Providers used this month", providers(spans[-1]))
    yield from headed("By model", table([{**costs.by_model} for costs in spans]))
    yield from headed(
        "By phase", table([{str(phase): cost for phase, cost in costs.by_phase.items()} for costs in spans])
    )
    yield from headed("Limit of the day", day)
    yield from headed("Waiting for an answer (openkoi approvals)", waiting(pending))
    yield from headed("Not finished (to go on: openkoi resume ID)", unfinished(config.paths.running, tasks))


def headed(title: str, lines: Sequence[str]) -> Iterator[str]:
    """Lines under their title; nothing when there are none."""
    if lines:
        yield ""
        yield f"  {title}:"
        yield from (f"    {line}" for line in lines)


def providers(costs: Costs) -> list[str]:
    """Who was asked how often, the dearest first."""
    by_provider: dict[str, ModelCost] = {}
    for model, cost in costs.by_model.items():
        name = model.partition("/")[0]
        by_provider[name] = by_provider.get(name, NO_COST) + cost
    dearest = sorted(by_provider.items(), key=lambda pair: pair[1].usd, reverse=True)
    return [f"{name:<20} {format_count(cost.calls, 'call')}, {cost.text}" for name, cost in dearest]


def table(spans: "Sequence[dict[str, ModelCost]]") -> list[str]:
    """A line for each name in the longest span, which is the last one, a column for each span."""
    names = list(spans[-1])
    if not names:
        return []
    wide = max(map(len, names))
    head = f"{'':<{wide}}" + "".join(f"{title:>20}" for title, _ in SPANS)
    return [head, *(f"{name:<{wide}}" + "".join(cell(span.get(name, NO_COST)) for span in spans) for name in names)]


def cell(cost: ModelCost) -> str:
    return f"{format_dollars(cost.usd)} ({format_tokens(cost.usage.total)})".rjust(20)


async def day_lines(koi: Koi) -> list[str]:
    """Return what of the day's limits is used, reservations among it; nothing where there are none."""
    name = koi.setting(keys.USE_BUDGET.name, str, "")
    if name in ("", "none"):
        return []
    try:
        budget = cast(Budget, await koi.load("budgets", name))  # the kind says what it is
        return [text for day in (await budget.days())[-1:] if (text := format_day(day))]
    except KoiError as error:
        return [str(error)]


def format_day(day: BudgetDay) -> str:
    """Return what is used of each limit of a day."""
    usd, tokens, limit = day.spent.usd + day.reserved.usd, day.spent.tokens + day.reserved.tokens, day.limit
    parts = (
        f"{format_dollars(usd)} of {format_dollars(limit.usd)}" if math.isfinite(limit.usd) else "",
        f"{format_tokens(round(tokens))} of {limit.tokens:,.0f} budget tokens" if math.isfinite(limit.tokens) else "",
    )
    return ", ".join(filter(None, parts))


def waiting(pending: Sequence[Pending]) -> list[str]:
    """The questions without an answer."""
    now = datetime.now(UTC)
    return [f"{one.id}  {age(one.waiting.at, now)}  {one.line}" for one in pending]


def unfinished(running: Path, tasks: "Sequence[Past]") -> list[str]:
    """The tasks that ended before their time, and how; or that a process is at work on."""
    left = [past for past in tasks if past.resumable]
    lines = [
        f"{past.run[:8]}  {past.status(under_way=is_run_active(running, past.run)):<12} {truncate_line(past.text, 60)}"
        for past in left[:SHOWN]
    ]
    return [*lines, f"and {len(left) - SHOWN} more"] if len(left) > SHOWN else lines
