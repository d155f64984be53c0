"""Find hooks that are ignored: functions without the mark, plugins without hooks, missing entry points."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from ..releases import normalize_name

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

CLOSE_NAME = 0.85  # estimate: one or two letters of a hook's name are wrong
CONTRACT = "openkoi-hookspecs"
GROUPS = "openkoi."
KINDS = [f"{GROUPS}{kind}" for kind in ("hooks", "tools", "providers", "evaluators", "memory", "commands", "frontends")]


async def find_ignored_hooks(koi: "Koi") -> list[str]:
    """Return a sentence for each hook that OpenKoi never calls although its author meant it to."""
    called = {one.plugin for one in koi.hook_activity()}
    found: list[str] = []
    for entry in koi.plugins("hooks"):
        plugin = await load_quietly(koi, entry.name)
        if plugin is None:
            continue
        unmarked = list(find_unmarked(plugin))
        found += [f"{entry.name} of {entry.origin}: {text}" for text in unmarked]
        if entry.name not in called and not unmarked:
            found.append(f"{entry.name} of {entry.origin} implements no hook. Mark its functions with @hookimpl.")
    return [*found, *find_unregistered()]


async def load_quietly(koi: "Koi", name: str) -> object | None:
    """Load a plugin; one that fails was reported when the hooks were registered."""
    from openkoi_hookspecs import KoiError

    try:
        return await koi.load("hooks", name)
    except KoiError:
        return None


def find_unmarked(plugin: object) -> Iterator[str]:
    """Yield a sentence for each function that is named like a hook, or almost, and has no mark."""
    known = hook_names()
    for name, function in public_functions(plugin):
        if hasattr(function, "openkoi_impl") or hasattr(function, "openkoi_spec"):
            continue
        if name in known:
            yield f"{name} is never called, because it is not marked with @hookimpl."
        elif close := get_close_matches(name, known, 1, CLOSE_NAME):
            yield f"{name} is never called. Did you mean the hook {close[0]}, marked with @hookimpl?"


def public_functions(plugin: object) -> Iterator[tuple[str, Any]]:
    for name in dir(plugin):
        if not name.startswith("_") and callable(found := getattr(plugin, name, None)):
            yield name, found


def hook_names() -> list[str]:
    from openkoi_hookspecs import hooks

    return [name for name, value in vars(hooks).items() if hasattr(value, "openkoi_spec")]


def find_unregistered() -> Iterator[str]:
    """Yield a sentence for each distribution that needs the contract, and registers no plugin or one of a wrong group.

    One that another distribution requires is a library.
    """
    groups_by_name, required = read_distributions()
    for name, groups in groups_by_name.items():
        if not groups and name not in required:
            yield f"{name} requires {CONTRACT} but has no entry points, so OpenKoi does not see it."
        for group in groups:
            if not group.startswith(GROUPS) and CONTRACT.partition("-")[0] in group:
                yield f"{name} registers a plugin in the group {group!r}, which OpenKoi does not read."
            elif (close := get_close_matches(group, KINDS, 1, CLOSE_NAME)) and group not in KINDS:
                yield f"{name} registers a plugin in the group {group!r}. Did you mean {close[0]!r}?"


def read_distributions() -> tuple[dict[str, set[str]], set[str]]:
    """Return the entry point groups of each distribution that needs the contract, and all names that are required."""
    from importlib_metadata import distributions

    groups_by_name: dict[str, set[str]] = {}
    required: set[str] = set()
    for distribution in distributions():
        try:
            needs = {normalize_name(one) for one in distribution.requires or []}
            groups, name = {one.group for one in distribution.entry_points}, distribution.metadata["Name"] or ""
        except Exception:  # the scan reports distributions with broken metadata
            continue
        required |= needs
        if CONTRACT in needs:
            groups_by_name[normalize_name(name)] = groups
    return groups_by_name, required
