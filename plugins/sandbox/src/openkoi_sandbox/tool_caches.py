"""List the folders where tools cache downloads and builds, and the variables that move them.

Nearly every such folder holds code that runs later without being asked for: unpacked packages, built wheels, compiled
objects, hooks. So each command gets one of its own; a folder that the configuration makes writable is shared instead.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .sandbox_policy import is_within


@dataclass(frozen=True, slots=True)
class ToolCache:
    """Describe a tool's cache: the variable that moves it, its default folder, and what of it is linked read-only."""

    variable: str
    name: str
    default_folder: str
    links: tuple[str, ...] = ()


CACHES = (
    ToolCache(
        "XDG_CACHE_HOME",
        "xdg",
        ".cache",
        ("ms-playwright", "Cypress", "huggingface", "torch", "pypoetry/virtualenvs"),
    ),
    ToolCache("XDG_STATE_HOME", "state", ".local/state"),
    ToolCache("VIRTUALENV_OVERRIDE_APP_DATA", "virtualenv", ".local/share/virtualenv"),
    ToolCache("MPLCONFIGDIR", "matplotlib", ".config/matplotlib", ("matplotlibrc", "stylelib")),
    ToolCache("IPYTHONDIR", "ipython", ".ipython"),
    ToolCache("JUPYTER_RUNTIME_DIR", "jupyter", ".local/share/jupyter/runtime"),
    ToolCache("npm_config_cache", "npm", ".npm"),
    ToolCache("YARN_GLOBAL_FOLDER", "yarn", ".yarn/berry"),
    ToolCache("PNPM_HOME", "pnpm", ".local/share/pnpm"),
    ToolCache("CARGO_HOME", "cargo", ".cargo", ("config", "config.toml")),
    ToolCache("GOMODCACHE", "gomod", "go/pkg/mod"),
    ToolCache("GRADLE_USER_HOME", "gradle", ".gradle", ("gradle.properties", "init.gradle", "init.d")),
    ToolCache("MAVEN_USER_HOME", "maven", ".m2"),
    ToolCache("NUGET_PACKAGES", "nuget", ".nuget/packages"),
    ToolCache("DOTNET_CLI_HOME", "dotnet", ".dotnet"),
)
BELOW_THE_CACHE = ("PIP_CACHE_DIR", "UV_CACHE_DIR", "GOCACHE", "PRE_COMMIT_HOME", "YARN_CACHE_FOLDER", "CCACHE_DIR")
REPOSITORY = "repository"


def cache_variables(folder: Path, home: Path, ours: Mapping[str, str], shared: Iterable[Path]) -> dict[str, str]:
    """Return the variables that make tools use a folder; those whose own may be written stay there."""
    shared = tuple(shared)
    moved = {cache.variable: str(folder / cache.name) for cache in CACHES if not is_shared(cache, home, ours, shared)}
    moved |= bytecode_variables(folder)
    if "XDG_CACHE_HOME" in moved:
        configured = {name: Path(ours[name]).resolve() for name in BELOW_THE_CACHE if ours.get(name)}
        moved |= {
            name: str(folder / "xdg" / name) for name, place in configured.items() if not is_within(place, shared)
        }
        moved["UV_LINK_MODE"] = ours.get("UV_LINK_MODE", "copy")
    if "GRADLE_USER_HOME" in moved and (home / ".gradle/caches/modules-2").is_dir():
        moved.setdefault("GRADLE_RO_DEP_CACHE", ours.get("GRADLE_RO_DEP_CACHE", str(home / ".gradle/caches")))
    if "MAVEN_USER_HOME" in moved:
        moved |= maven_variables(folder / "maven" / REPOSITORY, home / ".m2" / REPOSITORY, ours)
    return moved


def bytecode_variables(folder: Path) -> dict[str, str]:
    """Return the variable that keeps Python's compiled files out of the workspace, where Python runs them unasked."""
    return {"PYTHONPYCACHEPREFIX": str(folder / "pycache")}


def is_shared(cache: ToolCache, home: Path, ours: Mapping[str, str], shared: Iterable[Path]) -> bool:
    """Return whether the folder that a tool would use may be written."""
    return is_within(default_folder(cache, home, ours), shared)


def default_folder(cache: ToolCache, home: Path, ours: Mapping[str, str]) -> Path:
    """Return where a tool keeps its cache by default."""
    return Path(ours.get(cache.variable) or home / cache.default_folder).resolve()


def maven_variables(own: Path, usual: Path, ours: Mapping[str, str]) -> dict[str, str]:
    """Return Maven's options; from 3.9 it also finds what lies in the default folder."""
    place, behind = f"-Dmaven.repo.local={own}", f"-Dmaven.repo.local.tail={usual}"
    return {
        "MAVEN_OPTS": f"{ours.get('MAVEN_OPTS', '')} {place}".strip(),
        "MAVEN_ARGS": f"{ours.get('MAVEN_ARGS', '')} {place} {behind}".strip(),
    }


def cache_links(home: Path, ours: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Yield what a new folder links to: settings, and large files that are only read."""
    for cache in CACHES:
        for name in cache.links:
            there = default_folder(cache, home, ours) / name
            if there.exists():
                yield f"{cache.name}/{name}", there
