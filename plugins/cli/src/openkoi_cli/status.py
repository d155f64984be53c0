"""``openkoi status``: what is remembered, what was done lately, and what it cost."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from openkoi_report import clipped, dollars, plural, tokens_text

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi.assembly import Assembly
    from openkoi_log import Call, Past

LAST, ALL = 5, 50
SPANS = (("Today", 1), ("This week", 7), ("This month", 30))


@click.command()
@click.option("--costs", is_flag=True, help="What was spent, by day, week, month and model.")
@click.pass_obj
def command(invocation: Invocation, /, costs: bool) -> None:
    """Show memory, the last tasks, tokens and cost; with --verbose, more of them."""
    from openkoi_log import paid_calls, past_tasks

    koi = invocation.open()
    folder = koi.config.paths.sessions
    lines = asyncio.run(memory_lines(koi))
    tasks = past_tasks(folder)
    lines += ["", *task_lines(tasks[: ALL if invocation.verbose else LAST])] if tasks else ["", "  No tasks yet."]
    if costs or tasks:
        lines += ["", *cost_lines(list(paid_calls(folder)), tasks)]
    if costs:
        lines += ["", *model_lines(list(paid_calls(folder)))]
    click.echo(koi.redactor("\n".join(lines)))


async def memory_lines(koi: "Assembly") -> list[str]:
    """What the chosen memory says of itself."""
    from openkoi_hookspecs import Examined, KoiError

    async with koi:
        memory = await koi.sockets.memory()
        if memory is None:
            return ["  Memory: none chosen"]
        try:
            told = await memory.examine() if isinstance(memory, Examined) else {}
        except KoiError as error:
            return [f"  Memory: {error}"]
    return [f"  Memory: {', '.join(f'{word} {value}' for word, value in told.items()) or 'ready'}"]


def task_lines(tasks: Sequence["Past"]) -> list[str]:
    rows = [
        f"    {past.at[:16].replace('T', ' ')}  {past.run[:8]}  {past.ended or 'not ended':<16} "
        f"{tokens_text(past.tokens):>6}  {dollars(past.usd):>7}  {clipped(past.text, 60)}"
        for past in tasks
    ]
    return ["  Last tasks:", *rows]


def cost_lines(calls: Sequence["Call"], tasks: Sequence["Past"]) -> list[str]:
    return [span_line(name, since(days), calls, tasks) for name, days in SPANS]


def since(days: int) -> str:
    """The beginning of a span that ends now, in UTC as the log writes it; a span of one day begins at midnight."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - timedelta(days=days - 1)).isoformat()


def span_line(name: str, start: str, calls: Iterable["Call"], tasks: Iterable["Past"]) -> str:
    within = [past for past in tasks if past.at >= start]
    usd, tokens = sum(call.usd for call in calls if call.at >= start), sum(past.tokens for past in within)
    return f"  {name + ':':<12} {dollars(usd)}  ({plural(len(within), 'task')}, {tokens_text(tokens)} tokens)"


def model_lines(calls: Sequence["Call"]) -> list[str]:
    spent: Counter[str] = Counter()
    for call in calls:
        spent[call.model] += call.usd  # type: ignore[assignment]  # a Counter of dollars
    total = sum(spent.values()) or 1.0
    rows = [f"    {model:<40} {dollars(usd)}  ({usd / total:.0%})" for model, usd in spent.most_common()]
    return ["  By model:", *rows]
