"""Who is used when several bring one name: the caller's own, then what is installed, then what a source finds."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from openkoi.plugins import Plugins
from openkoi.registry import Found
from openkoi_hookspecs import PluginEntry
from openkoi_redact import Redactor
from openkoi_settings import Config, Paths, Setting

pytestmark = pytest.mark.unit

WORKSPACE = Found("tools", "workspace", "openkoi_hookspecs.errors", "openkoi-tools")


def sourced(kind: str, name: str, origin: str = "scripts") -> PluginEntry:
    return PluginEntry(kind, name, origin, lambda: f"{origin}'s {name}")


def plugins(*entries: PluginEntry, provided: Mapping[str, object] | None = None, **settings: object) -> Plugins:
    given = {key.replace("__", "."): Setting(value, "there.toml") for key, value in settings.items()}
    config = Config(given, Paths(Path("c"), Path("d")), Path())
    return Plugins(config, Redactor(), [WORKSPACE], {"tools": provided or {}}, sourced=list(entries))


def listed(there: Plugins) -> list[tuple[str, str]]:
    return [(entry.name, entry.origin) for entry in there.plugins("tools")]


def test_a_source_adds_what_nobody_else_brings() -> None:
    there = plugins(sourced("tools", "greet"), sourced("hooks", "workspace"))

    assert [("greet", "scripts"), ("workspace", "openkoi-tools")] == listed(there)
    assert "scripts's greet" == there.load("tools", "greet")
    assert [] == there.shadowed_warnings


def test_a_source_never_replaces_what_is_installed_and_that_is_said() -> None:
    there = plugins(sourced("tools", "workspace"))

    assert [("workspace", "openkoi-tools")] == listed(there)
    assert "scripts's workspace" != there.load("tools", "workspace")
    assert [
        "openkoi-tools and scripts both bring tools 'workspace'; that of openkoi-tools is used."
    ] == there.shadowed_warnings


def test_of_two_sources_the_first_is_used() -> None:
    there = plugins(sourced("tools", "greet", "one"), sourced("tools", "greet", "two"))

    assert [("greet", "one"), ("workspace", "openkoi-tools")] == listed(there)
    assert ["one and two both bring tools 'greet'; that of one is used."] == there.shadowed_warnings


def test_what_is_installed_and_switched_off_is_not_replaced_by_a_source() -> None:
    assert [] == listed(plugins(sourced("tools", "workspace"), tools__workspace__enabled=False))


def test_the_caller_s_own_outranks_all() -> None:
    own = object()
    there = plugins(provided={"workspace": own})

    assert [("workspace", "provided")] == listed(there)
    assert own is there.load("tools", "workspace")
