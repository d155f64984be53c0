"""Refuse an edit of a file that the model has not read, and update what it knows after a change."""

from collections.abc import Sequence

from openkoi_base.counts import format_count
from openkoi_hookspecs import ToolError

from .byte_splice import TextChange
from .closest_lines import ClosestLines, find_closest
from .matching import Matches
from .read_after_edit import lines_after
from .read_tracker import ReadTracker
from .symlink_safe_paths import WorkspacePath
from .text_document import split_lines
from .tool_context import ToolContext
from .truncate import format_span, number_lines

MAX_PREVIEW_CHARACTERS = 1_500
COPY_HINT = "Copy the text exactly as it is there, without the line numbers, and try again."
READ_AGAIN_HINT = (
    "Nothing in the file is similar. Read the file again, or search for the text: it may be in another file."
)


def describe_unread(context: ToolContext, where: WorkspacePath) -> str:
    """Return why the current content of a file is not known; empty if it is."""
    if where.real not in context.tracker.stamps:
        return f"{where.name} exists and was not read in this run. Read it first"
    if not context.tracker.is_current(where.real):
        return f"{where.name} has changed since it was read. Read it again"
    return ""


def refuse_unread_file(context: ToolContext, where: WorkspacePath) -> None:
    """Raise ToolError if the model has not seen an existing file's current content."""
    if where.real.exists() and (why := describe_unread(context, where)):
        raise ToolError(f"{why}, or pass overwrite=true.")


def refuse_unread(context: ToolContext, where: WorkspacePath) -> None:
    """Raise ToolError if no part of the file was shown in this run."""
    if not context.tracker.has_shown(where.real):
        raise ToolError(f"{where.name} was not read in this run. Read it with read_file, then edit it.")


def refuse_unseen(context: ToolContext, where: WorkspacePath, text: str, changes: Sequence[TextChange]) -> None:
    """Raise ToolError if a change affects lines that were not shown."""
    for change in changes:
        if not context.tracker.covers(where.real, text[change.start : change.end].split("\n")):
            first, last = line_span(text, change)
            raise ToolError(
                f"Not read in this run, or changed since: {format_span(first, last)} of {where.name}. "
                f"Read them with read_file (start={first}, end={last}), then edit."
            )


def show_similar(context: ToolContext, where: WorkspacePath, text: str, search: str) -> list[str]:
    """Return the lines most similar to a text that is missing; they count as shown from now on."""
    lines, parts = split_lines(text), []
    for one in find_closest(lines, search):
        page = number_lines(lines[one.first - 1 : one.last], one.first, context.settings.result_bytes // 4)
        context.tracker.add_shown(where.real, page.known)
        parts.append(f"{describe_similar(one)}:\n{page.shown}")
    return [*parts, COPY_HINT if parts else READ_AGAIN_HINT]


def describe_similar(near: ClosestLines) -> str:
    """Return the location of the similar lines."""
    return f"Most similar ({near.percent:.0f} %), {format_span(near.first, near.last)}"


def record_shown(seen: ReadTracker, where: WorkspacePath, text: str, changes: Sequence[TextChange]) -> None:
    """Record the new text as shown: with the whole lines around it, if those were shown before."""
    for change, (old, new) in zip(changes, lines_after(text, changes), strict=True):
        seen.add_shown(where.real, new if seen.covers(where.real, old.split("\n")) else change.new)


def describe_edit(where: WorkspacePath, text: str, found: Matches) -> str:
    """Report where the file was changed, and show the new lines if their white space was adapted."""
    first, last = line_span(text, found.changes[0])
    if len(found.changes) > 1:
        done = f"Edited {where.name} in {format_count(len(found.changes), 'place')}, the first at line {first}."
    else:
        done = f"Edited {where.name}, {format_span(first, last)}."
    if not found.tolerant:
        return done
    page = number_lines(split_lines(found.changes[0].new), first, MAX_PREVIEW_CHARACTERS)
    return f"{done} The white space was adapted to the file, which now reads:\n{page.shown}"


def line_span(text: str, change: TextChange) -> tuple[int, int]:
    """Return the first and the last line of a span, counted from one."""
    first = text.count("\n", 0, change.start) + 1
    return first, first + text.count("\n", change.start, max(change.start, change.end - 1))
