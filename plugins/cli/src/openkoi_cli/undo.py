"""Define ``openkoi undo [TASK_ID]``, which undoes a task's changes and keeps later ones.

``openkoi_checkpoints`` decides per file (``plan_restore``), and merges files that were edited since (``merge``).
"""

import click

from .invocation import Invocation

CUT_SHORT = (
    "The task was interrupted during {tool}. Changes made here during that call count as the task's work; later "
    "changes are kept. Run `openkoi redo {id}` to reapply what was undone."
)
SKIPPED = "Skipped task {id}, which ended before it changed a file."


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--force", is_flag=True, help="Overwrite files even if they have conflicting later changes.")
@click.option("--rewind", is_flag=True, help="Undo only; do not learn to avoid what the task did.")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, force: bool, rewind: bool) -> int:
    """Undo a task's changes and keep later ones. Defaults to the last task that changed files here."""
    from .interruptible import run_interruptible

    return run_interruptible(undo(invocation, task_id, force=force, rewind=rewind))


async def undo(invocation: Invocation, task_id: str, *, force: bool, rewind: bool) -> int:
    """Undo the changes, and list what stays: conflicts, and what no checkpoint contains."""
    from openkoi_runlog import read_task_records

    from .remaining_changes import find_interrupted_tool, list_remaining
    from .restore_summary import format_kept, format_left, format_summary
    from .task_changes import RAN_AT_ONCE, find_concurrent
    from .undo_choice import task_after, tasks_to_undo, undo_first, why_unchanged

    koi, sessions = invocation.open(), invocation.paths.sessions
    tasks = tasks_to_undo(sessions, task_id)
    async with koi:
        changes, done, untouched = await undo_first(koi, invocation.paths, tasks, force=force, rewind=rewind)
    short_id = changes.past.run[:8]
    for past in untouched:
        click.echo(f"  ! {SKIPPED.format(id=past.run[:8])}", err=True)
    for text in format_left(done, f"openkoi undo {short_id} --force"):
        click.echo(f"  ! {koi.redact(text)}", err=True)
    records = read_task_records(sessions, changes.past)
    if tool := find_interrupted_tool(records, changes.past.run):
        click.echo(f"  ! {CUT_SHORT.format(tool=tool, id=short_id)}", err=True)
        for text in format_kept(done):
            click.echo(f"  kept: {koi.redact(text)}", err=True)
    for past in find_concurrent(changes, sessions):
        click.echo(f"  ! {RAN_AT_ONCE.format(id=past.run[:8])}", err=True)
    stays = list_remaining(records, changes.past.run)
    for text in stays:
        click.echo(f"  not undone: {koi.redact(text)}", err=True)
    why = why_unchanged(changes, done, undo=True, before=task_after(tasks, changes))
    click.echo(koi.redact(format_summary("undo", f"{short_id}: {changes.past.text}", done, why=why)))
    return 1 if done.conflicts or done.left or stays else 0
