"""``openkoi redo [TASK_ID]``: reapply a task's changes that were undone or reverted."""

import click

from .invocation import Invocation


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--force", is_flag=True, help="Overwrite files that were changed since, where both changes conflict.")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, force: bool) -> int:
    """Reapply a task's changes and keep those made since. Defaults to the task that was undone last."""
    from .interruptible import interruptible

    return interruptible(redo(invocation, task_id, force=force))


async def redo(invocation: Invocation, task_id: str, *, force: bool) -> int:
    """Do it; what conflicts with later changes is left as it is and named."""
    from .restored import left_alone, summary
    from .undo_choice import task_to_redo, why_unchanged
    from .undoing import restored

    koi, paths = invocation.open(), invocation.paths
    changes = task_to_redo(paths.sessions, task_id)
    id = changes.past.run[:8]
    async with koi:
        done = await restored(koi, paths, changes, undo=False, force=force)
    for text in left_alone(done, f"openkoi redo {id} --force"):
        click.echo(f"  ! {koi.redact(text)}", err=True)
    why = why_unchanged(changes, done, undo=False)
    click.echo(koi.redact(summary("reapply", f"{id}: {changes.past.text}", done, why=why)))
    return 1 if done.conflicts or done.left else 0
