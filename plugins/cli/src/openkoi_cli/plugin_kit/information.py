"""Describe an installed plugin, and enable or disable it in the user's configuration."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError

from ..plugin_sources import ask_sources
from ..plugins import why_unused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openkoi_hookspecs import PluginState

    from ..invocation import Invocation
    from ..plugin_sources import SourcedPlugin

NOT_INSTALLED = "No plugin named {name!r} is installed. To list plugins, run `openkoi plugin list`."
AMBIGUOUS = "{name!r} is the name of {count} plugins. Choose one: {names}."
BUNDLE_FOLDERS = ("skills", "evaluators", "hooks", "commands")
SHOWN_FIELDS = ("Summary", "Home-page", "License-Expression", "License")


def describe(name: str, invocation: "Invocation") -> list[str]:
    """Return the lines about a distribution."""
    from importlib_metadata import distribution

    if sourced := find_sourced(name, invocation):
        return sourced
    plugins = find_plugins(name, invocation)
    of = plugins[0].distribution
    own = [one for one in invocation.launcher.installation(config=invocation.config).plugins if one.distribution == of]
    about = distribution(of)
    fields = [(field, about.metadata[field]) for field in SHOWN_FIELDS if field in about.metadata]
    needs = [("Requires", ", ".join(about.requires))] if about.requires else []
    lines = [f"{field:<12}{value}" for field, value in [*fields, ("Location", str(about.locate_file(""))), *needs]]
    return [
        f"{of} {plugins[0].version}".rstrip(),
        *lines,
        *(f"{one.kind:<12}{one.name} {why_unused(one)}".rstrip() for one in own),
        *(
            f"{kind:<12}{text}"
            for one in own
            if one.kind == "bundles"
            for kind, text in bundle_content(one, invocation)
        ),
    ]


def bundle_content(plugin: "PluginState", invocation: "Invocation") -> "Iterator[tuple[str, str]]":
    """Yield what a bundle brings: its settings that nothing outranks, and the names in its folders."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    (found, *_) = entry_points(group="openkoi.bundles", name=plugin.name)
    spec = find_spec(found.value)
    for folder in map(Path, (spec and spec.submodule_search_locations) or ()):
        for one in invocation.open().settings(bundles=True):
            if Path(one.origin).parent == folder:
                yield "setting", f"{one.key} = {json.dumps(one.value, ensure_ascii=False, default=str)}"
        for part in BUNDLE_FOLDERS:
            for path in sorted((folder / part).glob("*")):
                yield part, path.stem


def find_sourced(name: str, invocation: "Invocation") -> list[str]:
    """Return the lines about a plugin that a source lists; none for one that is installed, or not known."""
    installed = invocation.launcher.installation(config=invocation.config).plugins
    if any(name in (one.name, f"{one.kind}.{one.name}", one.distribution) for one in installed):
        return []
    found = list_sourced(name, invocation)
    lines = [f"{one.kind:<12}{one.name}" for one in found]
    return [f"{found[0].name}, listed by {found[0].source}", f"Origin      {found[0].place}", *lines] if found else []


def list_sourced(name: str, invocation: "Invocation") -> "list[SourcedPlugin]":
    """Return the plugins of a name that sources list for this folder."""
    listed, _ = ask_sources(invocation)
    return [one for one in listed if name in (one.name, f"{one.kind}.{one.name}")]


def find_plugins(name: str, invocation: "Invocation") -> "list[PluginState]":
    """Return the plugins of a name, ``kind.name`` or distribution; raise KoiError if there is none."""
    installed = invocation.launcher.installation(config=invocation.config).plugins
    found = [one for one in installed if name in (one.name, f"{one.kind}.{one.name}")]
    found = found or [one for one in installed if one.distribution == name.lower().replace("_", "-")]
    if not found:
        raise KoiError(NOT_INSTALLED.format(name=name))
    return found


def set_enabled(name: str, invocation: "Invocation", *, enabled: bool) -> str:
    """Enable or disable a plugin in the user's configuration; return what was done."""
    sourced = {f"{one.kind}.{one.name}" for one in list_sourced(name, invocation)}
    found = sourced or {f"{one.kind}.{one.name}" for one in find_plugins(name, invocation)}
    if len(found) > 1:
        raise KoiError(AMBIGUOUS.format(name=name, count=len(found), names=", ".join(sorted(found))))
    key = f"{found.pop()}.enabled"
    file = invocation.open().set_setting(key, enabled)
    return f"Set {key} = {'true' if enabled else 'false'} in {file}."
