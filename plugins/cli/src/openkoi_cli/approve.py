"""``openkoi approve [ID]``: say yes to what a run has asked, from another terminal or after the run has ended."""

from collections.abc import Sequence

import click

from openkoi_hookspecs import Koi, KoiError

from .answering import NOTHING, answer, how, meant, yes_to
from .invocation import Invocation
from .waiting import Pending, list_pending


@click.command()
@click.argument("id", required=False, default="")
@click.option("--all", "every", is_flag=True, help="Say yes to all that wait.")
@click.option("--answer", "words", metavar="TEXT", default="", help="Say this, where yes is no answer.")
@click.pass_obj
async def command(invocation: Invocation, /, id: str, every: bool, words: str) -> int:
    """Allow what a run has asked for; without an id, the only thing that waits. openkoi approvals lists them."""
    if every and (id or words):
        raise click.UsageError("--all says yes to everything: leave out the id and --answer.")
    koi = invocation.open()
    there = await list_pending(koi)
    if every:
        return await approve_all(there, koi, invocation)
    one = meant(there, id)
    if not (said := words.strip() or yes_to(one.waiting.question)):
        raise click.UsageError(f"Yes is no answer to it. {how(one)}")
    await answer(one, said, "Answered" if words else "Approved", koi, invocation)
    return 0


async def approve_all(there: Sequence[Pending], koi: Koi, invocation: Invocation) -> int:
    """Say yes wherever that is an answer; what is left is named."""
    simple = [one for one in there if yes_to(one.waiting.question)]
    for one in simple:
        await answer(one, yes_to(one.waiting.question), "Approved", koi, invocation)
    for one in there:
        if one not in simple:
            click.echo(invocation.redact(f"  ! Yes is no answer to {one.id}: {one.line} {how(one)}"), err=True)
    if not simple:
        raise KoiError(NOTHING if not there else "Nothing waits that a yes would answer.")
    return 0
