"""The command itself: prepare, perform, show."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import click

from .changes import changes
from .stage import PROJECT, TASK, perform, prepare
from .telling import closing, coloured, opening


@click.command()
@click.option("--keep", is_flag=True, help="Keep the project, to look at it or to go on in it.")
@click.pass_context
def demo(context: click.Context, keep: bool) -> None:
    """See OpenKoi repair a small project, without a key: the model is scripted, everything else is real."""
    with somewhere(keep) as folder:
        context.exit(shown(prepare(folder), keep))


@contextmanager
def somewhere(keep: bool) -> Iterator[Path]:
    """Lend a folder of its own, and take it away again unless it is kept."""
    folder = Path(mkdtemp(prefix="openkoi-demo-")).resolve()
    try:
        yield folder
    finally:
        if not keep:
            rmtree(folder, ignore_errors=True)


def shown(copy: Path, keep: bool) -> int:
    """Do the task in the copy, and show what became of it; a run that changed nothing has said why itself."""
    click.echo(opening(copy, TASK), err=True)
    status = perform(copy)
    if difference := changes(PROJECT, copy):
        click.echo("\n" + coloured(difference), color=False if os.environ.get("NO_COLOR") else None)
        click.echo("\n" + closing(copy if keep else None))
    return status
