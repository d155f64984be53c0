"""``openkoi migrate``: show the version of the memory file, and migrate back to an older one."""

import asyncio
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError
from openkoi_settings.keys import USE_MEMORY

if TYPE_CHECKING:
    from .file import MemoryFile
    from .versions import Versions

NAME = "duckdb"
NONE = "No memory is in use ([use] memory), and so there is nothing to migrate."
OTHER = (
    "The memory in use is {name!r} ([use] memory), and there is nothing to migrate: only the file of {own!r} has "
    "versions. openkoi memory rebuild builds any memory again from the run log."
)
NEWER = (
    "  ! A newer OpenKoi made this file: this one knows {known} and leaves it alone. Update OpenKoi, or go back with "
    "the newer one: openkoi migrate down --to {known}."
)


@click.group("migrate")
def migrate() -> None:
    """Show the version of the memory file, or take it back to an older one.

    It is brought up to date whenever it is opened. The run log is the truth: what is lost on the way back is built
    again from it.
    """


@migrate.command("status")
@click.pass_obj
def status(koi: Koi, /) -> None:
    """Show the version of the memory file, and what each step did."""
    from .versions import versions_of

    if other := other_memory(koi):
        click.echo(other)
        return
    file = file_of(koi)
    click.echo("\n".join(format_versions(file, versions_of(file))))


@migrate.command("down")
@click.option("--to", type=click.IntRange(min=0), metavar="N", help="The version to go back to; one less without it.")
@click.pass_obj
def down(koi: Koi, /, to: int | None) -> None:
    """Take the memory file back, for an older OpenKoi to use; a copy of it is kept.

    This OpenKoi brings it up to date again at its next start: install the older one first.
    """
    from .versions import take_back

    if other := other_memory(koi):
        raise KoiError(other)
    file = file_of(koi)
    if not (steps := take_back(file, to)):
        click.echo(f"There is nothing to take back: {file.path} has {'no tables' if not to else f'version {to}'}.")
        return
    for step in steps:
        click.echo(f"✓ {step.migration.version} {step.migration.name}: taken back")
        click.echo(f"  The file as it was is {file.beside(f'bak.v{step.before}').name}.")
    click.echo("Install the older OpenKoi now: this one brings the file up to date again when it next opens it.")


def other_memory(koi: Koi) -> str:
    """What to say when another memory is chosen than ours; nothing when ours is."""
    name = koi.setting(USE_MEMORY.name, str, NAME)
    if name in ("", "none"):
        return NONE
    return "" if name == NAME else OTHER.format(name=name, own=NAME)


def file_of(koi: Koi) -> "MemoryFile":
    """The file, where it is configured to be."""
    from .memory import DuckDB

    memory = asyncio.run(koi.load("memory", NAME))
    if not isinstance(memory, DuckDB):
        raise PluginNotFoundError("memory", NAME, tuple(entry.name for entry in koi.plugins("memory")))
    return memory.file


def format_versions(file: "MemoryFile", versions: "Versions | None") -> list[str]:
    """Return the versions as lines."""
    from .migrations import MIGRATIONS, newest

    if versions is None:
        return [f"{file.path} is not there yet: the next task makes it, from the run log."]
    lines = [f"{file.path}: version {versions.current}"]
    lines += [f"  ✓ {number} {name} ({moment[:16].replace('T', ' ')})" for number, name, moment in versions.taken]
    if versions.newer:
        lines.append(NEWER.format(known=newest(MIGRATIONS)))
    return lines + [f"  - {one.version} {one.name} (when it is next opened)" for one in versions.missing]
