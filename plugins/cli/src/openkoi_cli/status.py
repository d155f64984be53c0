"""Define ``openkoi status``, which shows memory, recent tasks and costs."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from openkoi_runlog.report import format_dollars, format_tokens, sum_charges, truncate_line

from .invocation import Invocation
from .spending import SPANS, format_span, span_start

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from openkoi_hookspecs import Koi, MemoryReader, OpenedKoi, Price
    from openkoi_runlog import PastTask
    from openkoi_runlog.report import ModelCharge

    from .pending import Pending

SHOWN_TASKS, SHOWN_TASKS_VERBOSE = 5, 50
PLUGIN_KINDS = (("Skills", "skills"), ("Integrations", "integrations"))


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
    from openkoi_runlog import list_past_tasks

    if why is not None:
        click.echo(invocation.redact("\n".join(explain_decisions(invocation, why))))
        return
    detailed = costs or invocation.verbose
    there = (None if detailed else read_state(invocation)) or open_state(invocation)
    tasks = list_past_tasks(invocation.paths.sessions)
    lines = format_memory(there.memory, verbose=invocation.verbose)
    lines += format_plugins(there.plugins, verbose=invocation.verbose)
    newest = tasks[: SHOWN_TASKS_VERBOSE if invocation.verbose else SHOWN_TASKS]
    lines += ["", *format_tasks(newest, invocation.paths.running)] if tasks else ["", "  No tasks yet."]
    if costs or tasks:
        lines += ["", *format_spending(invocation, there, tasks, by_model=costs)]
    click.echo(invocation.redact("\n".join(lines)))


class State(NamedTuple):
    """What is shown beside tasks. ``plugins`` are names and origins by kind; the rest is for details."""

    memory: Mapping[str, str]
    plugins: "Mapping[str, Sequence[tuple[str, str]]]"
    price: "Callable[[str], Price | None]" = lambda _: None
    pending: "Sequence[Pending]" = ()
    day: Sequence[str] = ()


def read_state(invocation: Invocation) -> State | None:
    """Return the state without details, without opening OpenKoi; None if memory must be opened."""
    reader = invocation.read()
    memory = reader.memory() if reader.chosen_name("memory") else None
    if memory is None and reader.chosen_name("memory"):
        return None
    listed = {kind: [(one.name, one.distribution) for one in reader.plugins(kind)] for _, kind in PLUGIN_KINDS}
    return State(read_health(memory), listed)


def read_health(memory: "MemoryReader | None") -> Mapping[str, str]:
    """Return the state of a memory that is read; ``none`` without one."""
    from openkoi_hookspecs.errors import KoiError

    if memory is None:
        return {"": "none"}
    try:
        return memory.health()
    except KoiError as error:
        return {"": str(error)}


def open_state(invocation: Invocation) -> State:
    """Open OpenKoi and return the state, with details if they are to be shown."""
    from asyncio import run

    koi = invocation.open()
    listed = {kind: [(one.name, one.origin) for one in koi.plugins(kind)] for _, kind in PLUGIN_KINDS}
    memory, pending, day = run(ask_plugins(koi, verbose=invocation.verbose))
    return State(memory, listed, koi.price, pending, day)


def explain_decisions(invocation: Invocation, task_id: str) -> list[str]:
    """Return why a task was decided as it was, from its records."""
    from openkoi_runlog.report import build_report, explain_run

    from .replay import load_run

    run, records = load_run(invocation, task_id)
    return list(explain_run(build_report(records, run)))


async def ask_plugins(koi: "OpenedKoi", *, verbose: bool) -> tuple[dict[str, str], Sequence["Pending"], Sequence[str]]:
    """Return memory's state; if they are to be shown, open questions and the use of daily limits."""
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


def format_memory(health: Mapping[str, str], *, verbose: bool) -> list[str]:
    """Return memory's state in one line, or a line per fact."""
    facts = [f"{word} {value}".lstrip() for word, value in health.items()]
    return ["  Memory:", *(f"    {fact}" for fact in facts)] if verbose else [f"  Memory: {', '.join(facts)}"]


def format_plugins(listed: "Mapping[str, Sequence[tuple[str, str]]]", *, verbose: bool) -> "Iterator[str]":
    """Yield the skills and integrations, if there are any."""
    for title, kind in PLUGIN_KINDS:
        there = listed[kind]
        if there and verbose:
            yield f"  {title}:"
            yield from (f"    {name} (from {origin})" for name, origin in there)
        elif there:
            yield f"  {title}: {', '.join(name for name, _ in there)}"


def format_tasks(tasks: Sequence["PastTask"], running: "Path") -> list[str]:
    from openkoi_base.files import is_run_active

    rows = [
        f"    {past.at[:16].replace('T', ' ')}  {past.run[:8]}  "
        f"{past.status(under_way=is_run_active(running, past.run)):<16} "
        f"{format_tokens(past.tokens):>6}  {format_dollars(past.usd):>7}  {truncate_line(past.text, 60)}"
        for past in tasks
    ]
    return ["  Last tasks:", *rows]


def format_spending(
    invocation: Invocation, state: State, tasks: Sequence["PastTask"], *, by_model: bool
) -> "Iterator[str]":
    """Yield the costs of today, this week and this month, with details if requested."""
    from .spending import charge_events, read_charges

    sessions = invocation.paths.sessions
    there = read_charges(sessions, charge_events(phases=invocation.verbose))
    yield from (format_span(name, span_start(days), there, tasks) for name, days in SPANS)
    if by_model:
        from .savings_table import format_savings_table

        yield from ("", *format_models(there), "", *format_savings_table(sessions, state.price))
    if invocation.verbose:
        from .status_details import format_breakdown

        yield from format_breakdown(invocation.paths.running, tasks, there, state.pending, state.day)


def format_models(there: Sequence["ModelCharge"]) -> list[str]:
    """Return each model's share of all costs."""
    costs = sum_charges(there)
    dearest = sorted(costs.by_model.items(), key=lambda pair: pair[1].usd, reverse=True)
    total = costs.total or 1.0
    rows = [f"    {model:<40} {format_dollars(cost.usd)}  ({cost.usd / total:.0%})" for model, cost in dearest]
    return ["  By model:", *rows]
