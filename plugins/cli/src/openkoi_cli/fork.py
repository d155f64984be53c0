"""``openkoi fork TASK_ID --at N --set key=value``: begin a task as another one began, and go on otherwise."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from .renderers import Renderer


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
    from openkoi_runlog import find_task

    from .interruptible import interruptible
    from .renderers import rendering

    changed = dict(map(setting, said))
    with rendering(format, invocation) as renderer:
        invocation.open()
        past = find_task(invocation.paths.sessions, task_id)
        interruptible(forked(past.run, at, changed, renderer))
    return renderer.report.status


def setting(said: str) -> tuple[str, object]:
    """A key and its value, which is read as TOML where it is some, and is text otherwise."""
    key, equals, text = said.partition("=")
    if not (equals and key.strip()):
        raise click.UsageError(f"--set {said}: write it as key=value, such as --set iteration.quality_threshold=0.9")
    try:
        return key.strip(), tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), text


async def forked(run: str, at: int, changed: Mapping[str, object], renderer: "Renderer") -> None:
    """Fork the run, and show it."""
    from .person import attended

    koi = renderer.koi
    koi.listen(renderer.tell)
    attended(koi)
    renderer.live.line(f"[fork] {run[:8]} at iteration {at}")
    async with koi:
        await koi.fork(run, at=at - 1, settings=changed).result()
        renderer.show()
    renderer.afterwards(koi)
