"""Find the question that an id names, and send its answer."""

from collections.abc import Sequence

import click

from openkoi_hookspecs import NO, Koi, KoiError, PluginNotFoundError, Question, is_yes

from .invocation import Invocation
from .pending import Pending, format_ids

NO_QUESTION = "No question is waiting for an answer. Run `openkoi approvals` to list questions."


def find_question(there: Sequence[Pending], question_id: str) -> Pending:
    """Return the question with this id or prefix; without an id, the only question that yes or no can answer."""
    if not (there or question_id):
        raise KoiError(NO_QUESTION)
    found = [one for one in there if one.waiting.id.startswith(question_id)]
    if not question_id:
        found = [one for one in found if find_yes(one.waiting.question)] or found
    if not found:
        raise PluginNotFoundError("question", question_id, tuple(one.id for one in there))
    if len(found) > 1:
        raise click.UsageError(f"{len(found)} questions are waiting: {format_ids(found)}. Choose one by its id.")
    return found[0]


def find_yes(question: Question) -> str:
    """Return the choice that means yes; empty if none does."""
    return next((choice for choice in question.choices if is_yes(choice)), "")


def format_no(reason: str) -> str:
    """Return a refusal with its reason; it always starts with no, so that it never reads as a yes."""
    return f"{NO}: {reason.strip()}" if reason.strip() else NO


def explain_answer(one: Pending) -> str:
    """Return how to answer a question that needs more than yes."""
    choices = ", ".join(one.waiting.question.choices)
    wants = f"Answer with one of: {choices}." if choices else "This question needs a written answer."
    return f"{wants} Run `openkoi approve {one.id} --answer TEXT`."


async def send_answer(one: Pending, words: str, done: str, koi: Koi, invocation: Invocation) -> None:
    """Send the answer, and confirm it."""
    await koi.answer_question(one.waiting.id, words)
    click.echo(invocation.redact(f"{done} {one.id}: {one.line}"))
    if one.resume:
        click.echo(f"  The task has stopped. To resume it, run `openkoi resume {one.resume[:8]}`.", err=True)
