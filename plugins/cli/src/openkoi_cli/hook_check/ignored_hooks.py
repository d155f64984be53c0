"""Find hooks that are ignored: functions without the mark, plugins without hooks, missing entry points."""

import ast
import inspect
from collections import Counter
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import cache
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from openkoi_hookspecs import ConfigError, KoiError, hooks

from ..releases import normalize_name

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

CLOSE_NAME = 0.85  # similarity of a hook's name with one or two wrong letters (estimate)
CLOSE_FACT = 0.65  # similarity of a short parameter with one wrong letter (estimate)
CONTRACT = "openkoi-hookspecs"
GROUPS = "openkoi."
KINDS = [f"{GROUPS}{kind}" for kind in ("hooks", "tools", "providers", "evaluators", "memory", "commands", "frontends")]


async def find_ignored_hooks(koi: "Koi") -> list[str]:
    """Return a sentence for each function that looks like a hook but is never called."""
    called = {(one.plugin, one.hook) for one in koi.hook_activity()}
    found: list[str] = []
    for entry in koi.plugins("hooks"):
        try:
            plugin = await koi.load("hooks", entry.name)
        except ConfigError as error:
            found.append(f"{entry.name} of {entry.origin} is not used: {error}")
            continue
        except KoiError:  # which was reported when the hooks were registered
            continue
        own = {hook for name, hook in called if name == entry.name}
        never_called = [*find_unmarked(plugin, own), *find_non_functions(plugin, own)]
        wrong = [*never_called, *find_without_self(plugin), *find_misspelled(plugin), *find_repeated(plugin)]
        found += [f"{entry.name} of {entry.origin}: {text}" for text in wrong]
        if not own and not never_called and not has_marked(plugin):  # marked ones failed before
            found.append(f"{entry.name} of {entry.origin} implements no hook. Mark its functions with @hookimpl.")
    return [*found, *find_unregistered()]


def find_unmarked(plugin: object, called: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each unmarked function whose name is a hook's, or almost."""
    known = hook_names()
    for name, function in public_functions(plugin):
        if name in called or hasattr(function, "openkoi_impl") or hasattr(function, "openkoi_spec"):
            continue
        if name in known:
            yield f"{name} is never called, because it is not marked with @hookimpl."
        elif close := find_close_hook(name):
            yield f"{name} is never called. Did you mean the hook {close}, marked with @hookimpl?"


def find_non_functions(plugin: object, called: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each marked object that is not a function, such as one with a cache around it."""
    for name, marked in public_functions(plugin):
        is_function = inspect.isfunction(marked) or inspect.ismethod(marked)
        if hasattr(marked, "openkoi_impl") and name in hook_names() and name not in called and not is_function:
            yield f"{name} is never called, because it is not a function but a {type(marked).__name__}. Use def {name}."


@cache  # plugins have many names in common, such as those that they import from the contract
def find_close_hook(name: str) -> str:
    """Return the hook whose name is almost this one, if there is one."""
    return next(iter(get_close_matches(name, hook_names(), 1, CLOSE_NAME)), "")


def has_marked(plugin: object) -> bool:
    """Return whether a function is marked as a hook, whatever its name."""
    return any(hasattr(function, "openkoi_impl") for _, function in public_functions(plugin))


def find_without_self(plugin: object) -> Iterator[str]:
    """Yield a sentence for each method whose first parameter is a fact instead of ``self``."""
    for name, method in public_functions(plugin):
        if inspect.ismethod(method) and hasattr(method, "openkoi_impl") and name in hook_names():
            first = next(iter(inspect.signature(method.__func__).parameters), "")
            if first in inspect.signature(getattr(hooks, name)).parameters:
                yield f"{name} is a method without self, so {first} receives the plugin itself. Add self before it."


def find_misspelled(plugin: object) -> Iterator[str]:
    """Yield a sentence for each parameter with a default that is almost named like a fact: it never gets one."""
    for name, function in public_functions(plugin):
        if hasattr(function, "openkoi_impl") and name in hook_names():
            facts = inspect.signature(getattr(hooks, name)).parameters
            given = (
                one.name for one in inspect.signature(function).parameters.values() if one.default is not one.empty
            )
            for one in given:
                if one not in facts and (close := get_close_matches(one, facts, 1, CLOSE_FACT)):
                    yield f"{name} never receives its parameter {one}. Did you mean {close[0]}?"


def find_repeated(plugin: object) -> Iterator[str]:
    """Yield a sentence for each hook that a plugin's source defines twice: Python keeps only the last one."""
    owner = plugin if inspect.ismodule(plugin) else type(plugin)
    try:
        tree = ast.parse(dedent(inspect.getsource(owner)))
    except (OSError, TypeError, SyntaxError):
        return
    body = tree.body if inspect.ismodule(plugin) else getattr(tree.body[0], "body", [])
    functions = (one.name for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    for name, times in Counter(functions).items():
        if times > 1 and name in hook_names():
            yield f"{name} is defined {times} times, and only the last definition is called. Merge the definitions."


def public_functions(plugin: object) -> Iterator[tuple[str, Any]]:
    for name in dir(plugin):
        if not name.startswith("_") and callable(found := getattr(plugin, name, None)):
            yield name, found


def hook_names() -> list[str]:
    return [name for name, value in vars(hooks).items() if hasattr(value, "openkoi_spec")]


def find_unregistered() -> Iterator[str]:
    """Yield a sentence for each distribution that requires the contract but registers no plugin, or in a wrong group.

    A distribution that another one requires is a library.
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
    """Return the entry-point groups of each distribution that requires the contract, and all required names."""
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
