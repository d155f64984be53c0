"""Find the plugins to search: those of a task's folder that are not OpenKoi's own."""

from typing import TYPE_CHECKING

from .replays import KINDS

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi, PluginEntry

OWN = "openkoi"


async def find_candidates(koi: "OpenedKoi", *, every: bool) -> "list[PluginEntry]":
    """Return the plugins of the workspace that may change a result, including those that sources list."""
    from ..plugin_sources import list_entries

    sourced = [one for source in koi.plugins("sources") for one in await list_entries(source, koi)]
    own = set() if every else own_distributions()
    installed = [one for kind in KINDS for one in koi.plugins(kind) if one.origin not in own]
    found = {(one.kind, one.name): one for one in [*sourced, *installed] if one.kind in KINDS}
    return [found[key] for key in sorted(found)]


def own_distributions() -> set[str]:
    """Return the distributions that make up OpenKoi: its requirements, and their requirements."""
    own, waiting = set[str](), [OWN]
    while waiting:
        own.add(name := waiting.pop())
        waiting += [one for one in required_by(name) if one not in own]
    return own


def required_by(distribution: str) -> set[str]:
    """Return the distributions that a distribution always requires; none if it is not installed."""
    from importlib_metadata import PackageNotFoundError, requires

    from ..releases import normalize_name

    try:
        needed = requires(distribution) or []
    except PackageNotFoundError:
        needed = []
    return {normalize_name(one) for one in needed if "extra ==" not in one}
