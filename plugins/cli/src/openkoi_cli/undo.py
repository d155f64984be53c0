"""``openkoi undo [TASK_ID]``: take back what a task did to the files."""

import click

from .invocation import Invocation

CUT_SHORT = (
    "It was killed while {tool} was at work, so what a person changed here after that is taken back, too: "
    "openkoi redo {id} has it."
)
BESIDE = "Task {id} worked here at the same time: look at its files, some may have gone with these."


@click.command()
@click.argument("task_id", required=False, default="")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str) -> int:
    """Take back what a task changed; without an id, the last one in this folder."""
    from .interruptible import interruptible

    return interruptible(undo(invocation, task_id))


async def undo(invocation: Invocation, task_id: str) -> int:
    """Do it; what a person changed meanwhile is left as it is, and named, as is what no checkpoint holds."""
    from openkoi_log import records_of

    from .undoing import beside, changes_asked_for, refuse_out_of_turn, restored
    from .untaken import cut_short, untaken

    koi = invocation.open()
    sessions = koi.config.paths.sessions
    changes = changes_asked_for(sessions, task_id, undone=False)
    refuse_out_of_turn(changes, sessions)
    async with koi:
        left = await restored(koi, changes, changes.before)
    for text in left:
        click.echo(f"  ! {koi.redactor(text)}", err=True)
    records = records_of(sessions, changes.past)
    if tool := cut_short(records, changes.past.run):
        click.echo(f"  ! {CUT_SHORT.format(tool=tool, id=changes.past.run[:8])}", err=True)
    others = [past.run[:8] for past in beside(changes, sessions)]
    for id in others:
        click.echo(f"  ! {BESIDE.format(id=id)}", err=True)
    stays = untaken(records, changes.past.run)
    for text in stays:
        click.echo(f"  not taken back: {koi.redactor(text)}", err=True)
    what = "Most of what" if left or stays or others else "What"
    click.echo(f"{what} task {changes.past.run[:8]} changed is taken back: {koi.redactor(changes.past.text)}")
    return 1 if left or stays or others else 0
