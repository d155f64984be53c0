"""Define ``openkoi replay [TASK_ID]``, which renders recorded events without a model, tool or network."""

from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openkoi_hookspecs import Record


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--cycles", is_flag=True, help="Show each model turn: its text, tool calls and results.")
@click.option("--format", "layout", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, cycles: bool, layout: str) -> int:
    """Replay a recorded task. Defaults to the last task."""
    from .renderers import open_renderer

    if cycles and layout != "text":
        raise click.UsageError("--cycles prints only text. Use --format jsonl for every event.")
    if cycles:
        click.echo(invocation.redact("\n".join(format_cycles(*load_run(invocation, task_id)))))
        return 0
    with open_renderer(layout, invocation) as renderer:
        renderer.report.run, records = load_run(invocation, task_id)
        renderer.progress.verbose = invocation.verbose
        for record in records:
            renderer.add_record(record)
        renderer.show()
    return 0


def load_run(invocation: Invocation, task_id: str) -> "tuple[str, Sequence[Record]]":
    """Return the id of the run, and the records of its session."""
    from openkoi_runlog import find_task, read_task_records

    invocation.open()
    sessions = invocation.paths.sessions
    past = find_task(sessions, task_id)
    return past.run, read_task_records(sessions, past)


def format_cycles(run: str, records: "Sequence[Record]") -> "Sequence[str]":
    """Return the cycles of a run as lines."""
    from openkoi_runlog.report import build_cycle_tree, format_tree

    return list(format_tree(build_cycle_tree(records, run)))
