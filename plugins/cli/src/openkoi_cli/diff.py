"""``openkoi diff [TASK_ID]``: what a task changed, from before it until now."""

import click

from .invocation import Invocation


@click.command()
@click.argument("task_id", required=False, default="")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str) -> None:
    """Show what a task changed, as a unified diff; without an id, the last one in this folder."""
    from .interruptible import interruptible

    interruptible(diff(invocation, task_id))


async def diff(invocation: Invocation, task_id: str) -> None:
    """Print it on stdout."""
    from .undoing import changes_asked_for, keeper_of

    koi = invocation.open()
    changes = changes_asked_for(koi.config.paths.sessions, task_id, undone=False)
    async with koi:
        keeper = await keeper_of(koi)
        click.echo(koi.redactor(await keeper.diff(changes.workspace, changes.before)), nl=False)
