"""Define ``openkoi bisect [TASK_ID]``, which finds the plugin that caused a task's bad result."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..invocation import Invocation
from .judge import Judge
from .run_search import BisectRun, Spending
from .search import Cause

if TYPE_CHECKING:
    from openkoi_hookspecs import PluginEntry

NO_PLUGINS = "Only OpenKoi's own plugins are in use. To search among them, add --all."
BASE = (
    "Every replay used {names}, because removing any of these changes the requests. Whether the result is bad without "
    "them can only be tested by calling a model."
)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the search."""

    check: str
    every: bool
    yes: bool
    budget: float | None


@click.command()
@click.argument("task_id", required=False, default="")
@click.option("--check", metavar="COMMAND", default="", help="A result is bad if COMMAND fails; status 125 skips it.")
@click.option("--all", "every", is_flag=True, help="Search among OpenKoi's own plugins as well.")
@click.option("--yes", is_flag=True, help="Call models where requests differ, without asking. [default: ask]")
@click.option(
    "--budget",
    type=click.FloatRange(0),
    metavar="USD",
    help="Call models up to this cost in US dollars, without asking.",
)
@click.pass_obj
def command(invocation: Invocation, /, task_id: str, check: str, every: bool, yes: bool, budget: float | None) -> int:
    """Find the plugin that caused a task's bad result. Defaults to the last task.

    The task is replayed in a copy of its files, each time with different plugins. Recorded responses are reused
    while the requests are the same; you are asked before a model is called. COMMAND runs in the copy, with the answer
    as its standard input and in the file $OPENKOI_ANSWER. Without --check, a result is bad if it is not accepted; if
    the task was accepted, a result is bad if it equals the recorded one.
    """
    from ..interruptible import run_interruptible

    status: int = run_interruptible(bisect(invocation, task_id, Options(check, every, yes, budget)))
    return status


async def bisect(invocation: Invocation, task_id: str, options: Options) -> int:
    """Find the cause, and print it; return the exit status."""
    from .candidates import find_candidates
    from .recorded_task import read_past
    from .replays import Replays, temporary_folders
    from .start_files import reverse_changes

    past = read_past(invocation, task_id)
    koi = invocation.open(workspace=past.workspace)
    async with koi:
        plugins = await find_candidates(koi, every=options.every)
        if not plugins:
            raise KoiError(NO_PLUGINS)
        judge = Judge(options.check, past.accepted)
        click.echo(f"[bisect] {past.id[:8]}: {len(plugins)} plugins; {judge.description}", err=True)
        with temporary_folders(invocation, past.workspace) as (start, folder, home):
            await reverse_changes(start, past.workspace, past.checkpoint, koi)
            replays = Replays(invocation, past.task, past.recording(koi), plugins, start, folder, home)
            base = past.request_changers(plugins)
            run = BisectRun(replays, judge, Spending(past.usd, options.yes, options.budget), base)
            cause = await run.find()
    click.echo(koi.redact("\n".join(describe_cause(cause, plugins, base - {*cause.plugins}))))
    return 1 if cause.undecided else 0


def describe_cause(cause: Cause, plugins: "Sequence[PluginEntry]", base: frozenset[int]) -> Iterator[str]:
    """Yield what was found, and what to do about it."""
    named = [plugins[place] for place in cause.plugins]
    names = " and ".join(f"{one.kind}.{one.name} ({one.origin})" for one in named)
    if cause.undecided:
        part = f" {names} {'is' if len(named) == 1 else 'are'} part of the cause." if named else ""
        yield f"Undecided: {cause.undecided}.{part}"
        return
    yield f"{names} {'together cause' if len(named) > 1 else 'causes'} the bad result."
    if base and not {*cause.plugins} & base:
        others = [f"{plugins[place].kind}.{plugins[place].name}" for place in sorted(base)]
        yield BASE.format(names=", ".join(others))
    it = "one of them" if len(named) > 1 else "it"
    yield f"To disable {it}, run {' or '.join(f'`openkoi plugin disable {one.kind}.{one.name}`' for one in named)}."
