"""``openkoi trust``: list what you allowed or refused for good, and revoke it, so that you are asked again."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import click

from openkoi_hookspecs import Consent, KoiError
from openkoi_report import truncate_line

from .invocation import Invocation
from .plain import plain
from .waiting import age

SCHEMA = "openkoi.trust/1"
SHORT = 8
HOW = "To be asked again: openkoi trust revoke ID"
NOTHING = "You have allowed or refused nothing for good."


@click.group(invoke_without_command=True)
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(context: click.Context, /, format: str) -> None:
    """List the answers that OpenKoi keeps: what you allowed or refused for good, oldest first."""
    invocation: Invocation = context.obj
    if context.invoked_subcommand:
        return
    kept = invocation.open().consents()
    if format == "json":
        click.echo(invocation.redact(json.dumps({"schema": SCHEMA, "trust": [fact(one) for one in kept]})))
    else:
        click.echo(invocation.redact("\n".join(lines(kept, datetime.now(UTC)))))


@command.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "every", is_flag=True, help="Revoke all of them.")
@click.pass_obj
def revoke(invocation: Invocation, /, ids: Sequence[str], every: bool) -> None:
    """Forget kept answers, by their ids or the beginning of them. You are asked again."""
    if bool(ids) == every:
        raise click.UsageError("Name the ids that `openkoi trust` lists, or give --all.")
    koi = invocation.open()
    chosen = [one.id for one in koi.consents()] if every else ids
    if not chosen:
        raise KoiError(NOTHING)
    for id in chosen:
        removed = koi.revoke_consent(id)
        click.echo(invocation.redact(f"Revoked {removed.id[:SHORT]}: {line_of(removed)}"))


def fact(one: Consent) -> dict[str, str]:
    """Return a kept answer, for programs."""
    return {"id": one.id, "answer": one.answer, "at": one.at, "question": one.text, "digest": one.digest}


def lines(kept: Sequence[Consent], now: datetime) -> Iterator[str]:
    """Yield the kept answers, for people."""
    if not kept:
        yield NOTHING
        return
    wide = max(len(one.answer) for one in kept)
    for one in kept:
        yield f"{one.id[:SHORT]}  {plain(one.answer):<{wide}}  {age(one.at, now):<15}  {line_of(one)}"
    yield ""
    yield HOW


def line_of(one: Consent) -> str:
    """Return the question in one line."""
    return truncate_line(plain(" ".join(one.text.split())), 160)
