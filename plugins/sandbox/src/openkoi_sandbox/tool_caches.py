"""Where tools keep what they fetch and build, and the variables that send them elsewhere. Pure: paths in, words out.

Nearly every such folder holds code that is run later without being asked for: unpacked packages, built wheels, compiled
objects, hooks. So a command gets one of its own; a folder that the configuration makes writable is shared instead.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .policy import is_within


@dataclass(frozen=True, slots=True)
class Cache:
    """A tool's folder: the variable that moves it, where it usually is, and what of it is linked to, to be read."""

    variable: str
    name: str
    usual: str
    links: tuple[str, ...] = ()


CACHES = (
    Cache(
        "XDG_CACHE_HOME",
        "xdg",
        ".cache",
        ("ms-playwright", "Cypress", "huggingface", "torch", "pypoetry/virtualenvs"),
    ),
    Cache("XDG_STATE_HOME", "state", ".local/state"),
    Cache("VIRTUALENV_OVERRIDE_APP_DATA", "virtualenv", ".local/share/virtualenv"),
    Cache("MPLCONFIGDIR", "matplotlib", ".config/matplotlib", ("matplotlibrc", "stylelib")),
    Cache("IPYTHONDIR", "ipython", ".ipython"),
    Cache("JUPYTER_RUNTIME_DIR", "jupyter", ".local/share/jupyter/runtime"),
    Cache("npm_config_cache", "npm", ".npm"),
    Cache("YARN_GLOBAL_FOLDER", "yarn", ".yarn/berry"),
    Cache("PNPM_HOME", "pnpm", ".local/share/pnpm"),
    Cache("CARGO_HOME", "cargo", ".cargo", ("config", "config.toml")),
    Cache("GOMODCACHE", "gomod", "go/pkg/mod"),
    Cache("GRADLE_USER_HOME", "gradle", ".gradle", ("gradle.properties", "init.gradle", "init.d")),
    Cache("MAVEN_USER_HOME", "maven", ".m2"),
    Cache("NUGET_PACKAGES", "nuget", ".nuget/packages"),
    Cache("DOTNET_CLI_HOME", "dotnet", ".dotnet"),
)
BELOW_THE_CACHE = ("PIP_CACHE_DIR", "UV_CACHE_DIR", "GOCACHE", "PRE_COMMIT_HOME", "YARN_CACHE_FOLDER", "CCACHE_DIR")
REPOSITORY = "repository"


def variables(folder: Path, home: Path, ours: Mapping[str, str], shared: Iterable[Path]) -> dict[str, str]:
    """What to tell tools so that they keep their things in a folder; those whose own may be written stay there."""
    shared = tuple(shared)
    moved = {cache.variable: str(folder / cache.name) for cache in CACHES if not is_shared(cache, home, ours, shared)}
    if "XDG_CACHE_HOME" in moved:
        told = {name: Path(ours[name]).resolve() for name in BELOW_THE_CACHE if ours.get(name)}
        moved |= {name: str(folder / "xdg" / name) for name, place in told.items() if not is_within(place, shared)}
        moved["UV_LINK_MODE"] = ours.get("UV_LINK_MODE", "copy")
    if "GRADLE_USER_HOME" in moved and (home / ".gradle/caches/modules-2").is_dir():
        moved.setdefault("GRADLE_RO_DEP_CACHE", ours.get("GRADLE_RO_DEP_CACHE", str(home / ".gradle/caches")))
    if "MAVEN_USER_HOME" in moved:
        moved |= maven(folder / "maven" / REPOSITORY, home / ".m2" / REPOSITORY, ours)
    return moved


def is_shared(cache: Cache, home: Path, ours: Mapping[str, str], shared: Iterable[Path]) -> bool:
    """Whether the folder a tool would use may be written."""
    return is_within(usual(cache, home, ours), shared)


def usual(cache: Cache, home: Path, ours: Mapping[str, str]) -> Path:
    """Where a tool keeps its things without us."""
    return Path(ours.get(cache.variable) or home / cache.usual).resolve()


def maven(own: Path, usual: Path, ours: Mapping[str, str]) -> dict[str, str]:
    """Maven is told by options; from 3.9 it also finds what lies in the usual place."""
    place, behind = f"-Dmaven.repo.local={own}", f"-Dmaven.repo.local.tail={usual}"
    return {
        "MAVEN_OPTS": f"{ours.get('MAVEN_OPTS', '')} {place}".strip(),
        "MAVEN_ARGS": f"{ours.get('MAVEN_ARGS', '')} {place} {behind}".strip(),
    }


def links(home: Path, ours: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """What a new folder links to: settings, and what is big and only read."""
    for cache in CACHES:
        for name in cache.links:
            there = usual(cache, home, ours) / name
            if there.exists():
                yield f"{cache.name}/{name}", there
