"""Who is used when several bring one name: the caller's own, then what is installed, then what a source finds."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Paths, PluginEntry
from openkoi_loader.components import Components
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugins import Plugins
from openkoi_settings import Config, Setting

pytestmark = pytest.mark.unit

WORKSPACE = Found("things", "workspace", "openkoi_hookspecs.errors", "openkoi-things")


def sourced(kind: str, name: str, origin: str = "scripts") -> PluginEntry:
    async def load() -> object:
        return f"{origin}'s {name}"

    return PluginEntry(kind, name, origin, load)


def plugins(*entries: PluginEntry, provided: Mapping[str, object] | None = None, **settings: object) -> Plugins:
    given = {key.replace("__", "."): Setting(value, "there.toml") for key, value in settings.items()}
    config = Config(given, Paths(Path("c"), Path("d")), Path())
    return Plugins(config, Redactor(), [WORKSPACE], {"things": provided or {}}, sourced={None: list(entries)})


def listed(there: Plugins) -> list[tuple[str, str]]:
    return [(entry.name, entry.origin) for entry in there.plugins("things")]


def load(there: Plugins, name: str) -> object:
    warnings: list[str] = []
    return asyncio.run(Components(there, warnings.append).plugin("things", name))


def test_a_source_adds_what_nobody_else_brings() -> None:
    there = plugins(sourced("things", "greet"), sourced("hooks", "workspace"))

    assert [("greet", "scripts"), ("workspace", "openkoi-things")] == listed(there)
    assert "scripts's greet" == load(there, "greet")
    assert [] == there.shadowed_warnings()


def test_a_source_never_replaces_what_is_installed_and_that_is_said() -> None:
    there = plugins(sourced("things", "workspace"))

    assert [("workspace", "openkoi-things")] == listed(there)
    assert "scripts's workspace" != load(there, "workspace")
    assert [
        "openkoi-things and scripts both provide things 'workspace'; the one from openkoi-things is used."
    ] == there.shadowed_warnings()


def test_of_two_sources_the_first_is_used() -> None:
    there = plugins(sourced("things", "greet", "one"), sourced("things", "greet", "two"))

    assert [("greet", "one"), ("workspace", "openkoi-things")] == listed(there)
    assert ["one and two both provide things 'greet'; the one from one is used."] == there.shadowed_warnings()


def test_what_is_installed_and_switched_off_is_not_replaced_by_a_source() -> None:
    assert [] == listed(plugins(sourced("things", "workspace"), things__workspace__enabled=False))


def test_the_caller_s_own_outranks_all() -> None:
    own = object()
    there = plugins(provided={"workspace": own})

    assert [("workspace", "provided")] == listed(there)
    assert own is load(there, "workspace")
