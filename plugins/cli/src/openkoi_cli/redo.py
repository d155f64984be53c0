"""Define ``openkoi redo [TASK_ID]``, which reapplies a task's undone or reverted changes."""

import click

from .invocation import Invocation


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--force", is_flag=True, help="Overwrite files even if they have conflicting later changes.")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, force: bool) -> int:
    """Reapply a task's changes and keep later ones. Defaults to the task that was undone last."""
    from .interruptible import run_interruptible

    return run_interruptible(redo(invocation, task_id, force=force))


async def redo(invocation: Invocation, task_id: str, *, force: bool) -> int:
    """Reapply the changes, and list files with conflicts, which stay as they are."""
    from .restore_summary import format_left, format_summary
    from .task_changes import restore_files
    from .undo_choice import task_to_redo, why_unchanged

    koi, paths = invocation.open(), invocation.paths
    changes = task_to_redo(paths.sessions, task_id)
    short_id = changes.past.run[:8]
    async with koi:
        done = await restore_files(koi, paths, changes, undo=False, force=force)
    for text in format_left(done, f"openkoi redo {short_id} --force"):
        click.echo(f"  ! {koi.redact(text)}", err=True)
    why = why_unchanged(changes, done, undo=False)
    click.echo(koi.redact(format_summary("reapply", f"{short_id}: {changes.past.text}", done, why=why)))
    return 1 if done.conflicts or done.left else 0
