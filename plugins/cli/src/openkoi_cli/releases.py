"""Find newer releases of OpenKoi and its plugins by asking the installer that installed them.

Depends on no package index: uv, pipx and pip each ask the one that the user, and not the project, has set up for them.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

from openkoi_hookspecs import KoiError

MAIN = "openkoi"
MAX_SECONDS = 300.0
LOCAL = "Nothing to compare with: OpenKoi is installed from {url}, not from a package index. Update it there."
NO_RELEASE = (
    "Nothing to compare with: {installer} did not find a release of {name} ({why}). Check the network, and the package "
    "index that {installer} is configured to use."
)


@dataclass(frozen=True, slots=True)
class Newer:
    """A distribution of which there is a newer release."""

    name: str
    version: str
    latest: str


def newer_releases(seconds: float = MAX_SECONDS) -> list[Newer]:
    """Return what has a newer release, by name; raises KoiError when there is nothing to compare with."""
    indexed = versions_from_index()
    if not indexed:
        raise KoiError(LOCAL.format(url=next(iter(local_sources()), "a local folder")))
    main = MAIN if MAIN in indexed else min(indexed)
    found = [one for one in newer(answer_of(list_outdated(), main, seconds)) if one.name in indexed]
    if not found:  # an installer lists nothing, too, where it cannot ask or the index has no release at all
        answer_of(find_release(main), main, seconds)
    return found


def newer(answer: str) -> list[Newer]:
    """Return the distributions of OpenKoi and its plugins in an installer's list, by name."""
    listed = [one for one in json.loads(answer or "[]") if is_ours(str(one.get("name", "")))]
    found = (Newer(named(str(one["name"])), one.get("version", ""), one.get("latest_version", "")) for one in listed)
    return sorted(found, key=lambda one: one.name)


def versions_from_index() -> Mapping[str, str]:
    """Return the version of each installed distribution of ours that an index brought."""
    return {named(one.name): one.version for one in ours() if not one.read_text("direct_url.json")}


def local_sources() -> Iterator[str]:
    """Yield where each installed distribution of ours that no index brought comes from."""
    for one in ours():
        if said := one.read_text("direct_url.json"):
            yield str(json.loads(said).get("url", "")).removeprefix("file://")


def ours() -> Iterator[Distribution]:
    """Yield the distributions of OpenKoi and its plugins, the first of each name: that is the one in use."""
    first: dict[str, Distribution] = {}
    for one in distributions():
        if is_ours(one.name or ""):
            first.setdefault(named(one.name), one)
    yield from (first[name] for name in sorted(first))


def named(name: str) -> str:
    """Return a distribution's name as it is compared."""
    return name.lower().replace("_", "-")


def is_ours(name: str) -> bool:
    return named(name).split("-")[0] == MAIN


def list_outdated() -> list[str]:
    """Return the command that lists what has a newer release."""
    if has_uv():
        return ["uv", "pip", "list", "--outdated", "--format", "json", "--python", sys.executable]
    return [sys.executable, "-m", "pip", "list", "--outdated", "--format", "json"]


def find_release(name: str) -> list[str]:
    """Return the command that fails where the index has no release of a distribution."""
    if has_uv():
        return ["uv", "pip", "install", "--dry-run", "--no-deps", "--reinstall", "--python", sys.executable, name]
    return [sys.executable, "-m", "pip", "index", "versions", name]


def upgrade(names: Sequence[str], prefix: Path) -> list[str]:
    """Return the command of the installer that made this environment."""
    parts = {part.lower() for part in prefix.parts}
    if {"uv", "tools"} <= parts:
        return ["uv", "tool", "upgrade", "--quiet", prefix.name]
    if {"pipx", "venvs"} <= parts:
        return ["pipx", "upgrade", "--quiet", "--include-injected", prefix.name]
    if has_uv():
        return ["uv", "pip", "install", "--quiet", "--python", sys.executable, "--upgrade", *names]
    return [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", *names]


def has_uv() -> bool:
    return shutil.which("uv") is not None


def answer_of(command: Sequence[str], name: str, seconds: float) -> str:
    """Return what an installer answers; raises KoiError with its last words when it fails."""
    try:
        done = run(command, seconds)
        if done.returncode == 0:
            return done.stdout
        why = last_words(done.stderr)
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    raise KoiError(NO_RELEASE.format(installer=installer_of(command), name=name, why=why))


def installer_of(command: Sequence[str]) -> str:
    """Return the name of the installer that a command runs."""
    return "pip" if command[0] == sys.executable else command[0]


def run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run an installer outside of the project: what that configures, or calls pip.py, must not be used."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, cwd=sys.prefix)


def last_words(text: str) -> str:
    """Return the last cause or error that an installer names, without what marks it as one; else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["it gave no reason"]
    marked = [line.partition(": ")[2] for line in lines if line.lower().startswith(("cause: ", "error: "))]
    return [*lines, *marked][-1].rstrip(".")
