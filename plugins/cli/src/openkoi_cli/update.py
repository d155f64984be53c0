"""``openkoi update``: install newer releases of OpenKoi and its plugins, and run pending migrations."""

import importlib
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import KoiError

from .invocation import Invocation
from .migrate import run_migrations

if TYPE_CHECKING:
    from .releases import Newer

NOT_UPDATED = "  ! {name} is still {version}: {installer} did not update it."


@click.command()
@click.option("--check", is_flag=True, help="Show newer releases without installing them.")
@click.option("--migrations", is_flag=True, hidden=True, help="Only run pending migrations.")
@click.pass_obj
def command(invocation: Invocation, /, check: bool, migrations: bool) -> None:
    """Update OpenKoi and its plugins, and run pending migrations."""
    from .releases import newer_releases

    if check:
        click.echo("\n".join(format_newer(newer_releases())))
        return
    try:
        found = [] if migrations else newer_releases()
        if found:
            install_newer(found)
        elif not migrations:
            click.echo("✓ OpenKoi and its plugins are up to date.")
    except KoiError:  # what is there already may have pending migrations all the same
        with suppress(KoiError):  # of a newer log, whose error says to update
            run_migrations(invocation)
        raise
    if found:
        migrate_in_new_process(invocation)
    else:
        run_migrations(invocation)


def format_newer(found: "Sequence[Newer]") -> list[str]:
    """Return a line for each newer release."""
    if not found:
        return ["OpenKoi and its plugins are up to date."]
    lines = [f"{one.name} {one.version} -> {one.latest}" for one in found]
    return [*lines, "Run `openkoi update` to install them."]


def install_newer(found: "Sequence[Newer]") -> None:
    """Let this environment's installer install newer releases; report each one that it did or did not update."""
    from .releases import installer_name, run_installer, upgrade_command, versions_from_index

    order = upgrade_command([one.name for one in found], Path(sys.prefix))
    run_installer(order, "update OpenKoi")
    importlib.invalidate_caches()
    now = versions_from_index()
    for one in found:
        if now.get(one.name) == one.version:
            click.echo(
                NOT_UPDATED.format(name=one.name, version=one.version, installer=installer_name(order)), err=True
            )
        else:
            click.echo(f"✓ Updated {one.name} {one.version} -> {now.get(one.name, one.latest)}")


def migrate_in_new_process(invocation: Invocation) -> None:
    """Run pending migrations with the new code: this process still has the old code."""
    config = ["--config", invocation.config] if invocation.config else []
    order = [sys.executable, "-P", "-m", "openkoi", *config, "update", "--migrations"]
    if subprocess.run(order, check=False).returncode:
        raise KoiError("Pending migrations failed. Fix the cause above, and run `openkoi update` again.")
