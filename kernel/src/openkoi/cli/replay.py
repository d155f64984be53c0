"""``openkoi replay [TASK_ID]``: the recorded events through the same face. No model, tool or network."""

import click

from .group import Invocation


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--format", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, format: str) -> int:
    """Show a task again as it was; without an id, the last one."""
    from openkoi.history import find_task, records_of

    from .faces import face_for

    koi = invocation.open()
    past = find_task(koi.config.paths.sessions, task_id)
    face = face_for(format, koi)
    own = face.of(past.run)
    for record in records_of(koi.config.paths.sessions, past):
        own.tell(record)
    own.show()
    return 0
