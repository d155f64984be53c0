"""The tool ``write_file``: a whole file. One that exists is replaced only by who has read it, or says so."""

from dataclasses import dataclass

from openkoi_hookspecs import Arguments, Effect, Tool, ToolError, ToolResult
from openkoi_schema import Parameters

from .files import refuse_other, save
from .fit import size
from .paths import Place
from .text import Document, document, ending_at, endings, lines_of, plain
from .toolkit import Desk
from .unseen import unread

PARAMETERS = Parameters(
    {
        "path": {"type": "string"},
        "content": {"type": "string"},
        "overwrite": {"type": "boolean", "description": "replace a file you have not read"},
    },
    required=("path", "content"),
)


@dataclass(frozen=True, slots=True)
class Content:
    """What the file is to hold."""

    text: str
    overwrite: bool


def write_file(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        content = Content(given.text("content"), given.flag("overwrite"))
        return ToolResult(await desk.at(given.text("path"), lambda where: written(desk, where, content)))

    return Tool(
        "write_file",
        "Create a file, or replace a whole one; folders are created. edit_file changes a part of one.",
        PARAMETERS.schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Writing {path}",
    )


def written(desk: Desk, where: Place, content: Content) -> str:
    """Write the file, alone with it, and say what was done."""
    with desk.locks.of(where.real):
        before = earlier(desk, where, content)
        data, kept = in_the_manner_of(before, content.text)
        save(where.real, data)
        desk.seen.read(where.real, plain(content.text))
    verb = "Wrote" if before is None else "Replaced"
    return f"{verb} {where.name}, {size(len(data))}{kept}."


def earlier(desk: Desk, where: Place, content: Content) -> Document | None:
    """Return what is there now; raises ToolError when it must not be replaced."""
    if not where.real.exists():
        return None
    refuse_other(where, where.real.stat().st_mode)
    if not content.overwrite and (why := unread(desk, where)):
        raise ToolError(f"{why}, or pass overwrite=true.")
    small = where.real.stat().st_size <= desk.settings.file_bytes
    before = document(where.real.read_bytes() if small else b"")
    if not content.overwrite and not desk.seen.covers(where.real, lines_of(before.plain)):
        raise ToolError(f"Only a part of {where.name} was read. Read all of it first, or pass overwrite=true.")
    return before


def in_the_manner_of(before: Document | None, text: str) -> tuple[bytes, str]:
    """Return the bytes of a text in a file's encoding and line endings, and what is kept, in words."""
    if before is None:
        return text.encode(), ""
    kept = [before.encoding.codec] if before.encoding.codec != "utf-8" or before.encoding.bom else []
    if endings(before.raw) in ("CRLF", "CR") and "\r" not in text:
        text = text.replace("\n", ending_at(before.raw, 0))
        kept.append(f"{endings(before.raw)} line endings")
    try:
        data = before.encoding.bom + before.encoding.encode(text)
    except UnicodeEncodeError:
        return text.encode(), f" (in UTF-8 now: {before.encoding.codec} lacks some of its characters)"
    return data, f" ({' and '.join(kept)} kept)" if kept else ""
