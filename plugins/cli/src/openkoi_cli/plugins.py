"""``openkoi plugins``: what is installed, what it adds, and what is broken and why.

Listing imports nothing; whether a plugin can be loaded is tried in a process of its own, so that one that exits, hangs
or crashes is only named.
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
from .sourced import ask_sources, format_sourced, print_sourced

PATIENCE = 20.0
UNUSED = "! not used"
PROBE = """
import json, sys
from openkoi_cli.streams import kept_stdout
from openkoi_loader.hooks import Hooks
from openkoi_loader.registry import resolve
with kept_stdout() as out:
    for kind, name, target, distribution in json.load(sys.stdin):
        print(json.dumps(["trying", kind, name]), file=out, flush=True)
        try:
            thing = resolve(target)
            faults = Hooks(print).register({name: thing}) if kind == "hooks" and not isinstance(thing, type) else []
            if faults:
                raise faults[0]
        except BaseException as error:
            print(json.dumps(["broken", kind, name, f"{type(error).__name__}: {error}"]), file=out, flush=True)
"""


@click.command()
@click.option("--sources", is_flag=True, hidden=True, help="Only ask the plugins that find plugins, for programs.")
@click.pass_obj
def command(invocation: Invocation, /, sources: bool) -> None:
    """List what is installed, what it adds, and what is broken."""
    if sources:
        print_sourced(invocation)
        return
    found = chosen(invocation)
    reasons = broken(found.found)
    faults = {one: why for one in found.found if (why := reasons.get((one.kind, one.name)))}
    lines: list[str] = []
    used = {(one.kind, one.name): f", that of {one.distribution} is" for one in found.found}
    faults |= {one: UNUSED + used.get((one.kind, one.name), "") for one in found.claims if one not in found.found}
    for distribution in sorted({one.distribution for one in found.claims}):
        own = [one for one in sorted(found.claims) if one.distribution == distribution]
        lines.append(f"{distribution} {version_of(distribution)}".rstrip())
        lines += [f"  {one.kind:<12} {one.name:<16} {faults.get(one, '')}".rstrip() for one in own]
    sourced, warnings = ask_sources(invocation)
    hidden = hidden_frontends(invocation, OpenKoi(invocation).frontends)
    lines += format_sourced(sourced)
    lines += [f"! {text}" for text in (*found.broken, *map(str, found.clashes), *hidden, *warnings)]
    click.echo(invocation.redact("\n".join(lines)))


def chosen(invocation: Invocation) -> Scan:
    """What is installed, with the winners that the configuration prefers; without them where it cannot be read."""
    from openkoi_hookspecs import ConfigError
    from openkoi_loader.bundles import as_preferred

    found = scan()
    try:
        invocation.open()
        return as_preferred(found, invocation.read_config())
    except ConfigError:
        return found


def version_of(distribution: str) -> str:
    """The version, as the distribution's own metadata says it."""
    from importlib_metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except (PackageNotFoundError, ValueError, KeyError):
        return ""


def broken(found: Sequence[Found]) -> dict[tuple[str, str], str]:
    """Why plugins cannot be loaded, by kind and name."""
    faults: dict[tuple[str, str], str] = {}
    left = [one for one in found if one.kind != "bundles"]
    while left:
        said, died = probe(left)
        faults |= {(kind, name): f"! {why}" for word, kind, name, *why_ in said if word == "broken" for why in why_}
        tried = [(kind, name) for word, kind, name, *_ in said if word == "trying"]
        if not died:
            return faults
        if not tried:
            return faults | {(one.kind, one.name): f"! {died}" for one in left}
        faults.setdefault(tried[-1], f"! {died}")
        left = left[len(tried) :]
    return faults


def probe(found: Iterable[Found]) -> tuple[list[list[str]], str]:
    """Import each in a child process; what it said, and how it died if it did not end by itself."""
    child = subprocess.Popen(
        [sys.executable, "-c", PROBE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        out, _ = child.communicate(json.dumps(list(found)), timeout=PATIENCE)
        died = f"it ends the process (status {child.returncode})" if child.returncode else ""
    except subprocess.TimeoutExpired:
        child.kill()
        out, died = child.communicate()[0], f"its import does not come back within {PATIENCE:g} s"
    return [said for line in out.splitlines() if isinstance(said := parsed(line), list)], died


def parsed(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None
