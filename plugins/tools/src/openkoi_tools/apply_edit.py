"""Replace shown text that occurs once and leave every other byte alone; explain an edit that failed."""

from collections.abc import Sequence

from openkoi_base.schema.parameters import ParsedArguments
from openkoi_hookspecs import ToolError

from .byte_splice import TextChange, splice_bytes
from .file_access import load_file, save_file
from .matching import MAX_MATCHES, Edit, Matches, find_matches
from .read_before_edit import describe_edit, line_span, record_shown, refuse_unread, refuse_unseen, show_similar
from .symlink_safe_paths import WorkspacePath
from .text_document import TextDocument, normalize_endings, parse_document
from .tool_context import ToolContext

MAX_LISTED_PLACES = 20


def parse_edit(given: ParsedArguments) -> Edit:
    """Return the requested edit; raise ToolError for one that can change nothing."""
    search, replace = given.text("search"), given.text("replace")
    if not search:
        raise ToolError("The search text is empty. Pass the text to replace, or use write_file for a whole file.")
    edit = Edit(normalize_endings(search), normalize_endings(replace), given.flag("all"))
    if edit.search == edit.replace:
        raise ToolError("Search and replacement are the same, so nothing would change. Line endings are always kept.")
    return edit


def apply_edit(context: ToolContext, where: WorkspacePath, edit: Edit) -> str:
    """Make the edit while the file is locked, and report what was done."""
    with context.locks.lock_for(where.real):
        data = load_file(where, context.settings)
        refuse_unread(context, where)
        text = parse_document(data)
        found = find_matches(text.plain, edit)
        refuse_ambiguous(where, text.plain, edit, found)
        if not found.changes:
            raise ToolError(describe_missing(context, where, text.plain, edit))
        refuse_unseen(context, where, text.plain, found.changes)
        current = context.tracker.is_current(where.real)
        save_file(where.real, change_bytes(text, found.changes))
        record_shown(context.tracker, where, text.plain, found.changes)
        if current:
            context.tracker.add_stamp(where.real)
    return describe_edit(where, text.plain, found)


def refuse_ambiguous(where: WorkspacePath, text: str, edit: Edit, found: Matches) -> None:
    """Raise ToolError if the edit is for one place and there are several, or too many to count."""
    if len(found.changes) >= MAX_MATCHES:
        raise ToolError(
            f"The search text occurs {MAX_MATCHES:,} times or more in {where.name}. "
            "To replace it, run sed with run_command."
        )
    if edit.all or len(found.changes) < 2:
        return
    lines = [str(line_span(text, change)[0]) for change in found.changes[:MAX_LISTED_PLACES]]
    more = " and others" if len(found.changes) > MAX_LISTED_PLACES else ""
    raise ToolError(
        f"The search text occurs {len(found.changes)} times in {where.name}, at lines {', '.join(lines)}{more}. "
        "Add lines around the one you mean, or pass all=true to replace each of them."
    )


def describe_missing(context: ToolContext, where: WorkspacePath, text: str, edit: Edit) -> str:
    """Report that the text is missing, whether the replacement already exists, and the most similar lines."""
    first = f"The search text is not in {where.name}."
    at = text.find(edit.replace) if edit.replace.strip() else -1
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        first += f" The replacement is already there, at line {line}: this edit may be done already."
    return "\n".join([first, *show_similar(context, where, text, edit.search)])


def change_bytes(text: TextDocument, changes: Sequence[TextChange]) -> bytes:
    """Return the file's new bytes; raise ToolError when they equal the old ones."""
    data = splice_bytes(text, changes)
    if data == text.data:
        raise ToolError(
            "The edit would not change the file, because white space is adapted to the file. "
            "To change white space, copy the current lines exactly into search."
        )
    return data
