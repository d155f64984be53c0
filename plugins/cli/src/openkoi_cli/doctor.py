"""Define ``openkoi doctor``, which checks the setup and suggests fixes; exit status 1 for any issue."""

import asyncio
import errno
import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openkoi_base.grants.wildcards import find_wildcards
from openkoi_base.printable import indent_further
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import format_size

from .errors import describe_error
from .frontends import hidden_frontends
from .group import OpenKoi
from .invocation import Invocation
from .own_processes import list_own_processes
from .plugin_check import (
    ANSWER_TIMEOUT_SECONDS,
    NOT_CONNECTED,
    NOT_WORKING,
    describe_state,
    describe_states,
    load_before,
)
from .provider_check import check_providers, check_role_models
from .small_model import describe_small_model

if TYPE_CHECKING:
    from openkoi_hookspecs import ConfiguredSetting, Installation, Koi, OpenedKoi, Paths


GROUPS = "openkoi."
UNSET: tuple[object, ...] = (None, "", (), [], math.inf)
LONG_LINE = 240  # characters; three lines of a usual terminal (estimate)
PLUGIN_TIMEOUT_SECONDS = 10.0  # for a server to start and list its tools (estimate)


@dataclass(slots=True)
class Diagnosis:
    """A line for each part, and the issues."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    issues: list[str] = field(default_factory=list)

    def add(self, part: str, text: str) -> None:
        """Add a line about a part."""
        self.lines.append((part, text))

    @contextmanager
    def check(self, part: str) -> Iterator[None]:
        """Report an error of a part's check as an issue, so that the other parts are checked as well."""
        from openkoi_base.isolation import contain_exit

        try:
            with contain_exit():
                yield
        except Exception as error:  # a part is a plugin, or files that may not be readable
            self.add(part, NOT_WORKING)
            self.issues.append(describe_error(error))

    def add_facts(self, part: str, facts: Mapping[str, str]) -> None:
        """Add the facts about a part, each on its own line if they are long."""
        together = format_health(facts)
        lines = [format_health({word: value}) for word, value in facts.items()]
        for number, text in enumerate([together] if len(together) <= LONG_LINE else lines):
            self.add("" if number else part, text)


@click.command()
@click.option("--hooks", is_flag=True, help="Call every hook in a synthetic task, and show what each plugin did.")
@click.pass_obj
def command(invocation: Invocation, /, hooks: bool) -> int:
    """Check your setup and suggest fixes."""
    if hooks:
        from .hook_check import check_hooks

        return check_hooks(invocation)
    koi, broken = open_without_broken_config(invocation)
    seen = asyncio.run(run_checks(koi, invocation))
    if broken:
        seen.lines[0] = ("Config", f"{invocation.paths.config.parent} (unreadable; using defaults)")
        seen.issues.insert(0, broken)
    width = max(len(part) for part, _ in seen.lines) + 2
    for part, text in seen.lines:
        shown = indent_further(koi.redact(text), by=width + 2)
        click.echo(f"  {part + ':' if part else '':<{width}}{shown}".rstrip())
    if seen.issues:
        click.echo("\n  Issues:")
    for issue in seen.issues:
        click.echo(f"    ! {indent_further(koi.redact(issue), by=6)}")
    return 1 if seen.issues else 0


def open_without_broken_config(invocation: Invocation) -> tuple["OpenedKoi", str]:
    """Open OpenKoi, without the config file if it is invalid; return its error as well."""
    from openkoi_hookspecs import ConfigError

    try:
        return invocation.open(), ""
    except ConfigError as error:
        if not invocation.paths.config.exists():
            raise
        invocation.config = str(invocation.paths.config.with_name(".absent.toml"))
        invocation.koi = invocation.launcher.open(config=invocation.config)
        return invocation.koi, str(error)


async def run_checks(koi: "OpenedKoi", invocation: Invocation) -> Diagnosis:
    """Check all parts; a part whose check fails is an issue, and does not prevent the other checks."""
    seen = Diagnosis()
    check_files(invocation.paths, seen, koi.settings())
    async with koi:
        with seen.check("Providers"):
            await check_models(koi, seen)
        with seen.check("Small model"):
            if small := await describe_small_model(koi, invocation.paths.sessions):
                seen.add("Small model", small)
        for part, kind in (("Memory", "memory"), ("Sandbox", "sandboxes"), ("Checkpoints", "checkpoints")):
            with seen.check(part):
                await check_component(part, await koi.load_chosen(kind), seen)
        for part, kind in (("Evaluators", "evaluators"), ("Tools", "tools")):
            list_names(part, kind, koi, seen)
            await asyncio.gather(*(try_plugin(kind, entry.name, koi, seen) for entry in koi.plugins(kind)))
        await check_integrations(koi, seen)
        for part, kind in (("Hooks", "hooks"), ("Embedders", "embedders")):
            list_names(part, kind, koi, seen)
    with seen.check("Plugins"):
        check_plugins(invocation.launcher.installation(config=invocation.config), seen)
    if hosted := list_own_processes(koi):
        seen.add("Own process", hosted)
    seen.issues += hidden_frontends(invocation, OpenKoi(invocation).frontends)
    seen.issues += koi.warnings()
    return seen


async def try_plugin(kind: str, name: str, koi: "Koi", seen: Diagnosis) -> None:
    """Load a plugin, check it if it supports that, and report any failure."""
    state, problem = await describe_state(name, ask_health(kind, name, koi, unknown=""), PLUGIN_TIMEOUT_SECONDS)
    if state:
        seen.add(f"  {name}", state)
    if problem:
        seen.issues.append(problem)


async def ask_health(kind: str, name: str, koi: "Koi", *, unknown: str) -> str:
    """Load a plugin and return its health in words; ``unknown`` if it does not report any."""
    from openkoi_hookspecs import SupportsHealthCheck

    plugin = await koi.load(kind, name)
    return format_health(await plugin.health()) if isinstance(plugin, SupportsHealthCheck) else unknown


async def check_integrations(koi: "Koi", seen: Diagnosis) -> None:
    """Check each app; one that is neither configured nor signed in to is not an issue."""
    kind, entries = "integrations", koi.plugins("integrations")
    if entries:
        list_names("Integrations", kind, koi, seen)
    names = [entry.name for entry in entries]
    await load_before(kind, names, koi)
    states = await describe_states(
        names, lambda name: ask_health(kind, name, koi, unknown="ok"), ANSWER_TIMEOUT_SECONDS
    )
    prefixes = {one.key.split(".")[1] for one in koi.settings() if one.key.startswith("integrations.")}
    for entry in entries:
        state, problem = states[entry.name]
        source = "" if entry.name in entry.origin else f" (from {entry.origin})"
        is_used = entry.name in prefixes
        reason = f": {problem.rstrip('.')}" if problem and state != NOT_CONNECTED and not is_used else ""
        seen.add(f"  {entry.name}", f"{state}{source}{reason}")
        if problem and is_used:
            seen.issues.append(problem)
    seen.issues += find_wildcards(koi)


def check_files(paths: "Paths", seen: Diagnosis, settings: "Sequence[ConfiguredSetting]") -> None:
    from openkoi_runlog.read_segments import list_segments

    seen.add("Config", f"{paths.config} ({'loaded' if paths.config.is_file() else 'not found; using defaults'})")
    check_settings(settings, seen)
    with seen.check("Data"):
        require_access(paths.data)
        seen.add("Data", f"{paths.data} ({format_size(folder_size(paths.data))})")
    with seen.check("Run log"):
        list_segments(paths.sessions)  # raises KoiError if a newer OpenKoi wrote it
    with seen.check("Keys"):
        check_keys(paths.credentials, seen)
    with seen.check("Disk"):
        free = shutil.disk_usage(first_existing(paths.data)).free
        seen.add("Disk", f"{format_size(free)} free")


def require_access(folder: Path) -> None:
    """Raise PermissionError for a folder that cannot be read or written."""
    if folder.exists() and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def check_settings(settings: "Sequence[ConfiguredSetting]", seen: Diagnosis) -> None:
    """List each changed setting with its origin and default."""
    for one in settings:
        default = "" if one.default in UNSET else f", default {format_value(one.default)}"
        seen.add(f"  {one.key}", f"{format_value(one.value)} ({one.origin}{default})")


def format_value(value: object) -> str:
    """Return a setting's value as TOML writes it."""
    return json.dumps(value, default=str)


def check_keys(folder: Path, seen: Diagnosis) -> None:
    """Move keys from older files into the current one."""
    from openkoi_base.files import STORE_FILE, migrate_key_files

    if moved := migrate_key_files(folder):
        seen.add("Keys", f"{', '.join(path.name for path in moved)} moved into {folder / STORE_FILE}")


def folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


def first_existing(path: Path) -> Path:
    return path if path.exists() else first_existing(path.parent)


async def check_models(koi: "Koi", seen: Diagnosis) -> None:
    """List the providers and the executor's model; report an issue if a provider in use does not work."""
    states = await check_providers(koi)
    seen.add("Providers", "" if states else "none installed")
    for name, state in states.items():
        seen.add(f"  {name}", state.text)
    model, errors = await check_role_models(koi, states)
    seen.add("Model", model)
    seen.issues += errors


async def check_component(part: str, thing: Any, seen: Diagnosis) -> None:
    from openkoi_hookspecs import SupportsHealthCheck

    if thing is None:
        seen.add(part, "none")
        return
    health: Mapping[str, str] = await thing.health() if isinstance(thing, SupportsHealthCheck) else {}
    seen.add_facts(part, health)


def format_health(health: Mapping[str, str]) -> str:
    """Return a state in one line."""
    return ", ".join(f"{word} {value}" for word, value in health.items()) or "ok"


def list_names(part: str, kind: str, koi: "Koi", seen: Diagnosis) -> None:
    seen.add(part, ", ".join(entry.name for entry in koi.plugins(kind)) or "none")


def check_plugins(installation: "Installation", seen: Diagnosis) -> None:
    """Count the plugins, and report entry points that the scan missed."""
    own = {(one.kind, one.name, one.distribution) for one in installation.plugins}
    unseen = sorted(list_entry_points() - own)
    seen.add("Plugins", f"{len({one[2] for one in own})} distributions, trusted like OpenKoi itself")
    seen.issues += [
        f"{name} of {distribution} is not used: it is installed in a folder that OpenKoi does not search."
        for _, name, distribution in unseen
    ]


def list_entry_points() -> set[tuple[str, str, str]]:
    """Return the entry points in the standard way."""
    from importlib_metadata import distributions

    listed: set[tuple[str, str, str]] = set()
    for distribution in distributions():
        try:
            points = [one for one in distribution.entry_points if one.group.startswith(GROUPS)]
            name = distribution.metadata["Name"] if points else ""  # which reads the whole description, too
        except Exception:  # the scan reports distributions with broken metadata
            continue
        plain = (name or "").replace("_", "-").lower()
        listed |= {(p.group.removeprefix(GROUPS), p.name, plain) for p in points}
    return listed
