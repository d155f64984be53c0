"""What memory and the log say of themselves, and what is found in them, in lines. Knows one socket and no backend."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from openkoi_report import format_count, format_size, truncate_line
from openkoi_settings import keys

from .invocation import Invocation, read_setting
from .memory_in_use import load_memory, update_memory
from .without_hooks import without_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_cli.archive import Log
    from openkoi_hookspecs import Hit, Koi, OpenedKoi
    from openkoi_settings import Paths

TOKENS_EACH = 4_000
EVERYWHERE = "all"
NOBODY = ("", "none")
WIDE = 100
FROM_ONE = ("task", "transcript")
Found = dict[str, Any]


async def stats_of(koi: "Koi", data: "Path") -> list[str]:
    """Counts and sizes, of the log and of the view."""
    from openkoi_cli.archive import Log, figures_of

    from .storing import limit_of

    log, limit = Log(data), limit_of(koi)
    told, (memory, well) = figures_of(log), await memory_line(koi)
    archived = f", {told.archived_sessions} of them archived" if told.archived_sessions else ""
    size = format_size(told.size) + (f" and {format_size(told.archived_size)} archived" if told.archived_size else "")
    lines = [
        f"  Log:      {format_count(told.sessions, 'session')}{archived}, {format_count(told.tasks, 'task')}, "
        f"{format_count(told.records, 'record')}",
        f"  Size:     {size}{f', of {format_size(limit)} at most' if limit else ''}",
        f"  Oldest:   {said_moment(told.oldest)}",
        f"  Newest:   {said_moment(told.newest)}",
        f"  Memory:   {memory}",
    ]
    if told.faults:
        lines.append(f"  ! {format_count(len(told.faults), 'fault')} in the log: openkoi memory audit names them.")
    if limit and told.size + told.archived_size > limit:
        lines.append(f"  ! The log is over its limit: move archive/ elsewhere, or raise {keys.MAX_STORAGE_MB.name}.")
    if well and (untold := await untold_of(koi, log)):
        lines.append(
            f"  ! Memory lacks {format_count(untold, 'archived session')}: openkoi memory rebuild tells it everything."
        )
    return lines


async def untold_of(koi: "Koi", log: "Log") -> int:
    """How many archived sessions memory has not read yet."""
    from openkoi_hookspecs import KoiError, SupportsOffsets

    archived = [segment for segment in log.segments() if segment.archived]
    memory = await load_memory(koi) if archived else None
    if not isinstance(memory, SupportsOffsets):
        return 0
    try:
        seen = await memory.offsets()
    except KoiError:
        return 0
    return len({segment.session for segment in archived if segment.name not in seen})


async def memory_line(koi: "Koi") -> tuple[str, bool]:
    """What the chosen memory says of itself, and whether it could be asked."""
    from openkoi_hookspecs import KoiError

    memory = await load_memory(koi)
    name = read_setting(koi, keys.USE_MEMORY)
    if memory is None:
        return "none chosen" if name in NOBODY else f"{name}: it cannot be used", False
    try:
        told = await examined(memory)
    except KoiError as error:
        return f"{name}: {error}", False
    return f"{name}: {', '.join(f'{word} {value}' for word, value in told.items()) or 'ready'}", True


async def examined(memory: object) -> Mapping[str, str]:
    """What a memory has to say, if it can say anything."""
    from openkoi_hookspecs import SupportsHealthCheck

    return await memory.health() if isinstance(memory, SupportsHealthCheck) else {}


async def asked(koi: "OpenedKoi", paths: "Paths", text: str, limit: int) -> list[Found]:
    """What memory answers."""
    async with without_hooks(koi):
        return await found(koi, paths, text, limit)


async def found(koi: "Koi", paths: "Paths", text: str, limit: int) -> list[Found]:
    """What memory answers, as plain values; raises KoiError where it could not be searched."""
    from openkoi_cli.archive import Log
    from openkoi_hookspecs import KoiError, Query

    from .dating import moments_of

    memory, name = await load_memory(koi), read_setting(koi, keys.USE_MEMORY)
    if memory is None and name not in NOBODY:
        raise KoiError(f"Nothing was searched, because the memory {name!r} cannot be used.")
    if memory is None:
        return []
    await caught_up(koi, paths.sessions)
    try:
        hits = await memory.search(Query(text, scope=EVERYWHERE, limit=limit, tokens=TOKENS_EACH * limit))
    except Exception as error:  # memory is a plugin: what it says is said, and that nothing was searched
        raise KoiError(f"Nothing was searched: {error}") from error
    moments = moments_of(Log(paths.data), {hit.item.id for hit in hits}, sessions_of(hits))
    return [told(hit, moments) for hit in hits]


async def caught_up(koi: "Koi", sessions: "Path") -> None:
    """Let memory read what is new; where it cannot, what it knew before can be asked all the same."""
    try:
        await update_memory(koi, sessions)
    except Exception as error:  # memory is a plugin
        koi.warn(f"Memory could not be told what is new: {error}")


def unread(invocation: Invocation) -> list[str]:
    """Settings of the memory in use that it does not know."""
    config = invocation.read_config()
    ours = config.table(start := f"memory.{config[keys.USE_MEMORY]}")
    if not ours:
        return []
    from openkoi_base.redact import current_redactor
    from openkoi_loader.plugins import Plugins
    from openkoi_loader.registry import scan
    from openkoi_loader.unknown_settings import find_unknown_settings

    settings = {f"{start}.{key}": setting for key, setting in ours.items()}
    plugins = Plugins(config, current_redactor(), scan().found)
    return find_unknown_settings(replace(config, settings=settings, environment={}), plugins)


def sessions_of(hits: "Sequence[Hit]") -> set[str]:
    """The sessions that the hits are of; none where one of them does not say: a learning is saved in many."""
    origins = {getattr(hit.item, "origin", "") if hit.item.kind in FROM_ONE else "" for hit in hits}
    return set() if "" in origins else origins


def told(hit: "Hit", moments: Mapping[str, str]) -> Found:
    """A hit as plain values."""
    memo = hit.item
    date = moments.get(memo.id, "")
    return {"score": round(hit.relevance, 4), "source": memo.kind, "date": date, "id": memo.id, "text": memo.text}


def line_of(hit: Found) -> str:
    """A hit in a line: how well it answers, what it is, when it was, and the text."""
    return f"{hit['score']:.2f}  {hit['source']:<12} {hit['date'][:10] or '-':<10}  {truncate_line(hit['text'], WIDE)}"


def said_moment(at: str) -> str:
    return at[:19].replace("T", " ") or "-"
