"""Define ``openkoi plugins``, which lists installed plugins, what they add, and which are broken.

Listing imports nothing. Plugins are imported in a child process, so that one that exits, hangs or crashes is reported.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence

import click

from openkoi_loader.registry import Found, Scan, scan

from .frontends import hidden_frontends
from .group import OpenKoi
from .invocation import Invocation
from .plugin_sources import ask_sources, format_sourced, print_sourced

IMPORT_TIMEOUT_SECONDS = 20.0  # estimate: for the slowest library on a busy machine
UNUSED = "! not used"
PROBE = """
import json, sys
from openkoi_cli.streams import reserve_stdout
from openkoi_loader.hooks import Hooks
from openkoi_loader.registry import resolve
with reserve_stdout() as out:
    for kind, name, target, distribution in json.load(sys.stdin):
        print(json.dumps(["trying", kind, name]), file=out, flush=True)
        try:
            thing = resolve(target)
            errors = Hooks(print).register({name: thing}) if kind == "hooks" and not isinstance(thing, type) else []
            if errors:
                raise errors[0]
        except BaseException as error:
            print(json.dumps(["broken", kind, name, f"{type(error).__name__}: {error}"]), file=out, flush=True)
"""


@click.command()
@click.option("--sources", is_flag=True, hidden=True, help="Print the plugins that sources list, as JSON.")
@click.pass_obj
def command(invocation: Invocation, /, sources: bool) -> None:
    """List installed plugins, what they add, and which are broken."""
    if sources:
        print_sourced(invocation)
        return
    found = find_installed(invocation)
    reasons = find_broken(found.found)
    errors = {one: why for one in found.found if (why := reasons.get((one.kind, one.name)))}
    lines: list[str] = []
    used = {(one.kind, one.name): f", because {one.distribution} provides it" for one in found.found}
    errors |= {one: UNUSED + used.get((one.kind, one.name), "") for one in found.claims if one not in found.found}
    for distribution in sorted({one.distribution for one in found.claims}):
        own = [one for one in sorted(found.claims) if one.distribution == distribution]
        lines.append(f"{distribution} {read_version(distribution)}".rstrip())
        lines += [f"  {one.kind:<12} {one.name:<16} {errors.get(one, '')}".rstrip() for one in own]
    sourced, warnings = ask_sources(invocation)
    hidden = hidden_frontends(invocation, OpenKoi(invocation).frontends)
    lines += format_sourced(sourced)
    lines += [f"! {text}" for text in (*found.broken, *map(str, found.clashes), *hidden, *warnings)]
    click.echo(invocation.redact("\n".join(lines)))


def find_installed(invocation: Invocation) -> Scan:
    """Return what is installed, with configured preferences if the configuration can be read."""
    from openkoi_hookspecs import ConfigError
    from openkoi_loader.bundles import as_preferred

    found = scan()
    try:
        invocation.open()
        return as_preferred(found, invocation.read_config())
    except ConfigError:
        return found


def read_version(distribution: str) -> str:
    """Return a distribution's version from its metadata; empty without one."""
    from importlib_metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except (PackageNotFoundError, ValueError, KeyError):
        return ""


def find_broken(found: Sequence[Found]) -> dict[tuple[str, str], str]:
    """Return why plugins cannot be loaded, by kind and name."""
    errors: dict[tuple[str, str], str] = {}
    left = [one for one in found if one.kind != "bundles"]
    while left:
        lines, died = try_imports(left)
        errors |= {(kind, name): f"! {why}" for word, kind, name, *why_ in lines if word == "broken" for why in why_}
        tried = [(kind, name) for word, kind, name, *_ in lines if word == "trying"]
        if not died:
            return errors
        if not tried:
            return errors | {(one.kind, one.name): f"! {died}" for one in left}
        errors.setdefault(tried[-1], f"! {died}")
        left = left[len(tried) :]
    return errors


def try_imports(found: Iterable[Found]) -> tuple[list[list[str]], str]:
    """Import plugins in a child process; return the parsed output, and why the process died, if it did."""
    child = subprocess.Popen(
        [sys.executable, "-c", PROBE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        out, _ = child.communicate(json.dumps(list(found)), timeout=IMPORT_TIMEOUT_SECONDS)
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
