"""``openkoi import DIR``: the tasks of another machine, from its JSON export; each record once, nothing overwritten."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_report import format_count

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_cli.archive import ImportResult

OWN = {"config.toml": "", "soul.md": " (there it is SOUL.md)", "skills": "", "evaluators": ""}
LEFT = "Only the log was imported. Still in {folder}: {left}. Copy what you want: files to {config}, folders to {data}."


@click.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.pass_obj
async def command(invocation: Invocation, /, folder: Path) -> None:
    """Bring a JSON export of another machine into the log and into memory.

    Records that are there already are passed over, so that it can be done again. A damaged export is refused. The
    configuration, skills and evaluators of an export are named, and left to you.
    """
    from openkoi_base.redact import current_redactor
    from openkoi_cli.archive import Log, bring_in

    if not invocation.koi:
        invocation.open()
    paths = invocation.paths
    brought = bring_in(folder, Log(paths.data), current_redactor())
    known = f"; {format_count(brought.known, 'record')} there already" if brought.known else ""
    click.echo(f"{format_count(brought.records, 'record')} imported from {folder}{known}.")
    if left := left_there(folder):
        click.echo(LEFT.format(folder=folder, left=", ".join(left), config=paths.config.parent, data=paths.data))
    await tell_memory(invocation, brought)


def left_there(folder: Path) -> list[str]:
    """What of an export is a person's own, and is not brought in: nothing is overwritten."""
    return [f"{name}{remark}" for name, remark in OWN.items() if (folder / name).exists()]


async def tell_memory(invocation: Invocation, brought: "ImportResult") -> None:
    """Let memory read what is new; where it cannot, the next start catches up."""
    from .memory_in_use import update_memory

    if not (brought.records and invocation.koi):
        return
    try:
        await update_memory(invocation.koi, invocation.paths.sessions)
    except Exception as error:  # memory is a plugin: what was imported is in the log
        click.echo(invocation.redact(f"  ! Memory could not be told: {error}"), err=True)
