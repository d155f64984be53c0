"""``openkoi undo [TASK_ID]``: undo a task's changes, whatever was changed since."""

import click

from .invocation import Invocation

CUT_SHORT = (
    "The task was killed during {tool}. What was changed here during that call counts as its work; what was changed "
    "after that is kept. Run `openkoi redo {id}` to get back what is undone."
)
PASSED_OVER = "Task {id} ended before it changed a file, so it is passed over."


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--force", is_flag=True, help="Overwrite files that were changed since, where both changes conflict.")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, force: bool) -> int:
    """Undo a task's changes and keep those made since. Defaults to the last task in this directory."""
    from .interruptible import interruptible

    return interruptible(undo(invocation, task_id, force=force))


async def undo(invocation: Invocation, task_id: str, *, force: bool) -> int:
    """Do it; what conflicts with later changes is left as it is and named, as is what no checkpoint contains."""
    from openkoi_runlog import records_of

    from .restored import changed_by_others, left_alone, summary
    from .undo_choice import task_after, tasks_to_undo, undo_first, why_unchanged
    from .undoing import BESIDE, beside
    from .untaken import cut_short, untaken

    koi, sessions = invocation.open(), invocation.paths.sessions
    tasks = tasks_to_undo(sessions, task_id)
    async with koi:
        changes, done, untouched = await undo_first(koi, invocation.paths, tasks, force=force)
    id = changes.past.run[:8]
    for past in untouched:
        click.echo(f"  ! {PASSED_OVER.format(id=past.run[:8])}", err=True)
    for text in left_alone(done, f"openkoi undo {id} --force"):
        click.echo(f"  ! {koi.redact(text)}", err=True)
    records = records_of(sessions, changes.past)
    if tool := cut_short(records, changes.past.run):
        click.echo(f"  ! {CUT_SHORT.format(tool=tool, id=id)}", err=True)
        for text in changed_by_others(done):
            click.echo(f"  kept: {koi.redact(text)}", err=True)
    for past in beside(changes, sessions):
        click.echo(f"  ! {BESIDE.format(id=past.run[:8])}", err=True)
    stays = untaken(records, changes.past.run)
    for text in stays:
        click.echo(f"  not undone: {koi.redact(text)}", err=True)
    why = why_unchanged(changes, done, undo=True, before=task_after(tasks, changes))
    click.echo(koi.redact(summary("undo", f"{id}: {changes.past.text}", done, why=why)))
    return 1 if done.conflicts or done.left or stays else 0
