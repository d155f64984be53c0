"""Define ``openkoi import DIR``, which adds a JSON export's records to the log, each once."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_base.counts import format_count

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_cli.archive.importer import ImportResult

USER_FILES = {"config.toml": "", "soul.md": " (rename it to SOUL.md)", "skills": "", "evaluators": ""}
NOT_IMPORTED = (
    "Only the log was imported. {folder} also contains {left}. To keep them, copy the files to {config} and the "
    "folders to {data}."
)


@click.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.pass_obj
async def command(invocation: Invocation, /, folder: Path) -> None:
    """Import the JSON export of another machine into the log and memory.

    Known records are skipped, so an import can be repeated. A damaged export is rejected. The configuration, skills and
    evaluators of an export are listed but not imported.
    """
    from openkoi_base.redact import current_redactor
    from openkoi_cli.archive.importer import import_export
    from openkoi_cli.archive.segments import Log

    if not invocation.koi:
        invocation.open()
    paths = invocation.paths
    result = import_export(folder, Log(paths.data), current_redactor())
    known = f"; {format_count(result.known, 'record')} already known" if result.known else ""
    click.echo(f"{format_count(result.records, 'record')} imported from {folder}{known}.")
    if left := list_user_files(folder):
        click.echo(
            NOT_IMPORTED.format(folder=folder, left=", ".join(left), config=paths.config.parent, data=paths.data)
        )
    await update_memory_after(invocation, result)


def list_user_files(folder: Path) -> list[str]:
    """Return the user's own files in an export, which are not imported."""
    return [f"{name}{remark}" for name, remark in USER_FILES.items() if (folder / name).exists()]


async def update_memory_after(invocation: Invocation, result: "ImportResult") -> None:
    """Let memory read the new records; if it fails, the next start catches up."""
    from .memory_in_use import update_memory

    if not (result.records and invocation.koi):
        return
    try:
        await update_memory(invocation.koi, invocation.paths.sessions)
    except Exception as error:  # memory is a plugin: what was imported is in the log
        click.echo(
            invocation.redact(f"  ! Memory could not be updated: {error} It will be updated in the next run."), err=True
        )
