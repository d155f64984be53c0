"""``openkoi memory``: what is remembered, found, built again and checked, of any memory and of the log."""

import json
from functools import partial

import click

from .invocation import Invocation

SHOWN_FAULTS = 100


@click.group()
def command() -> None:
    """Show what is remembered, search it, build it again, or check the log that it is built from."""


@command.command()
@click.pass_obj
async def stats(invocation: Invocation, /) -> None:
    """Count what there is, in the log and in memory."""
    from .remembered import stats_of

    koi = invocation.koi or invocation.open()
    lines = await stats_of(koi, invocation.paths.data)
    warned(invocation)
    click.echo(koi.redact("\n".join(lines)))


@command.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="So many at most.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def search(invocation: Invocation, /, query: tuple[str, ...], limit: int, format: str) -> None:
    """Search what is remembered, in all projects, best first."""
    from openkoi_base.redact import current_redactor
    from openkoi_runlog import masked

    from .interruptible import interruptible
    from .remembered import asked, line_of

    koi = invocation.koi or invocation.open()
    hits = interruptible(asked(koi, invocation.paths, " ".join(query), limit))
    warned(invocation)
    if format == "json":
        click.echo(json.dumps(masked(hits, current_redactor()), indent=1))
        return
    click.echo(koi.redact("\n".join(map(line_of, hits)) or "Nothing was found."))


def warned(invocation: Invocation) -> None:
    """Say what went wrong on the way, and which settings of memory nothing reads."""
    from .remembered import unread

    there = invocation.koi.warnings() if invocation.koi else ()
    for warning in dict.fromkeys((*there, *unread(invocation))):
        click.echo(invocation.redact(f"  ! {warning}"), err=True)


@command.command()
@click.pass_obj
async def rebuild(invocation: Invocation, /) -> int:
    """Move the view of memory aside and build it again from the log. Others may go on working meanwhile."""
    from .rebuilding import rebuilt

    koi = invocation.koi or invocation.open()
    done = await rebuilt(koi, invocation.paths.data, partial(click.echo, err=True))
    click.echo(koi.redact("\n".join(done.lines)))
    return 1 if done.fewer else 0


@command.command()
@click.pass_obj
def audit(invocation: Invocation, /) -> int:
    """Check every record of the log. Exit 1 when something is wrong with it, which is named."""
    from openkoi_cli.archive import Log
    from openkoi_cli.archive import audit as audited
    from openkoi_report import format_count

    koi = invocation.open()
    seen = audited(Log(invocation.paths.data))
    put_away = f", {seen.archived} of them archived" if seen.archived else ""
    click.echo(f"{format_count(seen.records, 'record')} in {format_count(seen.segments, 'segment')}{put_away}.")
    for fault in seen.faults[:SHOWN_FAULTS]:
        click.echo(koi.redact(f"  ! {fault}"))
    if len(seen.faults) > SHOWN_FAULTS:
        click.echo(f"  ! and {len(seen.faults) - SHOWN_FAULTS} more")
    click.echo(f"{format_count(len(seen.faults), 'fault')} found." if seen.faults else "Nothing is wrong with it.")
    return 1 if seen.faults else 0
