"""Define ``openkoi diff [TASK_ID]``, which shows what a task changed."""

import os
import sys
from collections.abc import AsyncIterator
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import Checkpoints

    from .task_changes import Changes

UNDONE = "Task {id} is undone: these changes are not in this folder. Run `openkoi redo {id}` to reapply them."
EMPTY = "Task {id} changed no files that checkpoints cover."
SINCE = "{verb} since task {id}: {files}."


@click.command()
@click.argument("task_id", required=False, default="")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str) -> None:
    """Show what a task changed, as a unified diff. Defaults to the last task that changed files here."""
    from .interruptible import run_interruptible

    text, notes = run_interruptible(read_diff(invocation, task_id))
    show_diff(invocation.redact(text))
    for line in notes:
        click.echo(invocation.redact(line), err=True)


def show_diff(text: str) -> None:
    """Print a diff: unchanged to a pipe or file; on a terminal in colour and, if it is long, in a pager."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from openkoi_terminal import detect_style, render_diff

    lines = render_diff(text, detect_style(sys.stdout), most=0)
    if len(lines) < get_terminal_size().lines:
        click.echo("\n".join(lines), nl=bool(lines))
        return
    os.environ.setdefault("LESS", "FRX")  # as git sets it: end where the text fits, keep colours and the screen
    click.echo_via_pager("\n".join(lines))


async def read_diff(invocation: Invocation, task_id: str) -> tuple[str, list[str]]:
    """Return the diff, and notes about later changes to the same files."""
    from openkoi_base.files import is_run_active

    from .task_changes import RAN_AT_ONCE, find_concurrent, load_checkpoints, save_last_changes
    from .undo_choice import task_to_show

    koi, paths = invocation.open(), invocation.paths
    changes = task_to_show(paths.sessions, task_id)
    async with koi:
        checkpoints = await load_checkpoints(koi)
        if is_run_active(paths.running, changes.past.run):
            return await checkpoints.diff(changes.workspace, changes.before), []
        changes = await save_last_changes(koi, paths.sessions, changes)
        text = await checkpoints.diff(changes.workspace, changes.before, changes.after)
        notes = [RAN_AT_ONCE.format(id=past.run[:8]) for past in find_concurrent(changes, paths.sessions)]
        return text, [*[line async for line in describe_since(text, changes, checkpoints)], *notes]


async def describe_since(text: str, changes: "Changes", checkpoints: "Checkpoints") -> "AsyncIterator[str]":
    """Yield whether the changes are still present, and the files that were changed since."""
    from openkoi_base.files.diffs import changed_files, format_names

    short_id, files = changes.past.run[:8], changed_files(text)
    after, before = [
        {*changed_files(await checkpoints.diff(changes.workspace, one))} for one in (changes.after, changes.before)
    ]
    if not text:
        yield EMPTY.format(id=short_id)
    if changes.undone:
        yield UNDONE.format(id=short_id)
    reverted = [file for file in files if file in after and file not in before and not changes.redoable]
    changed = [file for file in files if file in after and file in before]
    for verb, some in (("Reverted", reverted), ("Changed", changed)):
        if some:
            yield SINCE.format(verb=verb, id=short_id, files=format_names(some))
