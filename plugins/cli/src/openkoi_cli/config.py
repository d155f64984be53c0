"""Define ``openkoi config``, which shows settings and where each is set."""

import json
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import ConfiguredSetting, OpenedKoi


@click.group()
def command() -> None:
    """Show settings, and where each is set."""


@command.command()
@click.argument("key")
@click.pass_obj
def get(invocation: Invocation, /, key: str) -> int:
    """Print the value of a setting, and where it is set. KEY is dotted, such as iteration.max_iterations.

    The exit status is 1 if it is not set and has no default.
    """
    koi = invocation.open()
    found = [one for one in koi.settings(bundles=True) if one.key == key or one.key.startswith(f"{key}.")]
    lines = [format_setting(one) for one in found] or format_default(key, koi)
    if lines:
        click.echo(koi.redact("\n".join(lines)))
    else:
        click.echo(f"{key} is not set.", err=True)
    return 0 if lines else 1


@command.command(name="list")
@click.option("--all", "bundles", is_flag=True, help="Include what bundles set.")
@click.pass_obj
def list_all(invocation: Invocation, /, bundles: bool) -> None:
    """List what is set, and where."""
    koi = invocation.open()
    lines = [format_setting(one) for one in koi.settings(bundles=bundles)]
    click.echo(koi.redact("\n".join(lines) or f"Nothing is set in {invocation.paths.config}."))


@command.command()
@click.pass_obj
def path(invocation: Invocation, /) -> None:
    """Print the path of the configuration file, whether it exists or not."""
    click.echo(str(invocation.paths.config))


def format_setting(one: "ConfiguredSetting") -> str:
    """Return a setting as TOML writes it, and where it is set."""
    return f"{one.key} = {json.dumps(one.value, ensure_ascii=False, default=str)}  # {one.origin}"


def format_default(key: str, koi: "OpenedKoi") -> list[str]:
    """Return the default of a setting that is not set; nothing if it has none."""
    from openkoi_hookspecs import ConfigError

    try:
        value = koi.setting(key, object, None)
    except ConfigError:
        return []
    return [] if value is None else [f"{key} = {json.dumps(value, default=str)}  # default"]
