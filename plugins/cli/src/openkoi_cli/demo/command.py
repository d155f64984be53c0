"""Define the command ``openkoi demo``."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import click

from .project_diff import diff_projects
from .setup import PROJECT, TASK, prepare_project, run_task
from .text import color_diff, format_closing, format_opening


@click.command()
@click.option("--keep", is_flag=True, help="Keep the project folder instead of deleting it.")
@click.pass_context
def demo(context: click.Context, keep: bool) -> None:
    """Watch OpenKoi repair a small project. Needs no API key: the model is scripted, everything else is real."""
    with open_folder(keep) as folder:
        context.exit(run_and_show(prepare_project(folder), keep))


@contextmanager
def open_folder(keep: bool) -> Iterator[Path]:
    """Yield a folder for the project, and remove it afterwards unless it is kept."""
    folder = Path(mkdtemp(prefix="openkoi-demo-")).resolve()
    try:
        yield folder
    finally:
        if not keep:
            rmtree(folder, ignore_errors=True)


def run_and_show(copy: Path, keep: bool) -> int:
    """Run the task in the copy and show the changes; a run that changed nothing has explained why itself."""
    click.echo(format_opening(copy, TASK), err=True)
    status = run_task(copy)
    if difference := diff_projects(PROJECT, copy):
        if not sys.stdout.isatty():  # there the run has shown it
            click.echo("\n" + color_diff(difference), color=False if os.environ.get("NO_COLOR") else None)
        click.echo("\n" + format_closing(copy if keep else None))
    return status
