"""Define ``openkoi config``, which shows and changes settings."""

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from openkoi_hookspecs import ConfiguredSetting, OpenedKoi
    from openkoi_hookspecs.tool import Json

NEW_FILE = b"# Settings of OpenKoi. `openkoi config list --all` shows those that are in effect.\n"


@click.group()
def command() -> None:
    """Show, change and edit settings."""


@command.command()
@click.argument("key")
@click.pass_obj
def get(invocation: Invocation, /, key: str) -> int:
    """Print the value of a setting, and where it is set. KEY is dotted, such as iteration.max_iterations.

    The exit status is 1 if the setting is not set and has no default.
    """
    koi = invocation.open()
    found = [one for one in koi.settings(bundles=True) if one.key == key or one.key.startswith(f"{key}.")]
    lines = [format_setting(one) for one in found] or format_default(key, koi)
    if lines:
        click.echo(koi.redact("\n".join(lines)))
    else:
        click.echo(f"{key} is not set.", err=True)
    return 0 if lines else 1


@command.command(name="set")
@click.argument("key")
@click.argument("value")
@click.pass_obj
def set_value(invocation: Invocation, /, key: str, value: str) -> None:
    """Set KEY to VALUE in your config file. VALUE is TOML, or plain text.

    KEY is dotted, such as iteration.max_iterations. To remove a setting, use `openkoi config unset KEY`.
    """
    parsed = parse_value(value)
    require_effect(key, parsed, invocation)
    file = invocation.open().set_setting(key, parsed)
    click.echo(invocation.redact(f"{key} = {json.dumps(parsed, ensure_ascii=False)}  # {file}"))
    note_override(key, file, invocation)


@command.command()
@click.argument("key")
@click.pass_obj
def unset(invocation: Invocation, /, key: str) -> int:
    """Remove KEY from your config file."""
    koi = invocation.open()
    if key not in read_keys(invocation.paths.config):
        click.echo(f"{key} is not set in {invocation.paths.config}.", err=True)
        return 1
    koi.set_setting(key, None)
    click.echo(f"Removed {key} from {invocation.paths.config}.")
    note_override(key, invocation.paths.config, invocation)
    return 0


@command.command()
@click.pass_obj
def edit(invocation: Invocation, /) -> None:
    """Open your config file in $VISUAL or $EDITOR, and check it afterwards."""
    from openkoi_base.files import private_folder, write_atomically
    from openkoi_base.terminal import can_prompt

    if not (can_prompt(sys.stdout) or os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise click.UsageError("An editor needs a terminal. Set $EDITOR, or use `openkoi config set KEY VALUE`.")

    file = invocation.paths.config
    if not file.exists():
        private_folder(file.parent)
        write_atomically(file, NEW_FILE)
    click.edit(filename=str(file))
    from .errors import print_warning

    for warning in invocation.open().unknown_settings():
        print_warning(warning, invocation)
    click.echo(f"Checked {file}.")


@command.command(name="list")
@click.option("--all", "bundles", is_flag=True, help="Include settings from bundles.")
@click.pass_obj
def list_all(invocation: Invocation, /, bundles: bool) -> None:
    """List settings, and where each one is set."""
    koi = invocation.open()
    lines = [format_setting(one) for one in koi.settings(bundles=bundles)]
    click.echo(koi.redact("\n".join(lines) or f"No settings in {invocation.paths.config}."))


@command.command()
@click.pass_obj
def path(invocation: Invocation, /) -> None:
    """Print the path of the config file, whether it exists or not."""
    click.echo(str(invocation.paths.config))


def parse_value(text: str) -> "Json":
    """Parse a value as TOML; if that fails, return it as a string."""
    import tomllib

    try:
        value: Json = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return text if "\n" in text else value


def read_keys(file: "Path") -> set[str]:
    """Return the dotted keys in a valid config file as they are written there, also deprecated ones."""
    from tomllib import loads

    return set(dotted_keys(loads(file.read_bytes().decode("utf-8-sig")))) if file.is_file() else set()


def dotted_keys(table: "Mapping[str, object]") -> "Iterator[str]":
    """Yield the keys of a table and of the tables in it."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from (f"{key}.{below}" for below in dotted_keys(value))
        else:
            yield key


def require_effect(key: str, value: "Json", invocation: Invocation) -> None:
    """Raise ConfigError if the setting would be invalid or unused."""
    from openkoi_hookspecs import ConfigError

    from .interruptible import run_interruptible

    def open_koi(**settings: "Json") -> "OpenedKoi":
        return invocation.launcher.open(config=invocation.config, settings=settings)

    known = open_koi().unknown_settings()
    try:
        wrong = find_new(open_koi(**{key: value}).unknown_settings(), known)
        if wrong:  # unless it is of a plugin that a source lists, such as a script
            known = run_interruptible(list_unknown_settings(open_koi()), invocation.runner)
            now = run_interruptible(list_unknown_settings(open_koi(**{key: value})), invocation.runner)
            wrong = find_new(now, known)
    except ConfigError as error:
        wrong = [str(error)]
    if wrong:
        raise ConfigError(f"{remove_origin(wrong[0], key)} Nothing was changed.")


def find_new(now: "Sequence[str]", known: "Sequence[str]") -> list[str]:
    """Return the warnings that were not there before."""
    return [text for text in now if text not in known]


async def list_unknown_settings(koi: "OpenedKoi") -> "Sequence[str]":
    """Return the warnings about unknown settings, once sources have listed their plugins."""
    async with koi:
        return koi.unknown_settings()


def remove_origin(text: str, key: str) -> str:
    """Return an error that names the key instead of the option --set of `openkoi fork`."""
    return text.replace(f" in --set {key}", "").replace(f"--set {key}", key)


def note_override(key: str, file: "Path", invocation: Invocation) -> None:
    """Note where a setting is set that overrides the config file."""
    others = (one for one in invocation.open().settings() if one.key == key and one.origin != str(file))
    for one in others:
        click.echo(f"  ! {key} is also set in {one.origin}, which overrides {file}.", err=True)


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
