"""``openkoi update``: newer versions of OpenKoi and its plugins, brought by whoever installed them.

Knows the installers' words (uv, pipx, pip); knows no package index: each installer asks the one it is set up for.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from .invocation import Invocation

PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Newer:
    """A distribution of which there is a newer version."""

    name: str
    version: str
    latest: str


@click.command()
@click.option("--check", is_flag=True, help="Only say what is newer; change nothing.")
@click.pass_obj
def command(invocation: Invocation, /, check: bool) -> None:
    """Bring OpenKoi and its plugins up to date."""
    from openkoi_hookspecs import KoiError

    found = newer(said(listing()))
    for one in found:
        click.echo(f"{one.name} {one.version} -> {one.latest}")
    if not found:
        click.echo("OpenKoi and its plugins are up to date.")
        return
    if check:
        click.echo("Run openkoi update to install them.")
        return
    order = upgrade([one.name for one in found], Path(sys.prefix))
    if subprocess.run(order, check=False, timeout=PATIENCE).returncode:
        raise KoiError(f"The update did not succeed. Run it yourself: {' '.join(order)}")


def listing() -> list[str]:
    """The command that lists what is out of date here."""
    if shutil.which("uv"):
        return ["uv", "pip", "list", "--outdated", "--format", "json", "--python", sys.executable]
    return [sys.executable, "-m", "pip", "list", "--outdated", "--format", "json"]


def said(order: Sequence[str]) -> str:
    """What a command answers; raises KoiError with its last words when it cannot."""
    from openkoi_hookspecs import KoiError

    try:
        done = subprocess.run(order, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KoiError(f"{order[0]} cannot tell what is out of date: {error}") from None
    if done.returncode:
        words = done.stderr.strip().splitlines() or ["it said nothing"]
        raise KoiError(f"{' '.join(order)} cannot tell what is out of date: {words[-1]}")
    return done.stdout


def newer(answer: str) -> list[Newer]:
    """The distributions of OpenKoi and its plugins in an installer's list, by name."""
    listed = json.loads(answer or "[]")
    ours = (one for one in listed if str(one.get("name", "")).lower().replace("_", "-").split("-")[0] == "openkoi")
    found = (Newer(str(one["name"]), str(one.get("version", "")), str(one.get("latest_version", ""))) for one in ours)
    return sorted(found, key=lambda one: one.name)


def upgrade(names: Sequence[str], prefix: Path) -> list[str]:
    """The command of the installer that made this environment."""
    parts = {part.lower() for part in prefix.parts}
    if {"uv", "tools"} <= parts:
        return ["uv", "tool", "upgrade", prefix.name]
    if {"pipx", "venvs"} <= parts:
        return ["pipx", "upgrade", "--include-injected", prefix.name]
    if shutil.which("uv"):
        return ["uv", "pip", "install", "--python", sys.executable, "--upgrade", *names]
    return [sys.executable, "-m", "pip", "install", "--upgrade", *names]
