"""``openkoi replay [TASK_ID]``: the recorded events through the same face. No model, tool or network."""

import click

from .invocation import Invocation


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--format", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, format: str) -> int:
    """Show a task again as it was; without an id, the last one."""
    from openkoi_log import find_task, records_of

    from .faces import faced

    with faced(format, invocation) as face:
        sessions = invocation.open().config.paths.sessions
        past = find_task(sessions, task_id)
        face.report.run = past.run
        for record in records_of(sessions, past):
            face.tell(record)
        face.show()
    return 0
