"""``openkoi doctor``: what works here and what does not, each with the remedy. Exit 1 when something needs doing."""

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openkoi_report import format_size

from .frontends import hidden_frontends
from .group import OpenKoi
from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, OpenedKoi
    from openkoi_settings import Config, Paths


PATIENCE = 3.0


@dataclass(slots=True)
class Diagnosis:
    """Lines for each part, and what is to be done."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    issues: list[str] = field(default_factory=list)

    def say(self, part: str, text: str) -> None:
        """What is seen of a part."""
        self.lines.append((part, text))


@click.command()
@click.pass_obj
def command(invocation: Invocation, /) -> int:
    """Say what works here and what does not, with the remedy."""
    koi, broken = opened(invocation)
    seen = asyncio.run(examine(koi, invocation))
    if broken:
        seen.lines[0] = ("Config", f"{invocation.paths.config.parent} (it cannot be read: the defaults hold)")
        seen.issues.insert(0, broken)
    width = max(len(part) for part, _ in seen.lines) + 2
    for part, text in seen.lines:
        click.echo(koi.redact(f"  {part + ':':<{width}}{text}".rstrip()))
    if seen.issues:
        click.echo("\n  Issues:")
    for issue in seen.issues:
        click.echo(koi.redact(f"    ! {issue}"))
    return 1 if seen.issues else 0


def opened(invocation: Invocation) -> tuple["OpenedKoi", str]:
    """OpenKoi, and what is wrong with its configuration; without that file where it cannot be read."""
    from openkoi_hookspecs import ConfigError

    try:
        return invocation.open(), ""
    except ConfigError as error:
        if not invocation.paths.config.exists():
            raise
        invocation.config = str(invocation.paths.config.with_name(".absent.toml"))
        invocation.koi = invocation.launcher.open(config=invocation.config)
        return invocation.koi, str(error)


async def examine(koi: "OpenedKoi", invocation: Invocation) -> Diagnosis:
    """Look at everything, one part after the other."""
    seen = Diagnosis()
    look_at_files(invocation.paths, seen, invocation.read_config())
    async with koi:
        await look_at_models(koi, seen)
        for part, kind in (("Memory", "memory"), ("Sandbox", "sandboxes"), ("Checkpoints", "checkpoints")):
            await look_at_socket(part, await koi.load_chosen(kind), seen)
        for part, kind in (
            ("Evaluators", "evaluators"),
            ("Tools", "tools"),
            ("Hooks", "hooks"),
            ("Embedders", "embedders"),
        ):
            look_at_names(part, kind, koi, seen)
        await try_plugins("evaluators", koi)
        await try_plugins("tools", koi)
    look_at_plugins(seen)
    seen.issues += hidden_frontends(invocation, OpenKoi(invocation).frontends)
    seen.issues += koi.warnings()
    return seen


async def try_plugins(kind: str, koi: "Koi") -> None:
    """Load all plugins of a kind, and warn of those that cannot be had."""
    from openkoi_hookspecs import KoiError

    for entry in koi.plugins(kind):
        try:
            await entry.load()
        except KoiError as error:
            koi.warn(str(error))


def look_at_files(paths: "Paths", seen: Diagnosis, config: "Config") -> None:
    seen.say("Config", f"{paths.config} ({'loaded' if paths.config.is_file() else 'not there: the defaults hold'})")
    look_at_settings(config, seen)
    seen.say("Data", f"{paths.data} ({format_size(size_of(paths.data))})")
    look_at_keys(paths.credentials, seen)
    free = shutil.disk_usage(existing(paths.data)).free
    seen.say("Disk", f"{format_size(free)} free")


def look_at_settings(config: "Config", seen: Diagnosis) -> None:
    """Name each setting that is not as the bundles set it, with where it comes from and what holds without it."""
    from openkoi_settings.documentation import is_stated, toml
    from openkoi_settings.keys import find_key

    for name, setting in config.changed_settings.items():
        key = find_key(name)
        default = is_stated(key.default) if key else ""
        seen.say(f"  {name}", f"{toml(setting.value)} ({setting.origin}{default and f', default {default}'})")


def look_at_keys(folder: Path, seen: Diagnosis) -> None:
    """Bring keys of older habits where the others are."""
    from openkoi_base.files import STORE_FILE, migrate_key_files
    from openkoi_hookspecs import ConfigError

    try:
        moved = migrate_key_files(folder)
    except ConfigError as error:
        seen.issues.append(str(error))
        return
    if moved:
        seen.say("Keys", f"{', '.join(path.name for path in moved)} moved into {folder / STORE_FILE}")


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


def existing(path: Path) -> Path:
    return path if path.exists() else existing(path.parent)


async def look_at_models(koi: "Koi", seen: Diagnosis) -> None:
    from openkoi_hookspecs import KoiError

    names = [entry.name for entry in koi.plugins("providers")]
    seen.say("Providers", "" if names else "none installed")
    for name in names:
        seen.say(f"  {name}", await how_is(koi, name))
    try:
        seen.say("Model", await koi.resolve_model("executor"))
    except KoiError as error:
        seen.say("Model", "none chosen")
        seen.issues.append(str(error))


async def how_is(koi: "Koi", name: str) -> str:
    """What a provider says of itself, or what it lacks."""
    from openkoi_hookspecs import KoiError, SupportsHealthCheck

    try:
        async with asyncio.timeout(PATIENCE):
            provider = await koi.load("providers", name)
            told: Mapping[str, str] = await provider.health() if isinstance(provider, SupportsHealthCheck) else {}
    except TimeoutError:
        return f"did not answer within {PATIENCE:g} s"
    except KoiError as error:
        return str(error).rstrip(".")
    return ", ".join(f"{word} {value}" for word, value in told.items()) or "ok"


async def look_at_socket(part: str, thing: Any, seen: Diagnosis) -> None:
    from openkoi_hookspecs import KoiError, SupportsHealthCheck

    if thing is None:
        seen.say(part, "none chosen")
        return
    try:
        told: Mapping[str, str] = await thing.health() if isinstance(thing, SupportsHealthCheck) else {}
        seen.say(part, ", ".join(f"{word} {value}" for word, value in told.items()) or "ok")
    except KoiError as error:
        seen.say(part, "unwell")
        seen.issues.append(str(error))


def look_at_names(part: str, kind: str, koi: "Koi", seen: Diagnosis) -> None:
    seen.say(part, ", ".join(entry.name for entry in koi.plugins(kind)) or "none")


def look_at_plugins(seen: Diagnosis) -> None:
    """Every installed distribution is trusted like the core; the official listing must agree with ours."""
    from openkoi_loader.registry import scan

    own = {(one.kind, one.name, one.distribution) for one in scan().claims}
    unseen = sorted(official() - own)
    seen.say("Plugins", f"{len({one[2] for one in own})} distributions, trusted like OpenKoi itself")
    seen.issues += [
        f"{name} of {distribution} is installed where OpenKoi does not look." for _, name, distribution in unseen
    ]


def official() -> set[tuple[str, str, str]]:
    """Entry points as the standard way lists them."""
    from importlib_metadata import distributions

    from openkoi_loader.registry import PREFIX

    listed: set[tuple[str, str, str]] = set()
    for distribution in distributions():
        try:
            points, name = list(distribution.entry_points), distribution.metadata["Name"]
        except Exception:  # a distribution with broken metadata is named by the scan
            continue
        plain = (name or "").replace("_", "-").lower()
        listed |= {(p.group.removeprefix(PREFIX), p.name, plain) for p in points if p.group.startswith(PREFIX)}
    return listed
