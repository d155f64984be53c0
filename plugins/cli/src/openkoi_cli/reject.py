"""``openkoi reject [ID]``: say no to what a run has asked; the model is told the reason and goes on without it."""

import click

from .answering import answer, meant, no_because
from .invocation import Invocation
from .waiting import list_pending


@click.command()
@click.argument("id", required=False, default="")
@click.option("--reason", metavar="TEXT", default="", help="Why not, or what to do instead; the model reads it.")
@click.pass_obj
async def command(invocation: Invocation, /, id: str, reason: str) -> int:
    """Refuse what a run has asked for; without an id, the only thing that waits. openkoi approvals lists them."""
    koi = invocation.open()
    await answer(meant(await list_pending(koi), id), no_because(reason), "Rejected", koi, invocation)
    return 0
