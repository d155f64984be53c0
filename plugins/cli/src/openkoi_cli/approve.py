"""Define ``openkoi approve [ID]``, which answers a run's question, also after the run has ended."""

from collections.abc import Sequence

import click

from openkoi_hookspecs import Koi, KoiError

from .answers import NO_QUESTION, explain_answer, find_question, find_yes, send_answer
from .invocation import Invocation
from .pending import Pending, list_pending


@click.command()
@click.argument("question_id", required=False, default="", metavar="[ID]")
@click.option("--all", "every", is_flag=True, help="Approve all open questions.")
@click.option(
    "--answer", "words", metavar="TEXT", default="", help="Answer with TEXT when a question needs more than yes."
)
@click.pass_obj
async def command(invocation: Invocation, /, question_id: str, every: bool, words: str) -> int:
    """Approve a task's request. Defaults to the only open question; `openkoi approvals` lists them."""
    if every and (question_id or words):
        raise click.UsageError("--all cannot be combined with an id or --answer.")
    koi = invocation.open()
    pending = await list_pending(koi)
    if every:
        return await approve_all(pending, koi, invocation)
    one = find_question(pending, question_id)
    if not (text := words.strip() or find_yes(one.waiting.question)):
        raise click.UsageError(f"Question {one.id} cannot be answered with yes. {explain_answer(one)}")
    await send_answer(one, text, "Answered" if words else "Approved", koi, invocation)
    return 0


async def approve_all(there: Sequence[Pending], koi: Koi, invocation: Invocation) -> int:
    """Approve all questions that can be answered with yes, and list the rest."""
    simple = [one for one in there if find_yes(one.waiting.question)]
    for one in simple:
        await send_answer(one, find_yes(one.waiting.question), "Approved", koi, invocation)
    for one in there:
        if one not in simple:
            click.echo(
                invocation.redact(f"  ! {one.id} cannot be answered with yes: {one.line} {explain_answer(one)}"),
                err=True,
            )
    if not simple:
        raise KoiError(NO_QUESTION if not there else "None of the open questions can be answered with yes.")
    return 0
