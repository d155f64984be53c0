"""Define ``openkoi reject [ID]``, which refuses what a run asked for, with a reason for the model."""

import click

from .answers import find_question, format_no, send_answer
from .invocation import Invocation
from .pending import list_pending


@click.command()
@click.argument("question_id", required=False, default="", metavar="[ID]")
@click.option("--reason", metavar="TEXT", default="", help="Reason or alternative for the model.")
@click.pass_obj
async def command(invocation: Invocation, /, question_id: str, reason: str) -> int:
    """Refuse what a task asked for. Defaults to the only open question; `openkoi approvals` lists them."""
    koi = invocation.open()
    await send_answer(
        find_question(await list_pending(koi), question_id), format_no(reason), "Rejected", koi, invocation
    )
    return 0
