"""The tool ``edit_file``: replace a text that was shown and occurs once, and leave every other byte alone."""

from collections.abc import Sequence

from openkoi_hookspecs import Arguments, Effect, Tool, ToolError, ToolResult
from openkoi_schema import Given, Parameters

from .files import load, save
from .matching import MOST_PLACES, Edit, Found, matches
from .paths import Place
from .splice import Change, spliced
from .text import Document, document, one_ending
from .toolkit import Desk
from .unseen import alike, lines_from, refuse_unread, refuse_unseen, remember, report

PARAMETERS = Parameters(
    {
        "path": {"type": "string"},
        "search": {"type": "string", "description": "exact text, such as '    return a', not '12|    return a'"},
        "replace": {"type": "string"},
        "all": {"type": "boolean", "description": "replace every occurrence"},
    },
    required=("path", "search", "replace"),
)
MOST_NAMED = 20


def edit_file(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        edit = wanted(given)
        return ToolResult(await desk.at(given.text("path"), lambda where: edited(desk, where, edit)))

    return Tool(
        "edit_file",
        "Replace text in a file that you have read. search must occur once: add lines around it if needed.",
        PARAMETERS.schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Editing {path}",
    )


def wanted(given: Given) -> Edit:
    """Return the edit that is asked for; raises ToolError for one that can change nothing."""
    search, replace = given.text("search"), given.text("replace")
    if not search:
        raise ToolError("The search text is empty. Pass the text to replace, or use write_file for a whole file.")
    edit = Edit(one_ending(search), one_ending(replace), given.flag("all"))
    if edit.search == edit.replace:
        raise ToolError("Search and replacement are the same, so nothing would change. Line endings are always kept.")
    return edit


def edited(desk: Desk, where: Place, edit: Edit) -> str:
    """Make the edit, alone with the file, and say what was done."""
    with desk.locks.of(where.real):
        data = load(where, desk.settings)
        refuse_unread(desk, where)
        text = document(data)
        found = matches(text.plain, edit)
        refuse_many(where, text.plain, edit, found)
        if not found.changes:
            raise ToolError(missing(desk, where, text.plain, edit))
        refuse_unseen(desk, where, text.plain, found.changes)
        current = desk.seen.current(where.real)
        save(where.real, changed(text, found.changes))
        remember(desk.seen, where, text.plain, found.changes)
        if current:
            desk.seen.note(where.real)
    return report(where, text.plain, found)


def refuse_many(where: Place, text: str, edit: Edit, found: Found) -> None:
    """Raise when one place is meant and there are more, or more than can be counted."""
    if len(found.changes) >= MOST_PLACES:
        raise ToolError(f"The search text occurs {MOST_PLACES:,} times and more in {where.name}. Use run_command.")
    if edit.all or len(found.changes) < 2:
        return
    lines = [str(lines_from(text, change)[0]) for change in found.changes[:MOST_NAMED]]
    more = " and further on" if len(found.changes) > MOST_NAMED else ""
    raise ToolError(
        f"The search text occurs {len(found.changes)} times in {where.name}, at lines {', '.join(lines)}{more}. "
        "Add lines around the one you mean, or pass all=true to replace each of them."
    )


def missing(desk: Desk, where: Place, text: str, edit: Edit) -> str:
    """Say that the text is not there, whether the replacement is, and which lines are most like it."""
    first = f"The search text is not in {where.name}."
    at = text.find(edit.replace) if edit.replace.strip() else -1
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        first += f" The replacement is, at line {line}: this edit may have been made already."
    return "\n".join([first, *alike(desk, where, text, edit.search)])


def changed(text: Document, changes: Sequence[Change]) -> bytes:
    """Return the file's new bytes; raises ToolError when they are the old ones."""
    data = spliced(text, changes)
    if data == text.data:
        raise ToolError(
            "The edit would leave the file as it is, because white space is adapted to the file. "
            "To change white space, copy the current lines exactly into search."
        )
    return data
