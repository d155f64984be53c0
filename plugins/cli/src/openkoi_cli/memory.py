"""Define ``openkoi memory``: statistics, search, tables, rebuild and audit."""

import json
from functools import partial
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from .memory_search import FoundItem

MAX_SHOWN_ERRORS = 100


@click.group()
def command() -> None:
    """Search, check and rebuild memory."""


@command.command()
@click.pass_obj
async def stats(invocation: Invocation, /) -> None:
    """Show statistics of the log and memory."""
    from .memory_search import format_stats

    koi = invocation.koi or invocation.open()
    lines = await format_stats(koi, invocation.paths.data)
    print_warnings(invocation)
    click.echo(koi.redact("\n".join(lines)))


@command.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Maximum number of results.")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def search(invocation: Invocation, /, query: tuple[str, ...], limit: int, layout: str) -> None:
    """Search memory across all projects, best match first."""
    from openkoi_base.redact import current_redactor
    from openkoi_runlog import redact_json

    from .memory_search import format_hits, read_items

    hits = None if invocation.koi else read_items(invocation.read(), invocation.paths, " ".join(query), limit)
    hits = open_and_search(invocation, " ".join(query), limit) if hits is None else hits
    print_warnings(invocation)
    if layout == "json":
        click.echo(json.dumps(redact_json(hits, current_redactor()), indent=1))
        return
    click.echo(invocation.redact(format_hits(hits)))


def open_and_search(invocation: Invocation, text: str, limit: int) -> "list[FoundItem]":
    """Open OpenKoi to search memory."""
    from .interruptible import run_interruptible
    from .memory_search import search_memory

    return run_interruptible(search_memory(invocation.koi or invocation.open(), invocation.paths, text, limit))


def print_warnings(invocation: Invocation) -> None:
    """Print warnings, and settings that memory does not have."""
    from .errors import print_warning
    from .memory_search import find_unknown_settings_of_memory

    koi = invocation.koi
    reader = invocation.reader
    there = (*koi.warnings(), *find_unknown_settings_of_memory(koi)) if koi else reader.warnings() if reader else ()
    for warning in dict.fromkeys(there):
        print_warning(warning, invocation)


@command.command()
@click.pass_obj
def tables(invocation: Invocation, /) -> None:
    """Write memory as tables that SQL can query, and print the path of their file."""
    from .interruptible import run_interruptible
    from .memory_tables import update_tables

    koi = invocation.koi or invocation.open()
    line = run_interruptible(update_tables(koi, invocation.paths.sessions))
    print_warnings(invocation)
    click.echo(koi.redact(line))


@command.command()
@click.pass_obj
async def rebuild(invocation: Invocation, /) -> int:
    """Rebuild memory from the log. Other processes can continue meanwhile."""
    from .memory_rebuild import rebuild_memory

    koi = invocation.koi or invocation.open()
    done = await rebuild_memory(koi, invocation.paths.data, partial(click.echo, err=True))
    click.echo(koi.redact("\n".join(done.lines)))
    return 1 if done.fewer else 0


@command.command()
@click.pass_obj
def audit(invocation: Invocation, /) -> int:
    """Check every record of the log. Exits with status 1 on errors."""
    from openkoi_base.counts import format_count
    from openkoi_cli.archive.audit import audit_log
    from openkoi_cli.archive.segments import Log

    koi = invocation.open()
    seen = audit_log(Log(invocation.paths.data))
    archived = f", {seen.archived} of them archived" if seen.archived else ""
    click.echo(f"{format_count(seen.records, 'record')} in {format_count(seen.segments, 'segment')}{archived}.")
    for error in seen.errors[:MAX_SHOWN_ERRORS]:
        click.echo(koi.redact(f"  ! {error}"))
    if len(seen.errors) > MAX_SHOWN_ERRORS:
        click.echo(f"  ! and {len(seen.errors) - MAX_SHOWN_ERRORS} more")
    click.echo(f"{format_count(len(seen.errors), 'error')} found." if seen.errors else "No errors found.")
    return 1 if seen.errors else 0
