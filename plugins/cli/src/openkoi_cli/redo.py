"""``openkoi redo [TASK_ID]``: take up again what was taken back."""

import click

from .invocation import Invocation


@click.command()
@click.argument("task_id", required=False, default="")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str) -> int:
    """Take up again what was taken back."""
    from .interruptible import interruptible

    return interruptible(redo(invocation, task_id))


async def redo(invocation: Invocation, task_id: str) -> int:
    """Do it; what a person changed meanwhile is left as it is, and named."""
    from .undoing import changes_asked_for, restored

    koi = invocation.open()
    sessions = koi.config.paths.sessions
    changes = changes_asked_for(sessions, task_id, undone=True)
    async with koi:
        left = await restored(koi, changes, changes.after)
    for text in left:
        click.echo(f"  ! {koi.redactor(text)}", err=True)
    what = "Most of what" if left else "What"
    click.echo(f"{what} task {changes.past.run[:8]} changed is there again: {koi.redactor(changes.past.text)}")
    return 1 if left else 0
