"""Define a plugin that finds habits in the log, proposes them, and runs approved ones when they are due.

It knows the contract and click alone. What is approved is in the log, as an event of the plugin's own.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import click

from openkoi_hookspecs import Event, Koi, KoiError, Learning, Pattern, Record, Result, Task, events, hookimpl

SAMPLES = 2


@dataclass(frozen=True, slots=True)
class Approved(Event):
    """The user wants this task repeated at an interval in seconds."""

    name = "acme.approved"
    title: str
    seconds: float


@hookimpl
def on_pattern(pattern: Pattern) -> Pattern:
    """Propose no secrets."""
    return replace(pattern, dropped="secret" in pattern.title)


@hookimpl
def before_learn(result: Result) -> list[Learning]:
    """Record tasks that ran on schedule."""
    if result.task.channel != "schedule":
        return []
    return [Learning(f"acme-{result.run}", "fact", f"On schedule: {result.task.text}")]


def logged(koi: Koi) -> Iterator[Record]:
    """All records of all sessions."""
    for session in koi.sessions():
        yield from koi.records(session)


def found(koi: Koi) -> Iterator[Pattern]:
    """Requests that were made several times, with their days."""
    days: dict[str, list[str]] = defaultdict(list)
    for record in logged(koi):
        if isinstance(record.event, events.UsageRecorded) and record.event.kind == "Task":
            days[record.event.description].append(record.at[:10])
    for title, at in days.items():
        if len(at) >= SAMPLES:
            yield Pattern(title, kind="recurring", samples=len(at), days=len(set(at)))


def approved(koi: Koi) -> Mapping[str, float]:
    """The schedule: tasks and their intervals."""
    return {one.event.title: one.event.seconds for one in logged(koi) if isinstance(one.event, Approved)}


@click.group()
def scheduler() -> None:
    """Find and run recurring tasks."""


@scheduler.command()
@click.pass_obj
async def propose(koi: Koi) -> None:
    """Look for habits in all sessions."""
    for pattern in [*found(koi)]:
        if shown := await koi.propose(pattern):
            click.echo(f"{shown.title} ({shown.samples} times)")


@scheduler.command()
@click.argument("title")
@click.option("--every", default=86_400.0)
@click.pass_obj
async def approve(koi: Koi, title: str, every: float) -> None:
    """Schedule a task."""
    if title not in {one.event.pattern.title for one in logged(koi) if isinstance(one.event, events.PatternProposed)}:
        raise click.ClickException(f"{title!r} was not proposed.")
    await koi.emit(Approved(title, every))


@scheduler.command()
@click.option("--times", default=0)
@click.pass_obj
async def run(koi: Koi, times: int) -> None:
    """Run due tasks, until a number of them are done."""
    semaphore = asyncio.Semaphore(0)
    learned: list[str] = []
    koi.listen(
        lambda one: learned.append(one.event.learning.text) if isinstance(one.event, events.LearningSaved) else None
    )
    tasks = [asyncio.create_task(repeat(koi, title, every, semaphore)) for title, every in approved(koi).items()]
    for _ in range(times):
        await semaphore.acquire()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await koi.drain()
    click.echo(f"{len(learned)} learned")


async def repeat(koi: Koi, title: str, every: float, semaphore: asyncio.Semaphore) -> None:
    """Repeat one task, even after a failure."""
    while True:
        try:
            click.echo(f"{title}: {(await koi.solve(Task(title, channel='schedule'))).text}")
        except KoiError as error:
            click.echo(f"{title} failed: {error}")
        semaphore.release()
        await asyncio.sleep(every)
