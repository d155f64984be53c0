"""Define ``openkoi fork TASK_ID --at N --set key=value``, which re-runs a task from an iteration."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from .renderers import Renderer


@click.command()
@click.argument("task_id", required=False, default="")
@click.option(
    "--at", type=click.IntRange(1), default=1, show_default=True, help="Iteration to start from, counted from 1."
)
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Setting to change; may be repeated.")
@click.option("--format", "layout", type=click.Choice(["text", "json", "jsonl"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, at: int, assignments: Sequence[str], layout: str) -> int:
    """Restore the files to the start of an iteration and continue from there with different settings.

    Earlier model calls are reused, not repeated or charged again. Defaults to the last task.
    """
    from openkoi_runlog import find_task

    from .interruptible import run_interruptible
    from .renderers import open_renderer

    changed = dict(map(parse_setting, assignments))
    with open_renderer(layout, invocation) as renderer:
        invocation.open()
        past = find_task(invocation.paths.sessions, task_id)
        run_interruptible(fork_and_show(past.run, at, changed, renderer))
    return renderer.report.status


def parse_setting(assignment: str) -> tuple[str, object]:
    """Parse KEY=VALUE; the value is TOML if it is valid, else text."""
    key, equals, text = assignment.partition("=")
    if not (equals and key.strip()):
        raise click.UsageError(
            f"--set {assignment}: expected KEY=VALUE, for example --set iteration.quality_threshold=0.9"
        )
    try:
        return key.strip(), tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), text


async def fork_and_show(run: str, at: int, changed: Mapping[str, object], renderer: "Renderer") -> None:
    """Fork the run, and render it."""
    koi = renderer.koi
    renderer.attend(koi)
    koi.listen(renderer.add_record)
    renderer.live.print_line(f"[fork] {run[:8]} at iteration {at}")
    async with koi, renderer.live.keep_time():
        await koi.fork(run, at=at - 1, settings=changed).result()
        renderer.show()
    renderer.show_afterwards(koi)
