"""Which question is meant, and what is answered to it. Knows what waits; knows no command's options."""

from collections.abc import Sequence

import click

from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError, Question

from .invocation import Invocation
from .waiting import Pending, listed

YES = ("y", "yes", "allow", "approve")
NOTHING = "Nothing waits for an answer. openkoi approvals lists what does."


def meant(there: Sequence[Pending], id: str) -> Pending:
    """The question of that id, or the beginning of it; without one, the only one that is answered by yes or no."""
    if not there:
        raise KoiError(NOTHING)
    found = [one for one in there if one.waiting.id.startswith(id)]
    if not id:
        found = [one for one in found if yes_to(one.waiting.question)] or found
    if not found:
        raise PluginNotFoundError("question", id, tuple(one.id for one in there))
    if len(found) > 1:
        raise click.UsageError(f"{len(found)} questions wait: {listed(found)}. Say which one, by its id.")
    return found[0]


def yes_to(question: Question) -> str:
    """The choice that allows it; empty where there is none, because it wants other words."""
    return next((choice for choice in question.choices if choice.strip().lower() in YES), "")


def no_because(reason: str) -> str:
    """The word that refuses it. The reason stands after it, so that none can be taken for a yes."""
    return f"no: {reason.strip()}" if reason.strip() else "no"


def how(one: Pending) -> str:
    """What to do where a yes does not do."""
    choices = ", ".join(one.waiting.question.choices)
    wants = f"It wants one of: {choices}." if choices else "It wants your own words."
    return f"{wants} Say it: openkoi approve {one.id} --answer TEXT"


async def answer(one: Pending, words: str, done: str, koi: Koi, invocation: Invocation) -> None:
    """Answer, and say so."""
    await koi.answer_question(one.waiting.id, words)
    click.echo(invocation.redact(f"{done} {one.id}: {one.line}"))
    if one.resume:
        click.echo(f"  The task has stopped. To resume it, run `openkoi resume {one.resume[:8]}`.", err=True)
