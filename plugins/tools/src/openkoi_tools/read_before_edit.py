"""What was not shown is not changed: the refusals that edits and patches share, and what is known after a change."""

from collections.abc import Sequence

from openkoi_hookspecs import ToolError

from .fit import counted, numbered, span
from .matching import Found
from .nearest import Near, nearest
from .paths import Place
from .shown import Seen
from .shown_after import after
from .splice import Change
from .text import lines_of
from .toolkit import Desk

PREVIEW = 1_500
COPY = "Copy the text exactly as it is there, without the line numbers, and try again."
LOOK = "Nothing in the file is similar. Read the file again, or search for the text: it may be in another file."


def unread(desk: Desk, where: Place) -> str:
    """Say why a whole file is not known as it is now; nothing, if it is."""
    if where.real not in desk.seen.stamps:
        return f"{where.name} exists and was not read in this run. Read it first"
    if not desk.seen.current(where.real):
        return f"{where.name} has changed since it was read. Read it again"
    return ""


def refuse_unread(desk: Desk, where: Place) -> None:
    """Raise when nothing of the file was shown in this run."""
    if not desk.seen.knows(where.real):
        raise ToolError(f"{where.name} was not read in this run. Read it with read_file, then edit it.")


def refuse_unseen(desk: Desk, where: Place, text: str, changes: Sequence[Change]) -> None:
    """Raise when a change goes to lines that were not shown."""
    for change in changes:
        if not desk.seen.covers(where.real, text[change.start : change.end].split("\n")):
            first, last = lines_from(text, change)
            raise ToolError(
                f"Not read in this run, or changed since: {span(first, last)} of {where.name}. "
                f"Read them with read_file (start={first}, end={last}), then edit."
            )


def alike(desk: Desk, where: Place, text: str, search: str) -> list[str]:
    """Show the lines most like a text that is not there; they count as shown from now on."""
    lines, parts = lines_of(text), []
    for one in nearest(lines, search):
        page = numbered(lines[one.first - 1 : one.last], one.first, desk.settings.result_bytes // 4)
        desk.seen.show(where.real, page.known)
        parts.append(f"{place_of(one)}:\n{page.shown}")
    return [*parts, COPY if parts else LOOK]


def place_of(near: Near) -> str:
    """Say where something similar stands."""
    return f"Most similar ({near.percent:.0f} %), {span(near.first, near.last)}"


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
    return f"{done} The white space was adapted to the file, which now reads:\n{page.shown}"


def lines_from(text: str, change: Change) -> tuple[int, int]:
    """Return the first and the last line of a span, counted from one."""
    first = text.count("\n", 0, change.start) + 1
    return first, first + text.count("\n", change.start, max(change.start, change.end - 1))
