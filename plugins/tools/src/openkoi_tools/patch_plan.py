"""What a patch comes to for one file, checked against the file as it is. Writes nothing."""

import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import ToolError

from .files import existing, load, refuse_read_only
from .fit import counted
from .hunks import FilePatch, Hunk
from .matching import Found
from .paths import Place
from .placed import Misfit, ordered, placed
from .shown_after import pieces
from .splice import spliced
from .text import Document, document, lines_of, plain
from .together import Step
from .toolkit import Desk
from .unseen import alike, refuse_unread, refuse_unseen, remember, report, unread

MOST_NAMED = 20
HISTORY = ".git"


@dataclass(frozen=True, slots=True)
class Draft:
    """What to do on the disk, what to say of it, and what is known once it is done."""

    steps: tuple[Step, ...]
    said: str
    learn: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Target:
    """A file of a patch, with the places of it before and after; they differ where it is moved."""

    patch: FilePatch
    before: Place
    after: Place

    @property
    def moves(self) -> bool:
        """Whether the file gets another name."""
        return self.before.real != self.after.real


def drafted(desk: Desk, target: Target) -> Draft:
    """Check one file of a patch; raises ToolError where it cannot be applied."""
    for where in (target.before, target.after):
        if HISTORY in where.name.casefold().split("/"):
            raise ToolError(f"{where.name} belongs to version control and is not patched. Use run_command with git.")
    if not target.patch.after:
        return deleted(desk, target)
    is_new = not target.patch.before or (target.patch.creates and not target.before.real.exists())
    if target.moves or is_new:
        refuse_existing(target.after)
    return added(desk, target) if is_new else updated(desk, target)


def refuse_existing(where: Place) -> None:
    """Raise when something is there already."""
    if where.real.exists():
        raise ToolError(f"{where.name} exists already. Change it with a hunk of its own lines, or use write_file.")


def added(desk: Desk, target: Target) -> Draft:
    """A file that is new."""
    text, where = target.patch.content, target.after
    step = Step(where, text.encode(), executable=target.patch.executable)
    said = f"Added {where.name}, {counted(len(lines_of(plain(text))), 'line')}."
    return Draft((step,), said, lambda: desk.seen.read(where.real, plain(text)))


def deleted(desk: Desk, target: Target) -> Draft:
    """A file that is to go: one that was read, and is as it was then."""
    where = target.before
    existing(where, desk.settings)
    if why := unread(desk, where):
        raise ToolError(f"{why}, then delete it.")
    refuse_read_only(where.real)
    if target.patch.hunks:
        text = document(load(where, desk.settings)).plain
        if "".join(pieces(text, found_in(desk, where, text, target.patch.hunks).changes)):
            raise ToolError(f"The patch deletes {where.name}, but not all of its lines. Use *** Delete File: alone.")
    return Draft((Step(where, None),), f"Deleted {where.name}.", lambda: desk.seen.forget(where.real))


def updated(desk: Desk, target: Target) -> Draft:
    """A file that is changed, or moved, or both."""
    patch, where = target.patch, target.before
    text = document(load(where, desk.settings))
    found = found_in(desk, where, text.plain, patch.hunks) if patch.hunks else Found()
    data = spliced(text, found.changes)
    if data == text.data and not target.moves and patch.executable is None:
        raise ToolError(f"The patch would leave {where.name} as it is. Line endings are always kept.")
    refuse_read_only(where.real)
    mode = stat.S_IMODE(where.real.stat().st_mode)
    step = Step(target.after, data, mode if target.moves else None, patch.executable)
    steps = (step, Step(where, None)) if target.moves else (step,)
    current = desk.seen.current(where.real)

    def learn() -> None:
        remember(desk.seen, where, text.plain, found.changes)
        if target.moves:
            desk.seen.move(where.real, target.after.real)
        if current:
            desk.seen.note(target.after.real)

    return Draft(steps, told(target, text, found), learn)


def found_in(desk: Desk, where: Place, text: str, hunks: Sequence[Hunk]) -> Found:
    """Find the places of all hunks; raises ToolError for one without, and for lines that were not shown."""
    refuse_unread(desk, where)
    fits = placed(text, hunks)
    if isinstance(fits, Misfit):
        raise ToolError(misplaced(desk, where, text, fits))
    refuse_unseen(desk, where, text, [fit.block for fit in fits])
    changes = ordered(fits)
    if changes is None:
        raise ToolError(f"Two hunks of {where.name} change the same lines. Join them in one hunk.")
    return Found(changes, any(fit.tolerant for fit in fits))


def misplaced(desk: Desk, where: Place, text: str, misfit: Misfit) -> str:
    """Say why a hunk has no place, with what is most like it."""
    name = f"Hunk {misfit.number} of {where.name}"
    if not misfit.hunk.old:
        return f"{name} has no context lines. Add the line above or below it to the hunk."
    if not misfit.firsts:
        near = alike(desk, where, text, "\n".join(misfit.hunk.old))
        return "\n".join([f"{name}: its lines are not in the file.", *near])
    lines = ", ".join(map(str, misfit.firsts[:MOST_NAMED]))
    more = " and further on" if len(misfit.firsts) > MOST_NAMED else ""
    return f"{name} fits {len(misfit.firsts)} times, at lines {lines}{more}. Add more context lines to the hunk."


def told(target: Target, text: Document, found: Found) -> str:
    """Say what was done with a file that was there."""
    parts = [report(target.before, text.plain, found)] if found.changes else []
    if target.patch.executable is not None:
        parts.append(f"{target.before.name} is {'now' if target.patch.executable else 'no longer'} executable.")
    if target.moves:
        parts.append(f"Moved {target.before.name} to {target.after.name}.")
    return "\n".join(parts)
