"""Define ``openkoi status``, which shows memory, recent tasks and costs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .invocation import Invocation
from .status_text import PLUGIN_KINDS, State, format_status, read_state

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, OpenedKoi

    from .pending import Pending


@click.command()
@click.option("--costs", is_flag=True, help="Show cost by day, week, month and model, and savings.")
@click.option(
    "--why",
    is_flag=False,
    flag_value="",
    metavar="[TASK_ID]",
    help="Explain a task's decisions. [default: the last task]",
)
@click.pass_obj
def command(invocation: Invocation, /, costs: bool, why: str | None) -> None:
    """Show memory, recent tasks, tokens and cost; --verbose adds more tasks and details."""
    if why is not None:
        click.echo(invocation.redact("\n".join(explain_decisions(invocation, why))))
        return
    there = None if costs or invocation.verbose else read_state(invocation.read())
    click.echo(format_status(invocation, there or open_state(invocation), costs=costs))


def open_state(invocation: Invocation) -> State:
    """Open OpenKoi and return the state, with details if they are to be shown."""
    from asyncio import run

    koi = invocation.open()
    listed = {kind: [(one.name, one.origin) for one in koi.plugins(kind)] for _, kind in PLUGIN_KINDS}
    memory, pending, day = run(ask_plugins(koi, verbose=invocation.verbose))
    return State(memory, listed, koi.price, pending, day)


def explain_decisions(invocation: Invocation, task_id: str) -> list[str]:
    """Explain a task's decisions from its records."""
    from openkoi_runlog.report import build_report, explain_run

    from .replay import load_run

    run, records = load_run(invocation, task_id)
    return list(explain_run(build_report(records, run)))


async def ask_plugins(koi: "OpenedKoi", *, verbose: bool) -> tuple[dict[str, str], Sequence["Pending"], Sequence[str]]:
    """Return memory's state; if details are to be shown, also open questions and the use of daily limits."""
    from .without_hooks import without_hooks

    async with without_hooks(koi):
        if not verbose:
            return await read_memory_health(koi), (), ()
        from .pending import list_pending
        from .status_details import read_day_limits

        return await read_memory_health(koi), await list_pending(koi), await read_day_limits(koi)


async def read_memory_health(koi: "Koi") -> dict[str, str]:
    """Return the chosen memory's state."""
    from openkoi_hookspecs import KoiError, SupportsHealthCheck

    from .memory_in_use import load_memory

    memory = await load_memory(koi)
    if memory is None:
        return {"": "none"}
    try:
        health = dict(await memory.health()) if isinstance(memory, SupportsHealthCheck) else {}
    except KoiError as error:
        return {"": str(error)}
    return health or {"": "ready"}
