"""Test the default bundle: its choices are installed, and its template states the actual defaults."""

import runpy
from inspect import signature
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from openkoi_hookspecs import Limits, Paths, SharedSetting
from openkoi_loader.bundles import bundle_folders
from openkoi_loader.plugin_discovery import Found, resolve, scan, with_preferences
from openkoi_loader.plugin_factory import init_of
from openkoi_loader.unknown_settings import shared_by
from openkoi_settings import Setting, keys, load_config, read_settings
from openkoi_settings.key import OF_PLUGINS

FOLDER = Path(__file__).parent.parent / "plugins" / "bundle" / "openkoi_bundle"
TESTING = "openkoi-testing"  # not in the bundle: it is installed by those who write plugins
KINDS = {
    "memory": "memory",
    "sandbox": "sandboxes",
    "checkpoints": "checkpoints",
    "compactor": "compactors",
    "questions": "questions",
    "budget": "budgets",
    "frontend": "frontends",
}


def test_what_the_bundle_chooses_is_installed() -> None:
    chosen = read_settings(FOLDER / "bundle.toml")
    there = {(one.kind, one.name) for one in scan().found}

    assert {
        (KINDS[key.removeprefix("use.")], one.value) for key, one in chosen.items() if key.startswith("use.")
    } <= there
    order = chosen["evaluation.order"].value
    assert isinstance(order, list)
    assert {("evaluators", name) for name in order if name != "*"} <= there


def test_the_bundle_is_found_without_importing_anything() -> None:
    assert {FOLDER: "default"} == bundle_folders(scan())


def test_what_the_bundle_chooses_stays_ours_when_others_bring_the_same_name() -> None:
    """No distribution turns off what the bundle chooses by claiming its name, nor the bundle itself."""
    scanned = scan()
    ours = [one for one in scanned.found if one.distribution.startswith("openkoi") and one.distribution != TESTING]
    strangers = tuple(
        one._replace(target="evil", distribution=distribution)
        for one in ours
        for distribution in ("acme", f"openkoi-{one.name}")  # no name makes a distribution ours
        if distribution != one.distribution
    )
    preferred = {(*key.partition(".")[::2], str(one.value)) for key, one in table("plugins.prefer").items()}

    result = with_preferences(scanned._replace(claims=scanned.claims + strangers), frozenset(), frozenset(preferred))

    assert scanned.found == result.found
    assert sorted((one.kind, one.name, one.distribution) for one in ours) == [
        (one.kind, one.name, one.used) for one in result.clashes
    ]


def table(prefix: str) -> dict[str, Setting]:
    settings = read_settings(FOLDER / "bundle.toml")
    return {key.removeprefix(f"{prefix}."): one for key, one in settings.items() if key.startswith(f"{prefix}.")}


@pytest.mark.row("CFG-04")
def test_the_template_states_the_defaults(tmp_path: Path) -> None:
    template = read_settings(FOLDER / "openkoi.toml")

    assert Limits() == load_config(Paths(FOLDER / "openkoi.toml", tmp_path), tmp_path, environment={}).limits
    assert {key.name for key in keys.LIMITS.values()} <= set(template)


@pytest.mark.row("CFG-04")
def test_what_is_made_of_the_declarations_is_up_to_date() -> None:
    """Run .ci/settings after a change of a declaration or of the bundle."""
    bundle = {name: one.value for name, one in read_settings(FOLDER / "bundle.toml").items()}
    table = FOLDER.parent.parent / "loader" / "SETTINGS.md"
    made = runpy.run_path(str(FOLDER.parent.parent.parent / ".ci" / "settings"))

    assert made["default_file"](bundle) == (FOLDER / "openkoi.toml").read_text()
    assert made["settings_table"](bundle) == table.read_text()


@pytest.mark.row("CFG-04", "C11", "C12")
def test_plugins_read_common_settings_as_they_are_declared() -> None:
    """The name and default of a common setting are defined in one place."""
    declared = [key for key in keys.KEYS if key.read_by in OF_PLUGINS]
    tables = {key.name.rpartition(".")[0] for key in keys.KEYS} - {"plugins"}  # its lists are of one plugin each
    ours = (one for one in scan().found if one.distribution.startswith("openkoi"))
    stated = {stated for one in ours for stated in shared(one) if stated[0].rpartition(".")[0] in tables}

    assert {(key.name, reader, key.default or None) for key in declared for reader in key.readers} == stated


def shared(one: Found) -> list[tuple[str, str, object]]:
    """Return the common settings that a plugin goes by, with its kind and its defaults."""
    target = resolve(one.target)
    if not shared_by(one) or not callable(target):
        return []
    hints = get_type_hints(init_of(target), include_extras=True)
    defaults = {name: one.default for name, one in signature(target).parameters.items()}
    marks = {
        name: [mark.key for mark in get_args(hint)[1:] if isinstance(mark, SharedSetting)]
        for name, hint in hints.items()
    }
    return [(key, one.kind, defaults[name]) for name, keys in marks.items() for key in keys]
