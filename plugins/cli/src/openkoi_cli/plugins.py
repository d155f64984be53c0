"""Define ``openkoi plugins``, which lists installed plugins, what they add, and which are broken.

Listing imports nothing. Plugins are imported in a child process, so that one that exits, hangs or crashes is reported.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .frontends import hidden_frontends
from .group import OpenKoi
from .invocation import Invocation
from .plugin_sources import ask_sources, format_sourced, print_sourced
from .streams import reserve_stdout

if TYPE_CHECKING:
    from openkoi_hookspecs import PluginState

IMPORT_TIMEOUT_SECONDS = 20.0  # estimate: for the slowest library on a busy machine
CHECK_COMMAND = ("plugins", "--check")
TRYING, BROKEN = "trying", "broken"


@click.command()
@click.option("--sources", is_flag=True, hidden=True, help="Print the plugins that sources list, as JSON.")
@click.option("--check", is_flag=True, hidden=True, help="Import the plugins that stdin lists, and print the broken.")
@click.pass_obj
def command(invocation: Invocation, /, sources: bool, check: bool) -> None:
    """List installed plugins, what they add, and which are broken."""
    if sources:
        print_sourced(invocation)
    elif check:
        print_broken(invocation)
    else:
        click.echo(invocation.redact("\n".join(format_plugins(invocation))))


def format_plugins(invocation: Invocation) -> list[str]:
    """Return the lines of all distributions and sources, and the warnings."""
    open_if_configured(invocation)
    installation = invocation.launcher.installation(config=invocation.config)
    broken = find_broken([one for one in installation.plugins if one.used], invocation)
    lines: list[str] = []
    for distribution in sorted({one.distribution for one in installation.plugins}):
        own = [one for one in installation.plugins if one.distribution == distribution]
        lines.append(f"{distribution} {read_version(distribution)}".rstrip())
        lines += [f"  {one.kind:<12} {one.name:<16} {broken.get(one) or why_unused(one)}".rstrip() for one in own]
    sourced, warnings = ask_sources(invocation)
    hidden = hidden_frontends(invocation, OpenKoi(invocation).frontends)
    lines += format_sourced(sourced)
    return [*lines, *(f"! {text}" for text in (*installation.warnings, *hidden, *warnings))]


def open_if_configured(invocation: Invocation) -> None:
    """Open OpenKoi, if the configuration can be read."""
    from openkoi_hookspecs import ConfigError

    try:
        invocation.open()
    except ConfigError:
        return


def why_unused(plugin: "PluginState") -> str:
    """Return why a plugin is not used; empty if it is."""
    if plugin.used:
        return ""
    return "! not used" + (f", because {plugin.winner} provides it" if plugin.winner else "")


def read_version(distribution: str) -> str:
    """Return a distribution's version from its metadata; empty without one."""
    from importlib_metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except (PackageNotFoundError, ValueError, KeyError):
        return ""


def find_broken(plugins: Sequence["PluginState"], invocation: Invocation) -> dict["PluginState", str]:
    """Return why plugins cannot be loaded; each is imported in a child process."""
    errors: dict[PluginState, str] = {}
    left = [one for one in plugins if one.kind != "bundles"]
    while left:
        lines, died = try_imports(left, invocation)
        tried = [left[place] for word, place, *_ in lines if word == TRYING]
        errors |= {left[place]: f"! {why}" for word, place, *why_ in lines if word == BROKEN for why in why_}
        if not died:
            return errors
        if not tried:
            return errors | dict.fromkeys(left, f"! {died}")
        errors.setdefault(tried[-1], f"! {died}")
        left = left[len(tried) :]
    return errors


def try_imports(plugins: Sequence["PluginState"], invocation: Invocation) -> tuple[list[list[Any]], str]:
    """Import plugins in a child process; return the parsed output, and why the process died, if it did."""
    config = ["--config", invocation.config] if invocation.config else []
    listed = json.dumps([(one.kind, one.name, one.distribution) for one in plugins])
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "openkoi", *config, *CHECK_COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        out, _ = child.communicate(listed, timeout=IMPORT_TIMEOUT_SECONDS)
        died = f"its import ends the process (status {child.returncode})" if child.returncode else ""
    except subprocess.TimeoutExpired:
        child.kill()
        out, died = child.communicate()[0], f"its import does not finish within {IMPORT_TIMEOUT_SECONDS:g} s"
    return [parsed for line in out.splitlines() if isinstance(parsed := parse_line(line), list)], died


def parse_line(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def print_broken(invocation: Invocation) -> None:
    """Import the plugins that stdin lists, and print which one is tried, and which are broken, by their places."""
    from openkoi_hookspecs import PluginState

    with reserve_stdout() as out:
        for place, names in enumerate(json.load(sys.stdin)):
            print(json.dumps([TRYING, place]), file=out, flush=True)
            if why := invocation.launcher.check(PluginState(*names)):
                print(json.dumps([BROKEN, place, why]), file=out, flush=True)
