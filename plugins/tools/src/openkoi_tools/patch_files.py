"""Apply a patch to several files: all are checked, then all are changed while they are locked."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from openkoi_base.counts import format_count
from openkoi_hookspecs import ToolError

from .atomic_multi_write import apply_steps
from .hunks import FilePatch
from .patch_plan import PatchPlan, PatchTarget, plan_patch
from .tool_context import ToolContext
from .truncate import take_fitting

TITLE_BYTES = 100
UNCHANGED = "Nothing was changed."


def apply_patches(context: ToolContext, patches: Sequence[FilePatch]) -> str:
    """Check all files, then change all of them while they are locked, and report what was done."""
    targets = [resolve_target(context, patch) for patch in patches]
    refuse_duplicates(targets)
    with lock_files(context, {where.real for target in targets for where in (target.before, target.after)}):
        drafts = [check_target(context, target) for target in targets]
        apply_steps([step for draft in drafts for step in draft.steps])
        for draft in drafts:
            draft.update_known()
    return format_report([draft.description for draft in drafts], context.settings.result_bytes - TITLE_BYTES)


def format_report(lines: Sequence[str], room: int) -> str:
    """Return what was done, shortened to the available space."""
    fitting = take_fitting(lines, room)
    title = [f"Patched {format_count(len(lines), 'file')}:"] if len(lines) > 1 else []
    left = [f"[and {len(lines) - len(fitting)} more]"] if len(fitting) < len(lines) else []
    return "\n".join([*title, *fitting, *left])


def resolve_target(context: ToolContext, patch: FilePatch) -> PatchTarget:
    """Return a patch's file with its paths."""
    before = context.resolve_and_run(patch.before or patch.after, lambda where: where)
    after = context.resolve_and_run(patch.after or patch.before, lambda where: where)
    if patch.before != patch.after and patch.before and (context.run.workspace / patch.before).is_symlink():
        raise ToolError(f"{patch.before} is a link, which a patch cannot move or delete. Use run_command.")
    return PatchTarget(patch, before, after)


def refuse_duplicates(targets: Sequence[PatchTarget]) -> None:
    """Raise ToolError if a file occurs more than once."""
    met: set[Path] = set()
    for target in targets:
        places = {target.before.real, target.after.real}
        if met & places:
            raise ToolError(f"{target.before.name} is in the patch twice. Put all of its hunks under one header.")
        met |= places


@contextmanager
def lock_files(context: ToolContext, paths: set[Path]) -> Iterator[None]:
    """Lock several files, always in the same order."""
    with ExitStack() as held:
        for path in sorted(paths):
            held.enter_context(context.locks.lock_for(path))
        yield


def check_target(context: ToolContext, target: PatchTarget) -> PatchPlan:
    """Check one file; errors state that nothing was changed."""
    try:
        return context.resolve_and_run(target.patch.before or target.patch.after, lambda _: plan_patch(context, target))
    except ToolError as fault:
        raise ToolError(f"{fault}\n{UNCHANGED}") from None
