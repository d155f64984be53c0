"""Search memory, and format its state and that of the log."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openkoi_base.counts import format_count
from openkoi_runlog.report import format_size, truncate_line

from .memory_in_use import load_memory, load_usable_memory, update_memory
from .setting_names import MAX_STORAGE_MB
from .without_hooks import without_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_cli.archive.segments import Log
    from openkoi_hookspecs import Hit, Koi, OpenedKoi, Paths, Query, Reader

TOKENS_PER_HIT = 4_000  # more than a piece of a transcript has
EVERYWHERE = "all"
MAX_TEXT_WIDTH = 100  # characters
SINGLE_ORIGIN = ("task", "transcript")
FoundItem = dict[str, Any]


async def format_stats(koi: "Koi", data: "Path") -> list[str]:
    """Return counts and sizes of the log and the memory."""
    from openkoi_cli.archive.segments import Log
    from openkoi_cli.archive.statistics import measure_log

    from .log_limit import read_limit

    log, limit = Log(data), read_limit(koi)
    statistics, (memory, well) = measure_log(log), await describe_memory(koi)
    archived = f", {statistics.archived_sessions} of them archived" if statistics.archived_sessions else ""
    size = format_size(statistics.size) + (
        f" and {format_size(statistics.archived_size)} archived" if statistics.archived_size else ""
    )
    sessions, tasks = format_count(statistics.sessions, "session"), format_count(statistics.tasks, "task")
    lines = [
        f"  Log:      {sessions}{archived}, {tasks}, {format_count(statistics.records, 'record')}",
        f"  Size:     {size}{f', limit {format_size(limit)}' if limit else ''}",
        f"  Oldest:   {format_time(statistics.oldest)}",
        f"  Newest:   {format_time(statistics.newest)}",
        f"  Memory:   {memory}",
    ]
    if statistics.errors:
        lines.append(
            f"  ! {format_count(len(statistics.errors), 'error')} in the log. Run `openkoi memory audit` to list them."
        )
    if limit and statistics.size + statistics.archived_size > limit:
        lines.append(f"  ! The log is over its limit. Move archive/ elsewhere, or raise {MAX_STORAGE_MB}.")
    if well and (unread := await count_unread(koi, log)):
        lines.append(f"  ! Memory is missing {format_count(unread, 'archived session')}. Run `openkoi memory rebuild`.")
    return lines


async def count_unread(koi: "Koi", log: "Log") -> int:
    """Return how many archived sessions memory has not read yet."""
    from openkoi_hookspecs import KoiError, SupportsOffsets

    archived = [segment for segment in log.segments() if segment.is_archived]
    memory = await load_memory(koi) if archived else None
    if not isinstance(memory, SupportsOffsets):
        return 0
    try:
        seen = await memory.offsets()
    except KoiError:
        return 0
    return len({segment.session for segment in archived if segment.name not in seen})


async def describe_memory(koi: "Koi") -> tuple[str, bool]:
    """Return the state of the chosen memory, and whether it works."""
    from openkoi_hookspecs import KoiError

    memory = await load_memory(koi)
    name = koi.chosen_name("memory")
    if memory is None:
        return "none" if not name else f"{name}: cannot be used", False
    try:
        health = await read_health(memory)
    except KoiError as error:
        return f"{name}: {error}", False
    return f"{name}: {', '.join(f'{word} {value}' for word, value in health.items()) or 'ready'}", True


async def read_health(memory: object) -> Mapping[str, str]:
    """Return what a memory reports about itself; empty if it reports nothing."""
    from openkoi_hookspecs import SupportsHealthCheck

    return await memory.health() if isinstance(memory, SupportsHealthCheck) else {}


def read_items(reader: "Reader", paths: "Paths", text: str, limit: int) -> list[FoundItem] | None:
    """Search memory without opening OpenKoi; return None if memory must be opened, or must read new records."""
    from openkoi_runlog.read_segments import list_grown_segments

    memory = reader.memory()
    if memory is None or reader.table(f"memory.{reader.chosen_name('memory')}"):
        return None
    try:
        if list_grown_segments(paths.sessions, memory.offsets()):
            return None
        return list_items(memory.search(make_query(text, limit)), paths)
    except Exception:  # memory is a plugin: opening it reports what is wrong
        return None


async def search_memory(koi: "OpenedKoi", paths: "Paths", text: str, limit: int) -> list[FoundItem]:
    """Search memory."""
    async with without_hooks(koi):
        return await find_items(koi, paths, text, limit)


async def find_items(koi: "Koi", paths: "Paths", text: str, limit: int) -> list[FoundItem]:
    """Return the hits as plain values; raise KoiError if memory could not be searched."""
    from openkoi_hookspecs import KoiError

    memory = await load_usable_memory(koi, "Search")
    if memory is None:
        return []
    await catch_up(koi, paths.sessions)
    try:
        hits = await memory.search(make_query(text, limit))
    except Exception as error:  # memory is a plugin: any error of it is reported
        raise KoiError(f"Search failed: {error}") from error
    return list_items(hits, paths)


def make_query(text: str, limit: int) -> "Query":
    """Return a query to all projects."""
    from openkoi_hookspecs import Query

    return Query(text, scope=EVERYWHERE, limit=limit, tokens=TOKENS_PER_HIT * limit)


def list_items(hits: "Sequence[Hit]", paths: "Paths") -> list[FoundItem]:
    """Return the hits as plain values, each with its time in the log."""
    from openkoi_cli.archive.segments import Log

    from .log_times import find_times

    moments = find_times(Log(paths.data), {hit.item.id for hit in hits}, list_sessions(hits))
    return [to_item(hit, moments) for hit in hits]


async def catch_up(koi: "Koi", sessions: "Path") -> None:
    """Let memory read new records; warn if it cannot, because older ones can still be searched."""
    try:
        await update_memory(koi, sessions)
    except Exception as error:  # memory is a plugin
        koi.warn(f"Memory could not be updated, so the newest tasks are missing: {error}")


def find_unknown_settings_of_memory(koi: "Koi") -> Sequence[str]:
    """Return warnings about settings that the memory in use does not have."""
    name = koi.chosen_name("memory")
    return koi.unknown_settings(f"memory.{name}") if name else ()


def list_sessions(hits: "Sequence[Hit]") -> set[str]:
    """Return the sessions of the hits; empty if one has several, as learnings do."""
    origins = {getattr(hit.item, "origin", "") if hit.item.kind in SINGLE_ORIGIN else "" for hit in hits}
    return set() if "" in origins else origins


def to_item(hit: "Hit", moments: Mapping[str, str]) -> FoundItem:
    """Return a hit as plain values."""
    memo = hit.item
    date = moments.get(memo.id, "")
    return {"score": round(hit.relevance, 4), "source": memo.kind, "date": date, "id": memo.id, "text": memo.text}


def format_hits(hits: Sequence[FoundItem]) -> str:
    """Format hits, a line each."""
    return "\n".join(map(format_item, hits)) or "No results."


def format_item(hit: FoundItem) -> str:
    """Format a hit as a line: relevance, kind, date and text."""
    text = truncate_line(hit["text"], MAX_TEXT_WIDTH)
    return f"{hit['score']:.2f}  {hit['source']:<12} {hit['date'][:10] or '-':<10}  {text}"


def format_time(at: str) -> str:
    return at[:19].replace("T", " ") or "-"
