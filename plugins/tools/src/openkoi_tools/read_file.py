"""The tool ``read_file``: a file's lines with their numbers, an image, or a word about what it is instead."""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Arguments, Effect, Image, Tool, ToolError, ToolResult, image_type
from openkoi_hookspecs.content import MAX_IMAGE_BYTES
from openkoi_schema import Parameters

from .binary import binary
from .files import load
from .fit import counted, numbered, size
from .paths import Place
from .text import BYTE_SHOWN, NUL_SHOWN, Document, document, endings, lines_of
from .toolkit import Desk, kilobytes

PARAMETERS = Parameters(
    {
        "path": {"type": "string"},
        "start": {"type": "integer", "minimum": 1, "description": "first line"},
        "end": {"type": "integer", "minimum": 1, "description": "last line"},
    },
    required=("path",),
)
HEADER_ROOM = 600
NO_END = 1 << 60


@dataclass(frozen=True, slots=True)
class Range:
    """The lines that are wanted, counted from one."""

    start: int
    end: int


def read_file(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        wanted = Range(given.number("start", 1), given.number("end", NO_END))
        return await desk.at_any(given.text("path"), lambda where: reading(desk, where, wanted))

    return Tool(
        "read_file",
        "Read a text file or lines of it, or look at an image. "
        f"Lines are shown as number|text, up to {kilobytes(desk)} KB at once.",
        PARAMETERS.schema(),
        call,
        effect=Effect.READS,
        progress_text="Reading {path}",
    )


def reading(desk: Desk, where: Place, wanted: Range) -> ToolResult:
    """Read a file and say what the model gets to see of it."""
    data = load(where, desk.settings)
    if kind := image_type(data):
        return image(where, data, kind)
    if what := binary(data):
        reason = "not shown because it is not text. Use run_command."
        return ToolResult(f"{where.name} is {what}, {size(len(data))}, and {reason}")
    return ToolResult(lines(desk, where, document(data), wanted))


def image(where: Place, data: bytes, kind: str) -> ToolResult:
    """Show an image, unless it is too large."""
    what = f"{where.name} is an image ({kind}), {size(len(data))}"
    if len(data) > MAX_IMAGE_BYTES:
        return ToolResult(
            f"{what}, and not shown because it is larger than {size(MAX_IMAGE_BYTES)}. Make a smaller copy with "
            "run_command, and read that."
        )
    return ToolResult(f"{what}.", parts=(Image(data, kind),))


def lines(desk: Desk, where: Place, text: Document, wanted: Range) -> str:
    """Say how long a text is, and show the lines that are wanted."""
    plain = lines_of(text.plain)
    refuse_range(where, wanted, len(plain))
    room = desk.settings.result_bytes - HEADER_ROOM
    page = numbered(plain[wanted.start - 1 : wanted.end], wanted.start, max(1, room))
    desk.seen.read(where.real, page.known)
    return "\n".join(filter(None, (header(where, text), page.shown, footer(wanted.start + page.count - 1, plain))))


def refuse_range(where: Place, wanted: Range, total: int) -> None:
    """Raise for lines that are not there."""
    if wanted.end < wanted.start:
        raise ToolError(f"The range is empty: end ({wanted.end}) is before start ({wanted.start}). Swap them.")
    if wanted.start > max(1, total):
        raise ToolError(f"{where.name} has only {counted(total, 'line')}. Pass a start from 1 to {max(1, total)}.")


def header(where: Place, text: Document) -> str:
    """Say how long a file is, and what is out of the ordinary about it."""
    total = counted(len(lines_of(text.plain)), "line")
    facts = ", ".join([f"{total}, {size(len(text.data))}", *oddities(text)])
    return f"{where.name}: {facts}"


def oddities(text: Document) -> list[str]:
    """List what an editor would show in its status line, where it is not the usual."""
    odd = []
    if text.encoding.codec != "utf-8" or text.encoding.bom:
        odd.append(text.encoding.codec + (" with byte order mark" if text.encoding.bom else ""))
    if "\r" in text.raw:
        odd.append(f"{endings(text.raw)} line endings (an edit keeps them; write plain line feeds)")
    if text.raw and not text.raw.endswith(("\n", "\r")):
        odd.append("no newline at the end")
    if text.disguised:
        odd.append(f"bytes that are not text are shown as {NUL_SHOWN} or {BYTE_SHOWN}")
    return odd


def footer(last: int, lines: Sequence[str]) -> str:
    """Say how to go on, where there is more."""
    left = len(lines) - last
    return f"[{counted(left, 'more line')}; continue with start={last + 1}]" if left > 0 and lines else ""
