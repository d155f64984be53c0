"""``openkoi replay [TASK_ID]``: the recorded events rendered again. No model, tool or network."""

from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openkoi_hookspecs import Record


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--cycles", is_flag=True, help="Tell each turn of the model: what it said, called and was answered.")
@click.option("--format", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, cycles: bool, format: str) -> int:
    """Show a task again as it was; without an id, the last one."""
    from .renderers import rendering

    if cycles and format != "text":
        raise click.UsageError("--cycles is text. For programs, --format jsonl has every event.")
    if cycles:
        click.echo(invocation.redact("\n".join(tree(*found(invocation, task_id)))))
        return 0
    with rendering(format, invocation) as renderer:
        renderer.report.run, records = found(invocation, task_id)
        renderer.progress.verbose = invocation.verbose
        for record in records:
            renderer.tell(record)
        renderer.show()
    return 0


def found(invocation: Invocation, task_id: str) -> "tuple[str, Sequence[Record]]":
    """The run that is meant, and the records of its session."""
    from openkoi_runlog import find_task, records_of

    invocation.open()
    sessions = invocation.paths.sessions
    past = find_task(sessions, task_id)
    return past.run, records_of(sessions, past)


def tree(run: str, records: "Sequence[Record]") -> "Sequence[str]":
    """The cycles of a run, as lines."""
    from openkoi_report import build_cycle_tree, format_tree

    return list(format_tree(build_cycle_tree(records, run)))
