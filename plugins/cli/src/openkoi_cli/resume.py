"""``openkoi resume [TASK_ID]``: go on with a task that ended before its time. Nothing is paid for or done twice."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import Record
    from openkoi_log import Past

    from .faces import Face

WAITING = "escalate"


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("-m", "--model", metavar="MODEL", help="Go on with another model.")
@click.option("--format", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, format: str, **flags: Any) -> int:
    """Go on with a task that was interrupted, or that waits for a person; without an id, the last one."""
    from openkoi_log import records_of

    from .faces import faced
    from .interruptible import interruptible

    with faced(format, invocation) as face:
        sessions = invocation.open(flags).config.paths.sessions
        past = unfinished(sessions, task_id)
        records = records_of(sessions, past)
        interruptible(gone_on(past, records, face))
    return face.report.status


def unfinished(sessions: Any, task_id: str) -> "Past":
    """The task that is meant; raises KoiError when there is nothing left to do of it."""
    from openkoi_hookspecs import KoiError
    from openkoi_log import find_task, past_tasks

    if not task_id:
        left = [past for past in past_tasks(sessions) if past.ended in ("", "failed", WAITING)]
        if not left:
            raise KoiError("There is no task that ended before its time. openkoi status lists the last ones.")
        return left[0]
    past = find_task(sessions, task_id)
    if past.ended not in ("", "failed", WAITING):
        raise KoiError(f"Task {past.run[:8]} is over ({past.ended}). To see it again: openkoi replay {past.run[:8]}")
    return past


async def gone_on(past: "Past", records: Sequence["Record"], face: "Face") -> None:
    """Go on, in front of a face that knows what happened before."""
    from .person import ask_person, somebody_there

    koi = face.invocation.koi
    assert koi is not None
    koi.log.session = past.segment.partition(".")[0]
    face.report.run = past.run
    for record in records:
        face.report.take(record)
    face.report.failed, face.report.completed = "", None
    face.live.line(f"[resume] {past.run[:8]}: {len(face.report.iterations)} iterations were done before")
    koi.listeners.append(face.tell)
    koi.asker.person = ask_person if somebody_there() else None
    async with koi:
        await koi.resume(records, past.run)
        face.show()
        await koi.drain()
    face.afterwards(koi)
