"""``openkoi status``: what is remembered, what was done lately, and what it cost."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from openkoi_report import format_dollars, format_tokens, sum_charges, truncate_line

from .invocation import Invocation
from .spending import SPANS, since, span_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from openkoi_hookspecs import Koi, OpenedKoi
    from openkoi_report import ModelCharge
    from openkoi_runlog import Past

    from .waiting import Pending

LAST, ALL = 5, 50
BROUGHT = (("Skills", "skills"), ("Integrations", "messengers"))


@click.command()
@click.option("--costs", is_flag=True, help="What was spent, by day, week, month and model, and what was saved.")
@click.option(
    "--why",
    is_flag=False,
    flag_value="",
    metavar="[TASK_ID]",
    help="Why a task was decided so; the last one's, without.",
)
@click.pass_obj
def command(invocation: Invocation, /, costs: bool, why: str | None) -> None:
    """Show memory, the last tasks, tokens and cost; with --verbose, more of them, and what it was spent on."""
    from openkoi_runlog import past_tasks

    if why is not None:
        click.echo(invocation.redact("\n".join(reasons(invocation, why))))
        return
    koi = invocation.open()
    told, pending, day = asyncio.run(ask_plugins(koi, verbose=invocation.verbose))
    tasks = past_tasks(invocation.paths.sessions)
    lines = [*memory_lines(told, verbose=invocation.verbose), *brought_lines(koi, verbose=invocation.verbose)]
    newest = tasks[: ALL if invocation.verbose else LAST]
    lines += ["", *task_lines(newest, invocation.paths.running)] if tasks else ["", "  No tasks yet."]
    if costs or tasks:
        lines += ["", *spent_lines(invocation, tasks, pending, day, by_model=costs)]
    click.echo(koi.redact("\n".join(lines)))


def reasons(invocation: Invocation, task_id: str) -> list[str]:
    """Why a task was decided as it was, from its records alone."""
    from openkoi_report import build_report, explain_run

    from .replay import found

    run, records = found(invocation, task_id)
    return list(explain_run(build_report(records, run)))


async def ask_plugins(koi: "OpenedKoi", *, verbose: bool) -> tuple[dict[str, str], Sequence["Pending"], Sequence[str]]:
    """Return what the chosen memory says of itself, the questions that wait, and what the day's limits leave."""
    from .breakdown import day_lines
    from .waiting import list_pending
    from .without_hooks import without_hooks

    async with without_hooks(koi):
        return await memory_told(koi), await list_pending(koi), await day_lines(koi) if verbose else ()


async def memory_told(koi: "Koi") -> dict[str, str]:
    """What the chosen memory says of itself."""
    from openkoi_hookspecs import KoiError, SupportsHealthCheck

    from .memory_in_use import load_memory

    memory = await load_memory(koi)
    if memory is None:
        return {"": "none chosen"}
    try:
        told = dict(await memory.health()) if isinstance(memory, SupportsHealthCheck) else {}
    except KoiError as error:
        return {"": str(error)}
    return told or {"": "ready"}


def memory_lines(told: dict[str, str], *, verbose: bool) -> list[str]:
    """In one line, or a line a fact."""
    facts = [f"{word} {value}".lstrip() for word, value in told.items()]
    return ["  Memory:", *(f"    {fact}" for fact in facts)] if verbose else [f"  Memory: {', '.join(facts)}"]


def brought_lines(koi: "Koi", *, verbose: bool) -> "Iterator[str]":
    """What plugins bring that a person has set up: named when there are any."""
    for title, kind in BROUGHT:
        there = koi.plugins(kind)
        if there and verbose:
            yield f"  {title}:"
            yield from (f"    {entry.name} (from {entry.origin})" for entry in there)
        elif there:
            yield f"  {title}: {', '.join(entry.name for entry in there)}"


def task_lines(tasks: Sequence["Past"], running: "Path") -> list[str]:
    from openkoi_base.files import is_run_active

    rows = [
        f"    {past.at[:16].replace('T', ' ')}  {past.run[:8]}  "
        f"{past.status(under_way=is_run_active(running, past.run)):<16} "
        f"{format_tokens(past.tokens):>6}  {format_dollars(past.usd):>7}  {truncate_line(past.text, 60)}"
        for past in tasks
    ]
    return ["  Last tasks:", *rows]


def spent_lines(
    invocation: Invocation,
    tasks: Sequence["Past"],
    pending: Sequence["Pending"],
    day: Sequence[str],
    *,
    by_model: bool,
) -> "Iterator[str]":
    """What was spent today, this week and this month; with what it was spent on, and what is left to do."""
    from .breakdown import breakdown
    from .spared import read_catalogue, spared
    from .spending import charges, told_by

    sessions = invocation.paths.sessions
    there = charges(sessions, told_by(phases=invocation.verbose))
    yield from (span_line(name, since(days), there, tasks) for name, days in SPANS)
    if by_model:
        yield from ("", *model_lines(there), "", *spared(sessions, read_catalogue()))
    if invocation.verbose:
        yield from breakdown(invocation.read_config(), tasks, there, pending, day)


def model_lines(there: Sequence["ModelCharge"]) -> list[str]:
    """Each model's share of all that was ever spent."""
    costs = sum_charges(there)
    dearest = sorted(costs.by_model.items(), key=lambda pair: pair[1].usd, reverse=True)
    total = costs.total or 1.0
    rows = [f"    {model:<40} {format_dollars(cost.usd)}  ({cost.usd / total:.0%})" for model, cost in dearest]
    return ["  By model:", *rows]
