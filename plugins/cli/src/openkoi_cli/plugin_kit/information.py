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

    plugins, sourced = find_named(name, invocation)
    listed = [f"{one.kind:<11} {one.name}" for one in sourced]
    if not plugins:
        return [f"{sourced[0].name}, listed by {sourced[0].source}", f"Origin      {sourced[0].place}", *listed]
    of = plugins[0].distribution
    own = [one for one in invocation.launcher.installation(config=invocation.config).plugins if one.distribution == of]
    about = distribution(of)
    fields = [(field, about.metadata[field]) for field in SHOWN_FIELDS if field in about.metadata]
    needs = [("Requires", ", ".join(about.requires))] if about.requires else []
    lines = [f"{field:<11} {value}" for field, value in [*fields, ("Location", str(about.locate_file(""))), *needs]]
    return [
        f"{of} {plugins[0].version}".rstrip(),
        *lines,
        *(f"{one.kind:<11} {one.name} {why_unused(one)}".rstrip() for one in own),
        *(
            f"{kind:<11} {text}"
            for one in own
            if one.kind == "bundles"
            for kind, text in bundle_content(one, invocation)
        ),
        *(f"{line}, listed by {one.source}: {one.place}" for line, one in zip(listed, sourced, strict=True)),
    ]


def bundle_content(plugin: "PluginState", invocation: "Invocation") -> "Iterator[tuple[str, str]]":
    """Yield what a bundle provides: its settings that nothing overrides, and the names in its folders."""
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


def find_named(name: str, invocation: "Invocation") -> "tuple[list[PluginState], list[SourcedPlugin]]":
    """Return the plugins with a name, ``kind.name`` or distribution: installed ones, and those that sources list here.

    Raise KoiError if there is none.
    """
    installed = invocation.launcher.installation(config=invocation.config).plugins
    found = [one for one in installed if name in (one.name, f"{one.kind}.{one.name}")]
    found = found or [one for one in installed if one.distribution == name.lower().replace("_", "-")]
    sourced = [one for one in ask_sources(invocation)[0] if name in (one.name, f"{one.kind}.{one.name}")]
    if not found and not sourced:
        from .installer import NotInstalledError

        raise NotInstalledError(NOT_INSTALLED.format(name=name))
    return found, sourced


def set_enabled(name: str, invocation: "Invocation", *, enabled: bool) -> str:
    """Enable or disable a plugin in the user's configuration; return what was done."""
    plugins, sourced = find_named(name, invocation)
    found = {f"{one.kind}.{one.name}" for one in plugins} | {f"{one.kind}.{one.name}" for one in sourced}
    if len(found) > 1:
        raise KoiError(AMBIGUOUS.format(name=name, count=len(found), names=", ".join(sorted(found))))
    key = f"{found.pop()}.enabled"
    file = invocation.open().set_setting(key, enabled)
    return f"Set {key} = {'true' if enabled else 'false'} in {file}."
