"""``openkoi approvals``: the questions without an answer, of this process and of others."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import click

from openkoi_report import truncate_line

from .answering import how, yes_to
from .invocation import Invocation
from .waiting import Pending, age, list_pending, shown

SCHEMA = "openkoi.approvals/1"
HOW = "To answer: openkoi approve ID, or openkoi reject ID --reason TEXT."


@click.command()
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
async def command(invocation: Invocation, /, format: str) -> None:
    """List the questions that wait for an answer, the oldest first."""
    from openkoi_runlog import masked

    there = await list_pending(invocation.open())
    if format == "json":
        facts = {"schema": SCHEMA, "approvals": [fact(one) for one in there]}
        click.echo(json.dumps(masked(facts, invocation.redact)))
    else:
        click.echo(invocation.redact("\n".join(lines(there, datetime.now(UTC)))))


def fact(one: Pending) -> Mapping[str, object]:
    """A question, for programs. ``resume`` is empty while the answer is heard at once."""
    waiting = one.waiting
    return {
        "id": waiting.id,
        "run": waiting.run,
        "alive": waiting.alive,
        "at": waiting.at,
        "task": one.task,
        "question": waiting.question.text,
        "choices": list(waiting.question.choices),
        "resume": one.resume,
    }


def lines(there: Sequence[Pending], now: datetime) -> Iterator[str]:
    """The questions, for people."""
    if not there:
        yield "Nothing waits for an answer."
        return
    for one in there:
        yield f"{one.id}  {age(one.waiting.at, now)}  {truncate_line(one.task or asker(one), 80)}"
        yield from (f"  {line}" for line in shown(one.waiting.question.text))
        if not yes_to(one.waiting.question):
            yield f"  {truncate_line(how(one), 160)}"
        if one.resume:
            yield f"  The task has stopped. Answer it, then run `openkoi resume {one.resume[:8]}`."
        yield ""
    yield HOW


def asker(one: Pending) -> str:
    """Say who asks, where no task of the log does."""
    return "a task that is not in the log" if one.waiting.run else "OpenKoi, outside tasks"
