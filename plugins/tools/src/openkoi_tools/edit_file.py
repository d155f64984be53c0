"""The tool ``edit_file``: replace a text that was shown and occurs once, and leave every other byte alone."""

from collections.abc import Sequence

from openkoi_hookspecs import Arguments, Effect, Tool, ToolFault, ToolResult

from .arguments import Given, Parameters
from .files import load, save
from .fit import counted, numbered, span
from .matching import MOST_PLACES, Edit, Found, matches
from .nearest import Near, nearest
from .paths import Place
from .read_file import lines_of
from .shown import Seen
from .shown_after import after
from .splice import Change, spliced
from .text import Document, document
from .toolkit import Desk

PARAMETERS = Parameters(
    {
        "path": {"type": "string"},
        "search": {"type": "string", "description": "text to replace, as it stands in the file"},
        "replace": {"type": "string"},
        "all": {"type": "boolean", "description": "replace every occurrence"},
    },
    required=("path", "search", "replace"),
)
MOST_NAMED = 20
PREVIEW = 1_500


def edit_file(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        edit = wanted(given)
        return ToolResult(await desk.at(given.text("path"), lambda where: edited(desk, where, edit)))

    return Tool(
        "edit_file",
        "Replace text in a file that you have read. The search text must occur once: add lines around it if needed.",
        PARAMETERS.schema(),
        call,
        effect=Effect.WRITES,
        doing="Editing {path}",
    )


def wanted(given: Given) -> Edit:
    """Return the edit that is asked for; raises ToolFault for one that can change nothing."""
    search, replace = given.text("search"), given.text("replace")
    if not search:
        raise ToolFault("The search text is empty. Give the text to replace; write_file writes a whole file.")
    edit = Edit(one_ending(search), one_ending(replace), given.flag("all"))
    if edit.search == edit.replace:
        raise ToolFault("Search and replacement are the same, so nothing would change. Line endings are always kept.")
    return edit


def one_ending(text: str) -> str:
    """Return a text with line feeds only."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def edited(desk: Desk, where: Place, edit: Edit) -> str:
    """Make the edit, alone with the file, and say what was done."""
    with desk.locks.of(where.real):
        data = load(where, desk.settings)
        refuse_unread(desk, where)
        text = document(data)
        found = matches(text.plain, edit)
        refuse_many(where, text.plain, edit, found)
        if not found.changes:
            raise ToolFault(missing(desk, where, text.plain, edit))
        refuse_unseen(desk, where, text.plain, found.changes)
        current = desk.seen.current(where.real)
        save(where.real, changed(text, found.changes))
        remember(desk.seen, where, text.plain, found.changes)
        if current:
            desk.seen.note(where.real)
    return report(where, text.plain, found)


def refuse_unread(desk: Desk, where: Place) -> None:
    """Raise when nothing of the file was shown in this run."""
    if not desk.seen.knows(where.real):
        raise ToolFault(f"{where.name} was not shown in this run, so it is not edited blindly. Use read_file first.")


def refuse_unseen(desk: Desk, where: Place, text: str, changes: Sequence[Change]) -> None:
    """Raise when a change goes to lines that were not shown."""
    for change in changes:
        if not desk.seen.covers(where.real, text[change.start : change.end].split("\n")):
            first, last = lines_from(text, change)
            raise ToolFault(
                f"Not shown in this run, at least not as now: {span(first, last)} of {where.name}. "
                f"Read them with read_file (start={first}, end={last}), then edit."
            )


def refuse_many(where: Place, text: str, edit: Edit, found: Found) -> None:
    """Raise when one place is meant and there are more, or more than can be counted."""
    if len(found.changes) >= MOST_PLACES:
        raise ToolFault(f"The search text occurs {MOST_PLACES:,} times and more in {where.name}. Use run_command.")
    if edit.all or len(found.changes) < 2:
        return
    lines = [str(lines_from(text, change)[0]) for change in found.changes[:MOST_NAMED]]
    more = " and further on" if len(found.changes) > MOST_NAMED else ""
    raise ToolFault(
        f"The search text occurs {len(found.changes)} times in {where.name}, at lines {', '.join(lines)}{more}. "
        "Add the lines around the one that is meant, or pass all=true."
    )


def missing(desk: Desk, where: Place, text: str, edit: Edit) -> str:
    """Say that the text is not there, with the lines most like it; they count as shown from now on."""
    lines = lines_of(text)
    near = nearest(lines, edit.search)
    parts = [f"The search text is not in {where.name}."]
    for one in near:
        page = numbered(lines[one.first - 1 : one.last], one.first, desk.settings.result_bytes // 4)
        desk.seen.show(where.real, page.known)
        parts.append(f"{place_of(one)}:\n{page.shown}")
    advice = "Copy the text as it stands, without the line numbers." if near else "Nothing in it is like it; read it."
    return "\n".join([*parts, advice])


def place_of(near: Near) -> str:
    """Say where something similar stands."""
    return f"{near.percent:.0f} % like it: {span(near.first, near.last)}"


def changed(text: Document, changes: Sequence[Change]) -> bytes:
    """Return the file's new bytes; raises ToolFault when they are the old ones."""
    data = spliced(text, changes)
    if data == text.data:
        raise ToolFault("The edit would leave the file as it is: only white space differs, and that was adapted to it.")
    return data


def remember(seen: Seen, where: Place, text: str, changes: Sequence[Change]) -> None:
    """Note the new text as shown: with the whole lines around it, if those were shown before."""
    for change, (old, new) in zip(changes, after(text, changes), strict=True):
        seen.show(where.real, new if seen.covers(where.real, old.split("\n")) else change.new)


def report(where: Place, text: str, found: Found) -> str:
    """Say where the file was changed, and show the new lines where white space was adapted."""
    first, last = lines_from(text, found.changes[0])
    if len(found.changes) > 1:
        done = f"Edited {where.name} in {counted(len(found.changes), 'place')}, the first at line {first}."
    else:
        done = f"Edited {where.name}, {span(first, last)}."
    if not found.tolerant:
        return done
    page = numbered(lines_of(found.changes[0].new), first, PREVIEW)
    return f"{done} The white space was adapted to the file; it reads now:\n{page.shown}"


def lines_from(text: str, change: Change) -> tuple[int, int]:
    """Return the first and the last line of a span, counted from one."""
    first = text.count("\n", 0, change.start) + 1
    return first, first + text.count("\n", change.start, max(change.start, change.end - 1))
