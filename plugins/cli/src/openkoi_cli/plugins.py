"""Define ``openkoi plugins``, which lists installed plugins, what they add, and which are broken.

Listing imports nothing. Plugins are imported in a child process, so that one that exits, hangs or crashes is reported.
If none is broken, they are imported again only when something was installed, removed or edited.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from .frontends import hidden_frontends
from .group import OpenKoi
from .hook_times import format_hook_times
from .invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Installation, PluginState
    from openkoi_runlog.hook_times import Times

IMPORT_TIMEOUT_SECONDS = 20.0  # estimate: for the slowest library on a busy machine
CHECK_COMMAND = ("plugins", "--check")
TRYING, BROKEN = "trying", "broken"
CHECKED = "plugins.checked"


@click.command()
@click.option("--sources", is_flag=True, hidden=True, help="Print the plugins that sources list, as JSON.")
@click.option("--check", is_flag=True, hidden=True, help="Import the plugins listed on stdin; print those that fail.")
@click.pass_obj
def command(invocation: Invocation, /, sources: bool, check: bool) -> None:
    """List installed plugins, what they add, and which are broken."""
    if sources:
        from .plugin_sources import print_sourced

        print_sourced(invocation)
    elif check:
        print_broken(invocation)
    else:
        click.echo("\n".join(format_plugins(invocation)))


def format_plugins(invocation: Invocation) -> list[str]:
    """Return the lines of all distributions and sources, and the warnings."""
    from openkoi_runlog.hook_times import read_hook_times

    installation = invocation.launcher.installation(config=invocation.config)
    broken = find_broken(installation, invocation)
    times = read_hook_times(invocation.paths.sessions)
    lines: list[str] = []
    for distribution, version in sorted({(one.distribution, one.version) for one in installation.plugins}):
        own = [one for one in installation.plugins if one.distribution == distribution]
        lines.append(f"{distribution} {version}".rstrip())
        lines += [f"  {one.kind:<12} {one.name:<16} {broken.get(one) or describe(one, times)}".rstrip() for one in own]
    sourced, warnings = read_sources(invocation)
    hidden = hidden_frontends(invocation, OpenKoi(invocation).frontends)
    lines += [*sourced, *(f"! {text}" for text in (*installation.warnings, *hidden, *warnings))]
    return without_secrets(lines, invocation) if broken or sourced or warnings else lines


def read_sources(invocation: Invocation) -> tuple[list[str], list[str]]:
    """Return the lines about the plugins that sources list, and warnings about the sources."""
    if not invocation.launcher.plugins("sources"):
        return [], []
    from .plugin_sources import ask_sources, format_sourced

    sourced, warnings = ask_sources(invocation)
    return [*format_sourced(sourced)], warnings


def without_secrets(lines: Sequence[str], invocation: Invocation) -> list[str]:
    """Return lines from plugins without secrets; secrets of the configuration are known only if it can be read."""
    from openkoi_hookspecs import ConfigError

    with suppress(ConfigError):
        invocation.open()
    return invocation.redact("\n".join(lines)).split("\n")


def describe(plugin: "PluginState", times: "Times") -> str:
    """Return why a plugin is not used; else where it runs and, for a hook plugin, which hooks were called and when."""
    process = describe_process() if plugin.subprocess else ""
    hooks = format_hook_times(times.get(plugin.name, {})) if plugin.kind == "hooks" else ""
    return why_unused(plugin) or "  ".join(filter(None, (process, hooks)))


def describe_process() -> str:
    from .own_processes import OWN_PROCESS

    return OWN_PROCESS


def why_unused(plugin: "PluginState") -> str:
    """Return why a plugin is not used; empty if it is."""
    if not plugin.enabled:
        return f"disabled by {plugin.kind}.{plugin.name}.enabled"
    if plugin.used:
        return ""
    return "! not used" + (f", because {plugin.winner} provides it" if plugin.winner else "")


def find_broken(installation: "Installation", invocation: Invocation) -> dict["PluginState", str]:
    """Return why plugins cannot be loaded; import them unless the same files were imported before without an error."""
    used = [one for one in installation.plugins if one.used and one.kind != "bundles"]
    names = " ".join(f"{one.kind}.{one.name}={one.distribution}" for one in used)
    checked, known = f"{installation.fingerprint} {names}", invocation.paths.data / CHECKED
    if read_text(known) == checked:
        return {}
    if broken := import_plugins(used, invocation):
        return broken
    from openkoi_base.files import write_atomically

    with suppress(OSError):
        write_atomically(known, checked.encode())
    return {}


def read_text(path: "Path") -> str:
    """Return the text of a file; empty if it cannot be read."""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def import_plugins(plugins: Sequence["PluginState"], invocation: Invocation) -> dict["PluginState", str]:
    """Return why plugins cannot be loaded; each is imported in a child process."""
    errors: dict[PluginState, str] = {}
    left = list(plugins)
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
    import json
    import subprocess

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
        died = f"importing it ends the process (status {child.returncode})" if child.returncode else ""
    except subprocess.TimeoutExpired:
        child.kill()
        out, died = child.communicate()[0], f"its import did not finish within {IMPORT_TIMEOUT_SECONDS:g} s"
    return [parsed for line in out.splitlines() if isinstance(parsed := parse_line(line), list)], died


def parse_line(line: str) -> object:
    import json

    try:
        return json.loads(line)
    except ValueError:
        return None


def print_broken(invocation: Invocation) -> None:
    """Import the plugins that stdin lists, and print the index of each one tried, and of each broken one."""
    import json

    from openkoi_hookspecs import PluginState

    from .streams import reserve_stdout

    with reserve_stdout() as out:
        for place, names in enumerate(json.load(sys.stdin)):
            print(json.dumps([TRYING, place]), file=out, flush=True)
            if why := invocation.launcher.check(PluginState(*names)):
                print(json.dumps([BROKEN, place, why]), file=out, flush=True)
