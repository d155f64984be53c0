"""Show a file to a model: numbered lines, an image, or what other files are."""

from collections.abc import Sequence

from openkoi_base.counts import format_count
from openkoi_hookspecs import Image, ToolError, ToolResult, image_type
from openkoi_hookspecs.content import MAX_IMAGE_BYTES
from openkoi_hookspecs.lazy_dataclass import dataclass

from .binary import binary_format
from .file_access import load_file
from .symlink_safe_paths import WorkspacePath
from .text_document import BYTE_SHOWN, NUL_SHOWN, TextDocument, describe_endings, parse_document, split_lines
from .tool_context import ToolContext
from .truncate import format_size, number_lines

HEADER_BYTES = 600


@dataclass(frozen=True, slots=True)
class LineRange:
    """The requested lines, counted from one."""

    start: int
    end: int


def describe_file(context: ToolContext, where: WorkspacePath, wanted: LineRange) -> ToolResult:
    """Read a file and return the result for the model."""
    data = load_file(where, context.settings)
    if kind := image_type(data):
        return show_image(where, data, kind)
    if what := binary_format(data):
        reason = "not shown because it is not text. Use run_command."
        return ToolResult(f"{where.name} is {what}, {format_size(len(data))}, and {reason}")
    return ToolResult(show_lines(context, where, parse_document(data), wanted))


def show_image(where: WorkspacePath, data: bytes, kind: str) -> ToolResult:
    """Return an image, unless it is too large."""
    what = f"{where.name} is an image ({kind}), {format_size(len(data))}"
    if len(data) > MAX_IMAGE_BYTES:
        return ToolResult(
            f"{what}, and not shown because it is larger than {format_size(MAX_IMAGE_BYTES)}. Make a smaller copy with "
            "run_command, and read that."
        )
    return ToolResult(f"{what}.", parts=(Image(data, kind),))


def show_lines(context: ToolContext, where: WorkspacePath, text: TextDocument, wanted: LineRange) -> str:
    """Return the length of a text, and the requested lines."""
    plain = split_lines(text.plain)
    refuse_empty_range(where, wanted, len(plain))
    room = context.settings.result_bytes - HEADER_BYTES
    page = number_lines(plain[wanted.start - 1 : wanted.end], wanted.start, max(1, room))
    context.tracker.add_read(where.real, page.known)
    return "\n".join(
        filter(None, (describe_header(where, text), page.shown, continue_note(wanted.start + page.count - 1, plain)))
    )


def refuse_empty_range(where: WorkspacePath, wanted: LineRange, total: int) -> None:
    """Raise ToolError for lines that do not exist."""
    if wanted.end < wanted.start:
        raise ToolError(f"The range is empty: end ({wanted.end}) is before start ({wanted.start}). Swap them.")
    if wanted.start > max(1, total):
        raise ToolError(f"{where.name} has only {format_count(total, 'line')}. Pass a start from 1 to {max(1, total)}.")


def describe_header(where: WorkspacePath, text: TextDocument) -> str:
    """Return the length of a file and its unusual properties."""
    total = format_count(len(split_lines(text.plain)), "line")
    facts = ", ".join([f"{total}, {format_size(len(text.data))}", *list_oddities(text)])
    return f"{where.name}: {facts}"


def list_oddities(text: TextDocument) -> list[str]:
    """List what an editor would show in its status line, if it is unusual."""
    odd = []
    if text.encoding.codec != "utf-8" or text.encoding.bom:
        odd.append(text.encoding.codec + (" with byte order mark" if text.encoding.bom else ""))
    if "\r" in text.raw:
        odd.append(f"{describe_endings(text.raw)} line endings (an edit keeps them; write plain line feeds)")
    if text.raw and not text.raw.endswith(("\n", "\r")):
        odd.append("no newline at the end")
    if text.has_stand_ins:
        odd.append(f"bytes that are not text are shown as {NUL_SHOWN} or {BYTE_SHOWN}")
    return odd


def continue_note(last: int, lines: Sequence[str]) -> str:
    """Return how to read on, if there is more."""
    left = len(lines) - last
    return f"[{format_count(left, 'more line')}; continue with start={last + 1}]" if left > 0 and lines else ""
