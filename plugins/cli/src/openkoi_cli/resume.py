"""``openkoi resume [TASK_ID]``: go on with a task that ended before its time. Nothing is paid for or done twice."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi.app import App
    from openkoi_hookspecs import Record
    from openkoi_log import Past

    from .faces import Face

STATUS = " `openkoi status` lists recent tasks."
MODELS = ("model", "evaluator")


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
    from openkoi_log import records_of
    from openkoi_settings import keys

    from .faces import faced
    from .interruptible import interruptible
    from .workplace import models_of, workplace_of

    with faced(format, invocation) as face:
        koi = invocation.open(flags)
        past = unfinished(koi, task_id)
        records = records_of(koi.services.config.paths.sessions, past)
        said = {keys.FLAGS[flag].name: flags[flag] for flag in MODELS if flags.get(flag)}
        invocation.open(flags, settings=models_of(past, records, said), workspace=workplace_of(past, records))
        changed = {keys.MAX_COST_USD.name: flags["budget"]} if flags.get("budget") is not None else {}
        interruptible(gone_on(past, records, changed, face))
    return face.report.status


def unfinished(koi: "App", task_id: str) -> "Past":
    """Return the task that is meant; raises KoiError when there is nothing left to do of it."""
    from openkoi_hookspecs import KoiError
    from openkoi_log import find_task, past_tasks

    sessions = koi.services.config.paths.sessions
    if not task_id:
        return unfinished_here([past for past in past_tasks(sessions) if past.resumable], koi)
    past = find_task(sessions, task_id)
    if not past.resumable:
        raise KoiError(
            f"Task {past.run[:8]} has ended ({past.ended}), so it cannot be resumed. "
            f"To see it again, run `openkoi replay {past.run[:8]}`."
        )
    return past


def unfinished_here(left: Sequence["Past"], koi: "App") -> "Past":
    """Return the last of these tasks that worked in this folder; raises KoiError that names another folder's."""
    from pathlib import Path

    from openkoi_hookspecs import KoiError

    here, elsewhere = Path.cwd(), ""
    for past in left:
        folder = folder_of(past, koi)
        if folder == here:
            return past
        if folder and not elsewhere:
            elsewhere = f" Task {past.run[:8]} was interrupted in {folder}: run `openkoi resume {past.run[:8]}` there."
    raise KoiError(f"No interrupted task to resume in this folder.{elsewhere or STATUS}")


def folder_of(past: "Past", koi: "App") -> "Path | None":
    """Return the folder that a task worked in; None where it is gone, or the task is running now."""
    from openkoi_files import is_under_way
    from openkoi_hookspecs import KoiError
    from openkoi_log import records_of

    from .workplace import workplace_of

    if is_under_way(koi.services.running, past.run):
        return None
    try:
        return workplace_of(past, records_of(koi.services.config.paths.sessions, past))
    except KoiError:
        return None


async def gone_on(past: "Past", records: Sequence["Record"], changed: Mapping[str, object], face: "Face") -> None:
    """Resume in front of a face that knows what happened before."""
    from openkoi_report import plural

    from .person import attended

    koi = face.koi
    koi.services.log.session = past.segment.partition(".")[0]
    face.report.run = past.run
    for record in records:
        face.report.take(record)
    face.report.resume()
    face.live.line(f"[resume] {past.run[:8]}: {plural(len(face.report.iterations), 'iteration')} already complete")
    koi.listen(face.tell)
    attended(koi)
    async with koi:
        await koi.resume(records, past.run, changed)
        face.show()
    face.afterwards(koi)
