"""The line above the first prompt: version, model, memory, and what was spent today."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError, NoModelError, SupportsHealthCheck, events
from openkoi_runlog import list_all_segments, select_from
from openkoi_runlog.report import format_dollars, truncate_line

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

FIRST_USE = "OpenKoi edits files here freely and asks before risky steps. Shift-Tab or /mode changes this."
SET_UP = "no model: /setup sets one up"
PAID = (events.ModelResponse, events.ModelResponseBroken)


async def make_banner(koi: "Koi", version: str, sessions: Path) -> str:
    """Return the banner."""
    import asyncio

    model, entries = await find_model(koi), await count_entries(koi)
    usd = await asyncio.to_thread(spent_since, sessions, f"{datetime.now(UTC):%Y-%m-%d}")
    noun = "entry" if entries == "1" else "entries"
    return f"openkoi v{version} | {model} | memory: {entries} {noun} | {format_dollars(usd)} spent"


async def find_model(koi: "Koi") -> str:
    """Return the executor's model, or how to set one up."""
    try:
        return await koi.resolve_model("executor")
    except NoModelError:
        return SET_UP
    except KoiError as error:
        return truncate_line(koi.redact(str(error)), 60)


async def count_entries(koi: "Koi") -> str:
    """Return how many entries memory has; 0 if it does not report that."""
    memory = await koi.load_chosen("memory")
    try:
        health = await memory.health() if isinstance(memory, SupportsHealthCheck) else {}
    except KoiError:
        return "0"
    return health.get("entries", "0")


def spent_since(sessions: Path, day: str) -> float:
    """Return what model calls have cost since the start of a day; skip files that were not written since then."""
    start = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    recent = [path for path in list_all_segments(sessions) if path.stat().st_mtime >= start]
    records = (record for path in recent for record in select_from(path, PAID) if record.at >= day)
    return sum(record.event.usd for record in records if isinstance(record.event, events.Paid))
