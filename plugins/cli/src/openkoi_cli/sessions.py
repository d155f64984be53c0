"""Define ``openkoi sessions [WORD...]``, which lists past sessions, or those that contain all words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_base.counts import format_count
from openkoi_runlog.report import format_dollars, truncate_line

from .invocation import Invocation
from .pending import format_age

if TYPE_CHECKING:
    from openkoi_runlog import PastSession

SCHEMA = "openkoi.sessions/1"
HOW_TO_CONTINUE = (
    'To continue a session, run `openkoi resume ID "TEXT"`; to continue the last one, run `openkoi -c "TEXT"`.'
)


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--all", "everywhere", is_flag=True, help="List the sessions of all folders.")
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of sessions to list."
)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def command(invocation: Invocation, /, words: Sequence[str], everywhere: bool, limit: int, layout: str) -> int:
    """List the sessions of this folder, newest first; with words, those that mention all of them."""
    invocation.open()
    words = () if words == ("list",) else words
    found = list(islice(find_sessions(invocation.paths.sessions, words, everywhere=everywhere), limit))
    if layout == "json":
        from openkoi_runlog import redact_json

        facts = {"schema": SCHEMA, "sessions": [session_to_json(one) for one in found]}
        click.echo(json.dumps(redact_json(facts, invocation.redact)))
        return 0
    lines = format_sessions(found, everywhere=everywhere) if found else [explain_none(words, everywhere=everywhere)]
    click.echo(invocation.redact("\n".join(lines)))
    return 0 if found or not words else 1


def find_sessions(sessions: Path, words: Sequence[str], *, everywhere: bool) -> "Iterator[PastSession]":
    """Yield the sessions that mention all words, in this folder or everywhere, newest first."""
    from openkoi_base.files import find_workspace
    from openkoi_runlog import iterate_past_sessions, mentions_words

    here = find_workspace(Path.cwd())
    for one in iterate_past_sessions(sessions):
        if (everywhere or Path(one.last.workspace) == here) and mentions_words(sessions, one.id, words):
            yield one


def format_sessions(found: "Sequence[PastSession]", *, everywhere: bool) -> Iterator[str]:
    """Yield a line for each session, and how to continue one."""
    now = datetime.now(UTC)
    for one in found:
        count, cost = format_count(len(one.tasks), "task"), format_dollars(one.usd)
        line = f"{one.last.run[:8]}  {format_age(one.last.at, now):<14}  {count:<8}  {cost:>7}"
        yield f"{line}  {truncate_line(one.title, 70)}"
        if everywhere:
            yield f"{'':10}{truncate_line(one.last.workspace, 200)}"
    yield ""
    yield HOW_TO_CONTINUE


def explain_none(words: Sequence[str], *, everywhere: bool) -> str:
    """Return why no session is listed, and how to find more."""
    where = "" if everywhere else " in this folder"
    other = "" if everywhere else " Add --all to search all folders." if words else " Add --all to list all folders."
    return f"No session{where} mentions {' '.join(words)}.{other}" if words else f"No sessions{where} yet.{other}"


def session_to_json(one: "PastSession") -> Mapping[str, object]:
    """Return a session as JSON; ``last`` is the id that `openkoi resume` takes."""
    return {
        "id": one.id,
        "last": one.last.run,
        "started_at": one.tasks[0].at,
        "last_at": one.last.at,
        "tasks": len(one.tasks),
        "cost_usd": round(one.usd, 6),
        "title": one.title,
        "workspace": one.last.workspace,
    }
