"""Write a whole file. An existing one is replaced only after it was read, or on request."""

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_access import refuse_special, save_file
from .read_before_edit import refuse_unread_file
from .symlink_safe_paths import WorkspacePath
from .text_document import TextDocument, describe_endings, line_ending_at, parse_document, plain_text, split_lines
from .tool_context import ToolContext
from .truncate import format_size


@dataclass(frozen=True, slots=True)
class NewContent:
    """The new content of a file."""

    text: str
    overwrite: bool


def write_content(context: ToolContext, where: WorkspacePath, content: NewContent) -> str:
    """Write the file while it is locked, and report what was done."""
    with context.locks.lock_for(where.real):
        before = existing_document(context, where, content)
        data, kept = encode_like(before, content.text)
        save_file(where.real, data)
        context.tracker.add_read(where.real, plain_text(content.text))
    verb = "Wrote" if before is None else "Replaced"
    return f"{verb} {where.name}, {format_size(len(data))}{kept}."


def existing_document(context: ToolContext, where: WorkspacePath, content: NewContent) -> TextDocument | None:
    """Return the present document; raise ToolError when it must not be replaced."""
    if not where.real.exists():
        return None
    refuse_special(where, where.real.stat().st_mode)
    if not content.overwrite:
        refuse_unread_file(context, where)
    small = where.real.stat().st_size <= context.settings.file_bytes
    before = parse_document(where.real.read_bytes() if small else b"")
    if not content.overwrite and not context.tracker.covers(where.real, split_lines(before.plain)):
        raise ToolError(f"Only a part of {where.name} was read. Read all of it first, or pass overwrite=true.")
    return before


def encode_like(before: TextDocument | None, text: str) -> tuple[bytes, str]:
    """Return a text in a file's encoding and line endings, and a description of what is preserved."""
    if before is None:
        return text.encode(), ""
    kept = [before.encoding.codec] if before.encoding.codec != "utf-8" or before.encoding.bom else []
    if describe_endings(before.raw) in ("CRLF", "CR") and "\r" not in text:
        text = text.replace("\n", line_ending_at(before.raw, 0))
        kept.append(f"{describe_endings(before.raw)} line endings")
    try:
        data = before.encoding.bom + before.encoding.encode(text)
    except UnicodeEncodeError:
        return text.encode(), f" (saved as UTF-8: {before.encoding.codec} cannot represent some of the new characters)"
    return data, f" ({' and '.join(kept)} kept)" if kept else ""
