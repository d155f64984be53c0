"""Find newer releases of OpenKoi and its plugins by asking the installer that installed them.

uv, pipx and pip each use the package index that the user has configured, not the project's.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

MAIN = "openkoi"
UV_RECEIPT = "uv-receipt.toml"
PIPX_METADATA = "pipx_metadata.json"
DISTRIBUTION_NAME = lazy_pattern(r"[\w.-]+")
FAILED = "{installer} could not {what}: {why}. To see more, run `{command}`."
MAX_SECONDS = 300.0  # estimate: an installation over a slow network
LOCAL = "Cannot check for updates: OpenKoi was installed from {url}, not from a package index. Update it there."
NO_RELEASE = (
    "Cannot check for updates: {installer} did not find a release of {name} ({why}). Check the network and the package "
    "index that {installer} is configured to use."
)


@dataclass(frozen=True, slots=True)
class Newer:
    """A distribution with a newer release."""

    name: str
    version: str
    latest: str


def newer_releases(seconds: float = MAX_SECONDS) -> list[Newer]:
    """Return what has a newer release, by name; raise KoiError if releases cannot be compared."""
    indexed = versions_from_index()
    if not indexed:
        raise KoiError(LOCAL.format(url=next(iter(local_sources()), "a local folder")))
    main = MAIN if MAIN in indexed else min(indexed)
    found = [one for one in parse_newer(run_and_read(outdated_command(), main, seconds)) if one.name in indexed]
    if not found:  # the list is also empty if the installer cannot reach the index, or the index has no release
        run_and_read(release_command(main), main, seconds)
    return found


def parse_newer(answer: str) -> list[Newer]:
    """Return our distributions in an installer's list, by name."""
    listed = [one for one in json.loads(answer or "[]") if is_ours(str(one.get("name", "")))]
    found = (
        Newer(normalize_name(str(one["name"])), one.get("version", ""), one.get("latest_version", "")) for one in listed
    )
    return sorted(found, key=lambda one: one.name)


def versions_from_index() -> Mapping[str, str]:
    """Return the versions of our distributions that were installed from an index."""
    return {
        normalize_name(one.name): one.version for one in list_distributions() if not one.read_text("direct_url.json")
    }


def local_sources() -> Iterator[str]:
    """Yield where our other distributions were installed from."""
    for one in list_distributions():
        if url_file := one.read_text("direct_url.json"):
            yield str(json.loads(url_file).get("url", "")).removeprefix("file://")


def list_distributions() -> Iterator[Distribution]:
    """Yield our distributions, the first of each name because that one is in use."""
    first: dict[str, Distribution] = {}
    for one in distributions():
        if is_ours(one.name or ""):
            first.setdefault(normalize_name(one.name), one)
    yield from (first[name] for name in sorted(first))


def normalize_name(requirement: str) -> str:
    """Return the name of a requirement in lower case with hyphens."""
    found = DISTRIBUTION_NAME.match(requirement)
    return found[0].replace("_", "-").replace(".", "-").lower() if found else ""


def is_ours(name: str) -> bool:
    return normalize_name(name).split("-")[0] == MAIN


def outdated_command() -> list[str]:
    """Return the command that lists newer releases."""
    if has_uv():
        return ["uv", "pip", "list", "--outdated", "--format", "json", "--python", sys.executable]
    return [sys.executable, "-P", "-m", "pip", "list", "--outdated", "--format", "json"]


def release_command(name: str) -> list[str]:
    """Return the command that fails if the index has no release of a distribution."""
    if has_uv():
        return ["uv", "pip", "install", "--dry-run", "--no-deps", "--reinstall", "--python", sys.executable, name]
    return [sys.executable, "-P", "-m", "pip", "index", "versions", name]


def upgrade_command(names: Sequence[str], prefix: Path) -> list[str]:
    """Return the upgrade command of the installer that made this environment."""
    if is_uv_tool(prefix):
        return ["uv", "tool", "upgrade", "--quiet", prefix.name]
    if is_pipx(prefix):
        return ["pipx", "upgrade", "--quiet", "--include-injected", prefix.name]
    if has_uv():
        return ["uv", "pip", "install", "--quiet", "--python", sys.executable, "--upgrade", *names]
    return [sys.executable, "-P", "-m", "pip", "install", "--quiet", "--upgrade", *names]


def is_uv_tool(prefix: Path) -> bool:
    """Return whether ``uv tool`` made an environment."""
    return (prefix / UV_RECEIPT).exists() or {"uv", "tools"} <= {part.lower() for part in prefix.parts}


def is_pipx(prefix: Path) -> bool:
    """Return whether pipx made an environment."""
    return (prefix / PIPX_METADATA).exists() or {"pipx", "venvs"} <= {part.lower() for part in prefix.parts}


def run_installer(command: Sequence[str], what: str) -> None:
    """Run an installer; raise KoiError with its last error if it fails."""
    try:
        done = run(command, MAX_SECONDS)
        why = last_error(done.stderr) if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    if why:
        raise KoiError(FAILED.format(installer=installer_name(command), what=what, why=why, command=" ".join(command)))


def has_uv() -> bool:
    return shutil.which("uv") is not None


def run_and_read(command: Sequence[str], name: str, seconds: float) -> str:
    """Return an installer's output; raise KoiError with its last error if it fails."""
    try:
        done = run(command, seconds)
        if done.returncode == 0:
            return done.stdout
        why = last_error(done.stderr)
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    raise KoiError(NO_RELEASE.format(installer=installer_name(command), name=name, why=why))


def installer_name(command: Sequence[str]) -> str:
    """Return the name of the installer that a command runs."""
    return "pip" if command[0] == sys.executable else command[0]


def run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run an installer outside of the project, whose configuration and modules must not be used."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, cwd=sys.prefix)


def last_error(text: str) -> str:
    """Return the last cause or error in an installer's output, else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no output"]
    marked = [line.partition(": ")[2] for line in lines if line.lower().startswith(("cause: ", "error: "))]
    return [*lines, *marked][-1].rstrip(".")
