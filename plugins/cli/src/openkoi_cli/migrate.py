"""Define ``openkoi migrate``, which runs the migrations of memory to this version. The run log needs none so far."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import SupportsMigrate

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi


@click.command()
@click.pass_obj
def command(invocation: Invocation, /) -> None:
    """Migrate memory to the format of this version, as `openkoi update` does."""
    run_migrations(invocation)


def run_migrations(invocation: Invocation) -> None:
    """Run the migrations that are pending, and print what each did."""
    from .interruptible import run_interruptible

    for line in run_interruptible(migrate_memory(invocation)):
        click.echo(f"✓ {line}")


async def migrate_memory(invocation: Invocation) -> Sequence[str]:
    """Migrate the chosen memory, and rebuild what it discarded; return a line for each step."""
    from .memory_in_use import load_usable_memory, update_memory

    koi: OpenedKoi = invocation.open()
    async with koi:
        memory = await load_usable_memory(koi, "Migration")
        if not isinstance(memory, SupportsMigrate):
            return (
                ["Memory needs no migration."] if memory else ["No memory is enabled, so there is nothing to migrate."]
            )
        lines = await memory.migrate()
        if lines:
            await update_memory(koi, invocation.paths.sessions)
        return lines or ["Memory needs no migration."]
