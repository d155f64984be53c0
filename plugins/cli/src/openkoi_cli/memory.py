"""``openkoi memory``: what is remembered, found, built again and checked, of any memory and of the log."""

import json
from functools import partial
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi.app import App

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
    lines = await stats_of(koi)
    warned(koi)
    click.echo(koi.services.redactor("\n".join(lines)))


@command.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="So many at most.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def search(invocation: Invocation, /, query: tuple[str, ...], limit: int, format: str) -> None:
    """Search what is remembered, in all projects, best first."""
    from openkoi_log import masked

    from .interruptible import interruptible
    from .remembered import asked, line_of

    koi = invocation.koi or invocation.open()
    hits = interruptible(asked(koi, " ".join(query), limit))
    warned(koi)
    if format == "json":
        click.echo(json.dumps(masked(hits, koi.services.redactor), indent=1))
        return
    click.echo(koi.services.redactor("\n".join(map(line_of, hits)) or "Nothing was found."))


def warned(koi: "App") -> None:
    """Say what went wrong on the way, and which settings of memory nothing reads."""
    from .remembered import unread

    for warning in dict.fromkeys((*koi.services.warnings.texts, *unread(koi))):
        click.echo(koi.services.redactor(f"  ! {warning}"), err=True)
    koi.services.warnings.texts.clear()


@command.command()
@click.pass_obj
async def rebuild(invocation: Invocation, /) -> int:
    """Move the view of memory aside and build it again from the log. Others may go on working meanwhile."""
    from .rebuilding import rebuilt

    koi = invocation.koi or invocation.open()
    done = await rebuilt(koi, partial(click.echo, err=True))
    click.echo(koi.services.redactor("\n".join(done.lines)))
    return 1 if done.fewer else 0


@command.command()
@click.pass_obj
def audit(invocation: Invocation, /) -> int:
    """Check every record of the log. Exit 1 when something is wrong with it, which is named."""
    from openkoi_archive import Log
    from openkoi_archive import audit as audited
    from openkoi_report import plural

    koi = invocation.open()
    seen = audited(Log(koi.services.config.paths.data))
    put_away = f", {seen.archived} of them archived" if seen.archived else ""
    click.echo(f"{plural(seen.records, 'record')} in {plural(seen.segments, 'segment')}{put_away}.")
    for fault in seen.faults[:SHOWN_FAULTS]:
        click.echo(koi.services.redactor(f"  ! {fault}"))
    if len(seen.faults) > SHOWN_FAULTS:
        click.echo(f"  ! and {len(seen.faults) - SHOWN_FAULTS} more")
    click.echo(f"{plural(len(seen.faults), 'fault')} found." if seen.faults else "Nothing is wrong with it.")
    return 1 if seen.faults else 0
