"""``openkoi resume [TASK_ID]``: go on with a task that ended before its time. Nothing is paid for or done twice."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Koi
    from openkoi_runlog import Past
    from openkoi_settings import Paths

    from .renderers import Renderer

STATUS = " `openkoi status` lists recent tasks."
FLAGS = ("model", "evaluator", "budget")


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("-m", "--model", metavar="MODEL", help="Use this model for every role.")
@click.option("--evaluator", metavar="MODEL", help="Use this model as the judge.")
@click.option(
    "--budget", type=click.FloatRange(0), metavar="USD", help="Maximum cost in US dollars, earlier spending included."
)
@click.option("--format", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, format: str, **flags: Any) -> int:
    """Resume a task that was interrupted, waits for approval, or could not be judged. [default: the last one here]"""
    from openkoi_settings import keys

    from .interruptible import interruptible
    from .renderers import rendering

    settings = {keys.FLAGS[flag].name: flags[flag] for flag in FLAGS if flags.get(flag) not in (None, "")}
    with rendering(format, invocation) as renderer:
        past = find_past(invocation.open(), invocation.paths, task_id)
        interruptible(gone_on(past, settings, renderer))
    return renderer.report.status


def find_past(koi: "Koi", paths: "Paths", task_id: str) -> "Past":
    """Return the task of an id; without one, the last one of this folder that can be resumed."""
    from openkoi_runlog import find_task, past_tasks

    if task_id:
        return find_task(paths.sessions, task_id)
    return unfinished_here([past for past in past_tasks(paths.sessions) if past.resumable], koi, paths.running)


def unfinished_here(left: Sequence["Past"], koi: "Koi", running: "Path") -> "Past":
    """Return the last of these tasks that worked in this folder; raises KoiError that names another folder's."""
    from pathlib import Path

    from openkoi_hookspecs import KoiError

    here, elsewhere = Path.cwd(), ""
    for past in left:
        folder = folder_of(past, koi, running)
        if folder == here:
            return past
        if folder and not elsewhere:
            elsewhere = f" Task {past.run[:8]} was interrupted in {folder}: run `openkoi resume {past.run[:8]}` there."
    raise KoiError(f"No interrupted task to resume in this folder.{elsewhere or STATUS}")


def folder_of(past: "Past", koi: "Koi", running: "Path") -> "Path | None":
    """Return the folder that a task worked in; None where it is gone, or the task is running now."""
    from pathlib import Path

    from openkoi_base.files import is_run_active
    from openkoi_hookspecs import events

    if is_run_active(running, past.run):
        return None
    own = (one.event for one in koi.records(past.session) if one.run == past.run)
    folder = next((Path(event.workspace) for event in own if isinstance(event, events.TaskStarted)), Path.cwd())
    return folder if folder.is_dir() else None


async def gone_on(past: "Past", settings: Mapping[str, object], renderer: "Renderer") -> None:
    """Resume the run, and show it after what happened before."""
    from .person import attended

    koi = renderer.koi
    koi.listen(renderer.tell)
    attended(koi)
    async with koi:
        handle = koi.resume(past.run, settings=settings)
        show_past(past, renderer)
        await handle.result()
        renderer.show()
    renderer.afterwards(koi)


def show_past(past: "Past", renderer: "Renderer") -> None:
    """Show what the task did before."""
    from openkoi_report import format_count

    renderer.report.run = past.run
    for record in renderer.koi.records(past.session):
        if record.run:
            renderer.report.add_record(record)
    renderer.report.resume()
    renderer.live.line(
        f"[resume] {past.run[:8]}: {format_count(len(renderer.report.iterations), 'iteration')} already complete"
    )
