"""Define ``openkoi export``, which exports tasks, iterations, findings, learnings and costs."""

from pathlib import Path

import click

from .invocation import Invocation


@click.command()
@click.option(
    "--format", "layout", type=click.Choice(["json", "parquet", "markdown"]), default="json", show_default=True
)
@click.option("--output", type=click.Path(path_type=Path), required=True, help="New folder to write to.")
@click.option("--since", default="", metavar="DATE", help="Export only tasks that started on this day (UTC) or later.")
@click.option("--task", default="", metavar="ID", help="Export only this task and its sub-tasks.")
@click.pass_obj
def command(invocation: Invocation, /, layout: str, output: Path, since: str, task: str) -> None:
    """Export task history, without secrets, into a folder that only you can read."""
    from openkoi_base.counts import format_count
    from openkoi_base.redact import current_redactor
    from openkoi_cli.archive.exporter import ExportOptions, export_tasks
    from openkoi_cli.archive.json_export import UserFiles
    from openkoi_cli.archive.task_selection import TaskSelection

    koi = invocation.open()
    paths = invocation.paths
    done = export_tasks(
        ExportOptions(layout, output, TaskSelection(task, since)),
        UserFiles(paths.data, paths.config),
        current_redactor(),
    )
    for error in done.errors:
        click.echo(koi.redact(f"  ! {error}. The line was skipped."), err=True)
    counts = ", ".join(format_count(count, name.removesuffix("s")) for name, count in done.tables.items())
    records = f" ({format_count(done.records, 'record')})" if done.records else ""
    click.echo(f"{output}: {counts}{records}.")
