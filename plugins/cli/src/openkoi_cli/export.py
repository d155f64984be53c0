"""``openkoi export``: tasks, iterations, findings, learnings and costs, for another machine, a program or a person."""

from pathlib import Path

import click

from .invocation import Invocation


@click.command()
@click.option("--format", type=click.Choice(["json", "parquet", "markdown"]), default="json", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), required=True, help="A folder that is not there yet.")
@click.option("--since", default="", metavar="DATE", help="Only tasks that began on this day (UTC) or later.")
@click.option("--task", default="", metavar="ID", help="Only this task, with its parts.")
@click.pass_obj
def command(invocation: Invocation, /, format: str, output: Path, since: str, task: str) -> None:
    """Take tasks out of the log, without secrets, into a folder that only you can read."""
    from openkoi_base.redact import current_redactor
    from openkoi_cli.archive import ExportOptions, Own, TaskSelection, export

    koi = invocation.open()
    paths = invocation.paths
    done = export(
        ExportOptions(format, output, TaskSelection(task, since)), Own(paths.data, paths.config), current_redactor()
    )
    for fault in done.faults:
        click.echo(koi.redact(f"  ! {fault}. The line is left out."), err=True)
    told = ", ".join(f"{count} {name}" for name, count in done.tables.items())
    records = f" ({done.records} records)" if done.records else ""
    click.echo(f"{output}: {told}{records}.")
