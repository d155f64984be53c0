"""Define ``openkoi trust``, which lists saved answers (always allow), and revokes them."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import click

from openkoi_hookspecs import Consent, KoiError
from openkoi_runlog.report import truncate_line

from .escape import escape_controls
from .invocation import Invocation
from .pending import format_age

SCHEMA = "openkoi.trust/1"
SHOWN_ID_LENGTH = 8
HOW_TO_REVOKE = "Run `openkoi trust revoke ID` to be asked again."
NO_ANSWERS = "No saved answers."


@click.group(invoke_without_command=True)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(context: click.Context, /, layout: str) -> None:
    """List saved answers: what you allowed or refused permanently, oldest first."""
    invocation: Invocation = context.obj
    if context.invoked_subcommand:
        return
    kept = invocation.open().consents()
    if layout == "json":
        click.echo(invocation.redact(json.dumps({"schema": SCHEMA, "trust": [consent_to_json(one) for one in kept]})))
    else:
        click.echo(invocation.redact("\n".join(format_consents(kept, datetime.now(UTC)))))


@command.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "every", is_flag=True, help="Revoke all saved answers.")
@click.pass_obj
def revoke(invocation: Invocation, /, ids: Sequence[str], every: bool) -> None:
    """Revoke saved answers by id or prefix, so that you are asked again."""
    if bool(ids) == every:
        raise click.UsageError("Specify ids from `openkoi trust`, or --all.")
    koi = invocation.open()
    chosen = [one.id for one in koi.consents()] if every else ids
    if not chosen:
        raise KoiError(NO_ANSWERS)
    for consent_id in chosen:
        removed = koi.revoke_consent(consent_id)
        click.echo(invocation.redact(f"Revoked {removed.id[:SHOWN_ID_LENGTH]}: {format_question(removed)}"))


def consent_to_json(one: Consent) -> dict[str, str]:
    """Return a saved answer as JSON."""
    return {"id": one.id, "answer": one.answer, "at": one.at, "question": one.text, "digest": one.digest}


def format_consents(kept: Sequence[Consent], now: datetime) -> Iterator[str]:
    """Yield the saved answers as text."""
    if not kept:
        yield NO_ANSWERS
        return
    wide = max(len(one.answer) for one in kept)
    for one in kept:
        answer = f"{escape_controls(one.answer):<{wide}}"
        yield f"{one.id[:SHOWN_ID_LENGTH]}  {answer}  {format_age(one.at, now):<15}  {format_question(one)}"
    yield ""
    yield HOW_TO_REVOKE


def format_question(one: Consent) -> str:
    """Return the question in one line."""
    return truncate_line(escape_controls(" ".join(one.text.split())), 160)
