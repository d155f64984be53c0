"""Define ``openkoi resume [TASK_ID]``, which continues an interrupted task without repeating calls."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation
from .setting_names import DEFAULT_MODEL, EVALUATOR, LIMITS

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Koi, Paths
    from openkoi_runlog import PastTask

    from .renderers import Renderer

STATUS_HINT = " `openkoi status` lists recent tasks."
SETTING_OF_FLAG = {"model": DEFAULT_MODEL, "evaluator": EVALUATOR, "budget": LIMITS["usd"]}


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("-m", "--model", metavar="MODEL", help="Use this model for every role.")
@click.option("--evaluator", metavar="MODEL", help="Use this model as the judge.")
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Maximum cost in US dollars, earlier spending included."
)
@click.option("--format", "layout", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, layout: str, **flags: Any) -> int:
    """Resume a task that was interrupted, waits for approval, or could not be judged. [default: the last one here]"""
    from .interruptible import run_interruptible
    from .renderers import open_renderer

    settings = {key: flags[flag] for flag, key in SETTING_OF_FLAG.items() if flags.get(flag) not in (None, "")}
    with open_renderer(layout, invocation) as renderer:
        past = find_past(invocation.open(), invocation.paths, task_id)
        run_interruptible(resume_and_show(past, settings, renderer))
    return renderer.report.status


def find_past(koi: "Koi", paths: "Paths", task_id: str) -> "PastTask":
    """Return the task with an id; without one, the last one in this folder that can be resumed."""
    from openkoi_runlog import find_task, list_past_tasks

    if task_id:
        return find_task(paths.sessions, task_id)
    return unfinished_here([past for past in list_past_tasks(paths.sessions) if past.resumable], koi, paths.running)


def unfinished_here(left: Sequence["PastTask"], koi: "Koi", running: "Path") -> "PastTask":
    """Return the last of these tasks that worked in this folder; raise KoiError otherwise."""
    from pathlib import Path

    from openkoi_hookspecs import KoiError

    here, elsewhere = Path.cwd(), ""
    for past in left:
        folder = find_folder(past, koi, running)
        if folder == here:
            return past
        if folder and not elsewhere:
            elsewhere = f" Task {past.run[:8]} was interrupted in {folder}: run `openkoi resume {past.run[:8]}` there."
    raise KoiError(f"No interrupted task to resume in this folder.{elsewhere or STATUS_HINT}")


def find_folder(past: "PastTask", koi: "Koi", running: "Path") -> "Path | None":
    """Return the folder of a task; None if it is gone, or the task is running."""
    from pathlib import Path

    from openkoi_base.files import is_run_active
    from openkoi_hookspecs import events

    if is_run_active(running, past.run):
        return None
    own = (one.event for one in koi.records(past.session) if one.run == past.run)
    folder = next((Path(event.workspace) for event in own if isinstance(event, events.TaskStarted)), Path.cwd())
    return folder if folder.is_dir() else None


async def resume_and_show(past: "PastTask", settings: Mapping[str, object], renderer: "Renderer") -> None:
    """Resume the run, and render it after its earlier records."""
    from .prompt_user import attend_terminal

    koi = renderer.koi
    koi.listen(renderer.add_record)
    attend_terminal(koi)
    async with koi:
        handle = koi.resume(past.run, settings=settings)
        show_past(past, renderer)
        await handle.result()
        renderer.show()
    renderer.show_afterwards(koi)


def show_past(past: "PastTask", renderer: "Renderer") -> None:
    """Show the task's earlier iterations."""
    from openkoi_runlog.report import format_count

    renderer.report.run = past.run
    for record in renderer.koi.records(past.session):
        if record.run:
            renderer.report.add_record(record)
    renderer.report.resume()
    renderer.live.print_line(
        f"[resume] {past.run[:8]}: {format_count(len(renderer.report.iterations), 'iteration')} already complete"
    )
