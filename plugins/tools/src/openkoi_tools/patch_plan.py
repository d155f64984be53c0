"""Plan a patch's changes to one file, and check them against the current file. Write nothing."""

import stat
from collections.abc import Callable, Sequence

from openkoi_base.counts import format_count
from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .atomic_multi_write import WriteStep
from .byte_splice import splice_bytes
from .file_access import load_file, refuse_read_only, stat_existing
from .hunk_placement import UnplacedHunk, order_changes, place_hunks
from .hunks import FilePatch, Hunk
from .matching import Matches
from .read_after_edit import new_pieces
from .read_before_edit import describe_edit, describe_unread, record_shown, refuse_unread, refuse_unseen, show_similar
from .symlink_safe_paths import WorkspacePath
from .text_document import TextDocument, parse_document, plain_text, split_lines
from .tool_context import ToolContext

MAX_LISTED_PLACES = 20
GIT_FOLDER = ".git"


@dataclass(frozen=True, slots=True)
class PatchPlan:
    """The steps for one file, their description, and how to update what is known of it."""

    steps: tuple[WriteStep, ...]
    description: str
    update_known: Callable[[], None]


@dataclass(frozen=True, slots=True)
class PatchTarget:
    """A file of a patch with its paths before and after, which differ if it is moved."""

    patch: FilePatch
    before: WorkspacePath
    after: WorkspacePath

    @property
    def moves(self) -> bool:
        """Whether the file gets another name."""
        return self.before.real != self.after.real


def plan_patch(context: ToolContext, target: PatchTarget) -> PatchPlan:
    """Check one file of a patch; raise ToolError if the patch cannot be applied."""
    for where in (target.before, target.after):
        if GIT_FOLDER in where.name.casefold().split("/"):
            raise ToolError(f"{where.name} belongs to version control and is not patched. Use run_command with git.")
    if not target.patch.after:
        return plan_deletion(context, target)
    is_new = not target.patch.before or (target.patch.creates and not target.before.real.exists())
    if target.moves or is_new:
        refuse_existing(target.after)
    return plan_addition(context, target) if is_new else plan_update(context, target)


def refuse_existing(where: WorkspacePath) -> None:
    """Raise ToolError if the target path exists."""
    if where.real.exists():
        raise ToolError(
            f"{where.name} already exists. Change it with a hunk that contains its lines, or use write_file."
        )


def plan_addition(context: ToolContext, target: PatchTarget) -> PatchPlan:
    """Plan a new file."""
    text, where = target.patch.content, target.after
    step = WriteStep(where, text.encode(), executable=target.patch.executable)
    description = f"Added {where.name}, {format_count(len(split_lines(plain_text(text))), 'line')}."
    return PatchPlan((step,), description, lambda: context.tracker.add_read(where.real, plain_text(text)))


def plan_deletion(context: ToolContext, target: PatchTarget) -> PatchPlan:
    """Plan to delete a file that was read and has not changed since."""
    where = target.before
    stat_existing(where, context.settings)
    if why := describe_unread(context, where):
        raise ToolError(f"{why}, then delete it.")
    refuse_read_only(where.real)
    if target.patch.hunks:
        text = parse_document(load_file(where, context.settings)).plain
        if "".join(new_pieces(text, locate_hunks(context, where, text, target.patch.hunks).changes)):
            raise ToolError(f"The patch deletes {where.name}, but not all of its lines. Use *** Delete File: alone.")
    return PatchPlan((WriteStep(where, None),), f"Deleted {where.name}.", lambda: context.tracker.forget(where.real))


def plan_update(context: ToolContext, target: PatchTarget) -> PatchPlan:
    """Plan to change or move a file, or both."""
    patch, where = target.patch, target.before
    text = parse_document(load_file(where, context.settings))
    found = locate_hunks(context, where, text.plain, patch.hunks) if patch.hunks else Matches()
    data = splice_bytes(text, found.changes)
    if data == text.data and not target.moves and patch.executable is None:
        raise ToolError(f"The patch would not change {where.name}. Line endings are always preserved.")
    refuse_read_only(where.real)
    mode = stat.S_IMODE(where.real.stat().st_mode)
    step = WriteStep(target.after, data, mode if target.moves else None, patch.executable)
    steps = (step, WriteStep(where, None)) if target.moves else (step,)
    current = context.tracker.is_current(where.real)

    def learn() -> None:
        record_shown(context.tracker, where, text.plain, found.changes)
        if target.moves:
            context.tracker.move(where.real, target.after.real)
        if current:
            context.tracker.add_stamp(target.after.real)

    return PatchPlan(steps, describe_update(target, text, found), learn)


def locate_hunks(context: ToolContext, where: WorkspacePath, text: str, hunks: Sequence[Hunk]) -> Matches:
    """Return the positions of all hunks; raise ToolError for one without, and for lines that were not shown."""
    refuse_unread(context, where)
    fits = place_hunks(text, hunks)
    if isinstance(fits, UnplacedHunk):
        raise ToolError(describe_misplaced(context, where, text, fits))
    refuse_unseen(context, where, text, [fit.block for fit in fits])
    changes = order_changes(fits)
    if changes is None:
        raise ToolError(f"Two hunks of {where.name} change the same lines. Merge them into one hunk.")
    return Matches(changes, any(fit.tolerant for fit in fits))


def describe_misplaced(context: ToolContext, where: WorkspacePath, text: str, misfit: UnplacedHunk) -> str:
    """Describe why a hunk has no position, with the most similar lines."""
    name = f"Hunk {misfit.number} of {where.name}"
    if not misfit.hunk.old_lines:
        return f"{name} has no context lines. Add the line above or below it to the hunk."
    if not misfit.first_lines:
        near = show_similar(context, where, text, "\n".join(misfit.hunk.old_lines))
        return "\n".join([f"{name}: its lines are not in the file.", *near])
    lines = ", ".join(map(str, misfit.first_lines[:MAX_LISTED_PLACES]))
    more = " and others" if len(misfit.first_lines) > MAX_LISTED_PLACES else ""
    return f"{name} fits {len(misfit.first_lines)} times, at lines {lines}{more}. Add more context lines to the hunk."


def describe_update(target: PatchTarget, text: TextDocument, found: Matches) -> str:
    """Describe what was done to an existing file."""
    parts = [describe_edit(target.before, text.plain, found)] if found.changes else []
    if target.patch.executable is not None:
        parts.append(f"{target.before.name} is {'now' if target.patch.executable else 'no longer'} executable.")
    if target.moves:
        parts.append(f"Moved {target.before.name} to {target.after.name}.")
    return "\n".join(parts)
