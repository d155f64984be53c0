"""What memory and the log say of themselves, and what is found in them, in lines. Knows one socket and no backend."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openkoi_report import clipped, megabytes, plural

if TYPE_CHECKING:
    from openkoi.assembly import Assembly
    from openkoi_hookspecs import Hit

TOKENS_EACH = 4_000
EVERYWHERE = "all"
TASK, LEARNING = "task_start", "learning.saved"
WIDE = 100
Found = dict[str, Any]


async def stats_of(koi: "Assembly") -> list[str]:
    """Counts and sizes, of the log and of the view."""
    from openkoi_archive import Log, figures_of

    from .storing import limit_of

    told, limit = figures_of(Log(koi.config.paths.data)), limit_of(koi)
    archived = f", {told.archived_sessions} of them archived" if told.archived_sessions else ""
    size = megabytes(told.size) + (f" and {megabytes(told.archived_size)} archived" if told.archived_size else "")
    lines = [
        f"  Log:      {plural(told.sessions, 'session')}{archived}, {plural(told.tasks, 'task')}, "
        f"{plural(told.records, 'record')}",
        f"  Size:     {size}{f', of {megabytes(limit)} at most' if limit else ''}",
        f"  Oldest:   {said_moment(told.oldest)}",
        f"  Newest:   {said_moment(told.newest)}",
        f"  Memory:   {await memory_line(koi)}",
    ]
    if told.faults:
        lines.append(f"  ! {plural(len(told.faults), 'fault')} in the log: openkoi memory audit names them.")
    if limit and told.size + told.archived_size > limit:
        lines.append("  ! The log is over its limit: move archive/ elsewhere, or raise memory.max_storage_mb.")
    return lines


async def memory_line(koi: "Assembly") -> str:
    """What the chosen memory says of itself."""
    from openkoi_hookspecs import KoiError

    memory = await koi.sockets.memory()
    name = koi.config.get("use.memory", str, "")
    if memory is None:
        return "none chosen"
    try:
        told = await examined(memory)
    except KoiError as error:
        return f"{name}: {error}"
    return f"{name}: {', '.join(f'{word} {value}' for word, value in told.items()) or 'ready'}"


async def examined(memory: object) -> Mapping[str, str]:
    """What a memory has to say, if it can say anything."""
    from openkoi_hookspecs import Examined

    return await memory.examine() if isinstance(memory, Examined) else {}


async def asked(koi: "Assembly", text: str, limit: int) -> list[Found]:
    """What memory answers, without the hooks, which have no part in it: reading them takes longer than searching."""
    if koi.config.get("use.memory", str, "") not in {entry.name for entry in koi.entries("memory")}:
        koi.begin()
    try:
        return await found(koi, text, limit)
    finally:
        await koi.__aexit__()


async def found(koi: "Assembly", text: str, limit: int) -> list[Found]:
    """What memory answers, as plain values."""
    from openkoi_hookspecs import Query

    hits = await koi.search(Query(text, scope=EVERYWHERE, limit=limit, tokens=TOKENS_EACH * limit))
    moments = moments_of(koi, {hit.memo.id for hit in hits})
    return [told(hit, moments) for hit in hits]


def told(hit: "Hit", moments: Mapping[str, str]) -> Found:
    """A hit as plain values."""
    memo = hit.memo
    date = moments.get(memo.id, "")
    return {"score": round(hit.relevance, 4), "source": memo.kind, "date": date, "id": memo.id, "text": memo.text}


def moments_of(koi: "Assembly", ids: set[str]) -> dict[str, str]:
    """When tasks of these ids began, those of pieces of transcripts too, and learnings were last saved, by the log."""
    from openkoi_archive import Log, lines_of

    runs, began, saved = dict.fromkeys(map(record_of, ids), ""), dict[str, str](), dict[str, str]()
    for segment in Log(koi.config.paths.data).segments() if ids else ():
        for line in lines_of(segment):
            if line.id in runs:
                runs[line.id] = line.run
            if line.type == TASK:
                began.setdefault(line.run, str(line.said["ts"]))
            elif line.type == LEARNING:
                saved[learned(line.said)] = str(line.said["ts"])
    return {id: saved.get(id) or began.get(id) or began.get(runs[record_of(id)], "") for id in ids}


def record_of(id: str) -> str:
    """The record that a piece was said in: its id is the record's, and a number after a colon."""
    return id.rpartition(":")[0] or id


def learned(said: Mapping[str, Any]) -> str:
    """The id of the learning that a line is about."""
    data = said.get("data")
    learning = data.get("learning") if isinstance(data, dict) else None
    return str(learning.get("id", "")) if isinstance(learning, dict) else ""


def line_of(hit: Found) -> str:
    """A hit in a line: how well it answers, what it is, when it was, and the text."""
    return f"{hit['score']:.2f}  {hit['source']:<12} {hit['date'][:10] or '-':<10}  {clipped(hit['text'], WIDE)}"


def said_moment(at: str) -> str:
    return at[:19].replace("T", " ") or "-"
