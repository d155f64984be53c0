"""Define ``openkoi migrate``, which reports whether the run log or an export needs a migration: none does so far."""

from pathlib import Path

import click

from .invocation import Invocation

CURRENT = "The {what} needs no migration: format {version} is current."


@click.command()
@click.argument("export", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.pass_obj
def command(invocation: Invocation, /, export: Path | None) -> None:
    """Report whether the run log needs a migration, or an EXPORT: the folder of a JSON export.

    `openkoi update` also reports it. Memory needs none: it is rebuilt if its version differs.
    """
    if export is None:
        run_migrations(invocation)
        return
    from openkoi_cli.archive.manifest import read_manifest

    version = read_manifest(export).schema.rpartition("/")[2]
    click.echo(f"✓ {CURRENT.format(what=f'export {export}', version=version)}")


def run_migrations(invocation: Invocation) -> None:
    """Report the format of the run log; raise KoiError if a newer OpenKoi wrote it."""
    from openkoi_runlog.read_segments import list_segments
    from openkoi_runlog.segment_names import LOG_FORMAT

    list_segments(invocation.paths.sessions)
    click.echo(f"✓ {CURRENT.format(what='run log', version=LOG_FORMAT)}")
