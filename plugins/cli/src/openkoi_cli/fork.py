"""``openkoi fork TASK_ID --at N --set key=value``: begin a task as another one began, and go on otherwise."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import Record
    from openkoi_log import Past

    from .faces import Face


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--at", type=click.IntRange(1), default=1, show_default=True, help="The iteration to begin again with.")
@click.option("--set", "said", multiple=True, metavar="KEY=VALUE", help="A setting, as in the configuration.")
@click.option("--format", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, at: int, said: Sequence[str], format: str) -> int:
    """Take the files back to where an iteration of a task began, and go on from there with other settings.

    What the task was told and answered until then is neither asked nor paid for again. Without an id, the last task.
    """
    from openkoi_log import find_task, records_of

    from .faces import faced
    from .interruptible import interruptible
    from .workplace import models_of, workplace_of

    changed = dict(map(setting, said))
    with faced(format, invocation) as face:
        koi = invocation.open()
        past = find_task(koi.services.config.paths.sessions, task_id)
        records = records_of(koi.services.config.paths.sessions, past)
        invocation.open(settings=models_of(past, records, changed), workspace=workplace_of(past, records))
        interruptible(forked(past, records, (at - 1, changed), face))
    return face.report.status


def setting(said: str) -> tuple[str, object]:
    """A key and its value, which is read as TOML where it is some, and is text otherwise."""
    key, equals, text = said.partition("=")
    if not (equals and key.strip()):
        raise click.UsageError(f"--set {said}: write it as key=value, such as --set iteration.quality_threshold=0.9")
    try:
        return key.strip(), tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), text


async def forked(
    past: "Past", records: Sequence["Record"], change: tuple[int, Mapping[str, object]], face: "Face"
) -> None:
    """Do it in front of a face."""
    from openkoi_files import is_under_way
    from openkoi_hookspecs import KoiError

    from .person import attended

    koi, (at, changed) = face.koi, change
    if is_under_way(koi.services.running, past.run):
        raise KoiError(f"Task {past.run[:8]} is under way in another process. Wait for its end, or end it first.")
    koi.listen(face.tell)
    attended(koi)
    face.live.line(f"[fork] {past.run[:8]} at iteration {at + 1}")
    async with koi:
        await koi.fork(records, past.run, at, changed)
        face.show()
    face.afterwards(koi)
