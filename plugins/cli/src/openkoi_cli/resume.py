"""Define ``openkoi resume [TASK_ID] [TEXT]``: finish an interrupted task without repeating calls, or follow up."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation
from .setting_names import DEFAULT_MODEL, EVALUATOR, LIMITS

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Paths
    from openkoi_runlog import PastTask

    from .renderers import Renderer

STATUS_HINT = " `openkoi status` lists recent tasks."
SETTING_OF_FLAG = {"model": DEFAULT_MODEL, "evaluator": EVALUATOR, "budget": LIMITS["usd"]}


@click.command()
@click.argument("task_id", required=False, default="")
@click.argument("words", nargs=-1, metavar="[TEXT]...")
@click.option("-m", "--model", metavar="MODEL", help="Use this model for every role.")
@click.option("--evaluator", metavar="MODEL", help="Use this model as the judge.")
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Maximum cost in US dollars, earlier spending included."
)
@click.option(
    "-y",
    "--yes",
    is_flag=True,
    help="Approve changes that `openkoi undo` can revert, and what the `yes` setting of [hooks.guard] allows.",
)
@click.option("--format", "layout", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, words: Sequence[str], layout: str, yes: bool, **flags: Any) -> int:
    """Resume a task that was interrupted, waits for approval, or could not be judged. [default: the last one here]

    With TEXT, continue its session: the model sees the conversation so far, and TEXT is its next task.
    """
    if words and not task_id:  # as of an unset variable of a script
        raise click.UsageError("The task's id is empty. To list sessions, run `openkoi sessions`.")
    from .interruptible import run_interruptible
    from .renderers import open_renderer

    settings = {key: flags[flag] for flag, key in SETTING_OF_FLAG.items() if flags.get(flag) not in (None, "")}
    with open_renderer(layout, invocation) as renderer:
        if words:
            follow_up(task_id, words, {**flags, "yes": yes}, renderer)
            return renderer.report.status
        invocation.open()
        past = find_past(invocation.paths, task_id)
        run_interruptible(resume_and_show(past, settings, renderer, yes=yes))
    return renderer.report.status


def follow_up(task_id: str, words: Sequence[str], flags: Mapping[str, Any], renderer: "Renderer") -> None:
    """Run a task that continues the session of a task."""
    from .follow_up import FollowUp
    from .run_task import RunOptions, run_task

    own = dict(flags)
    yes = own.pop("yes")
    run_task(RunOptions(words, own, from_stdin=False, yes=yes, follow_up=FollowUp(task_id)), renderer)


def find_past(paths: "Paths", task_id: str) -> "PastTask":
    """Return the task with an id; without one, the last one in this folder that can be resumed."""
    from openkoi_runlog import find_task, list_past_tasks

    if task_id:
        return find_task(paths.sessions, task_id)
    return unfinished_here([past for past in list_past_tasks(paths.sessions) if past.resumable], paths.running)


def unfinished_here(left: Sequence["PastTask"], running: "Path") -> "PastTask":
    """Return the last of these tasks that worked in this folder; raise KoiError otherwise."""
    from pathlib import Path

    from openkoi_base.files import find_workspace
    from openkoi_hookspecs import KoiError

    here, elsewhere = find_workspace(Path.cwd()), ""
    for past in left:
        folder = find_folder(past, here, running)
        if folder == here:
            return past
        if folder and not elsewhere:
            elsewhere = f" Task {past.run[:8]} was interrupted in {folder}: run `openkoi resume {past.run[:8]}` there."
    raise KoiError(f"No interrupted task to resume in this folder.{elsewhere or STATUS_HINT}")


def find_folder(past: "PastTask", here: "Path", running: "Path") -> "Path | None":
    """Return a task's folder, or this one if the log does not name it; None if it is gone or the task is running."""
    from pathlib import Path

    from openkoi_base.files import is_run_active

    if is_run_active(running, past.run):
        return None
    folder = Path(past.workspace) if past.workspace else here
    return folder if folder.is_dir() else None


async def resume_and_show(past: "PastTask", settings: Mapping[str, object], renderer: "Renderer", *, yes: bool) -> None:
    """Resume the run, and render it after its earlier records."""
    koi = renderer.koi
    renderer.attend(koi, yes=yes)
    koi.listen(renderer.add_record)
    async with koi, renderer.live.keep_time():
        handle = koi.resume(past.run, settings=settings)
        show_past(past, renderer)
        await handle.result()
        renderer.show()
    renderer.show_afterwards(koi)


def show_past(past: "PastTask", renderer: "Renderer") -> None:
    """Show the task's earlier iterations."""
    from openkoi_base.counts import format_count

    renderer.report.run = past.run
    for record in renderer.koi.records(past.session):
        if record.run:
            renderer.report.add_record(record)
    renderer.report.resume()
    renderer.live.print_line(
        f"[resume] {past.run[:8]}: {format_count(len(renderer.report.iterations), 'iteration')} already complete"
    )
