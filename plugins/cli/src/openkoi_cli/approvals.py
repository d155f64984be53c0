"""Define ``openkoi approvals``, which lists the questions without an answer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import click

from openkoi_runlog.report import truncate_line

from .answers import explain_answer, find_yes
from .invocation import Invocation
from .pending import Pending, format_age, list_pending, split_lines

SCHEMA = "openkoi.approvals/1"
HOW_TO_ANSWER = "Run `openkoi approve ID` or `openkoi reject ID --reason TEXT` to answer."


@click.command()
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
async def command(invocation: Invocation, /, layout: str) -> None:
    """List the questions that need your answer, oldest first."""
    from openkoi_runlog import redact_json

    there = await list_pending(invocation.open())
    if layout == "json":
        facts = {"schema": SCHEMA, "approvals": [question_to_json(one) for one in there]}
        click.echo(json.dumps(redact_json(facts, invocation.redact)))
    else:
        click.echo(invocation.redact("\n".join(format_questions(there, datetime.now(UTC)))))


def question_to_json(one: Pending) -> Mapping[str, object]:
    """Return a question as JSON; ``resume`` is empty while its run is waiting for the answer."""
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


def format_questions(there: Sequence[Pending], now: datetime) -> Iterator[str]:
    """Yield the questions as text."""
    if not there:
        yield "No question is waiting for an answer."
        return
    for one in there:
        yield f"{one.id}  {format_age(one.waiting.at, now)}  {truncate_line(one.task or describe_asker(one), 80)}"
        yield from (f"  {line}" for line in split_lines(one.waiting.question.text))
        if not find_yes(one.waiting.question):
            yield f"  {truncate_line(explain_answer(one), 160)}"
        if one.resume:
            yield f"  The task has stopped. Answer it, then run `openkoi resume {one.resume[:8]}`."
        yield ""
    yield HOW_TO_ANSWER


def describe_asker(one: Pending) -> str:
    """Return who asks, if the log does not contain the task."""
    return "asked by a task that is not in the log" if one.waiting.run else "asked by OpenKoi, outside any task"
