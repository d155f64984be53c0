"""The default bundle: what it chooses is installed, and its template says what holds."""

from inspect import signature
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from openkoi.assembly import bundle_folders
from openkoi.config import LIMITS, load_config
from openkoi.paths import Paths
from openkoi.plugin_factory import init_of
from openkoi.registry import Found, resolve, scan, with_preferences
from openkoi.unknown_settings import shared_by
from openkoi_files import Setting, read_settings
from openkoi_hookspecs import Limits, SharedSetting

FOLDER = Path(__file__).parent.parent / "plugins" / "bundle" / "openkoi_bundle"
KINDS = {"memory": "memory", "sandbox": "sandboxes", "checkpoints": "checkpoints", "compactor": "compactors"}


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
    assert [FOLDER] == bundle_folders(scan())


def test_what_the_bundle_chooses_stays_ours_when_others_bring_the_same_name() -> None:
    """No distribution turns off what the bundle chooses by claiming its name, nor the bundle itself."""
    preferred = [key.partition(".")[::2] for key in table("plugins.prefer")]
    scanned = scan()
    ours = [one for one in scanned.found if one.distribution.startswith("openkoi")]
    strangers = tuple(one._replace(target="evil", distribution="acme") for one in ours)

    result = with_preferences(
        scanned._replace(claims=scanned.claims + strangers),
        frozenset((kind, name, str(table("plugins.prefer")[f"{kind}.{name}"].value)) for kind, name in preferred),
    )

    assert (scanned.found, ()) == (result.found, result.clashes)


def table(prefix: str) -> dict[str, Setting]:
    settings = read_settings(FOLDER / "bundle.toml")
    return {key.removeprefix(f"{prefix}."): one for key, one in settings.items() if key.startswith(f"{prefix}.")}


@pytest.mark.row("CFG-04")
def test_the_template_states_the_defaults(tmp_path: Path) -> None:
    template = read_settings(FOLDER / "openkoi.toml")

    assert Limits() == load_config(Paths(FOLDER / "openkoi.toml", tmp_path), tmp_path, environment={}).limits
    assert {key for key, _ in LIMITS.values()} <= set(template)
    for key, setting in read_settings(FOLDER / "bundle.toml").items():
        assert key.startswith("plugins.prefer.") or setting.value == template[key].value


@pytest.mark.row("CFG-04", "C11", "C12")
def test_the_template_states_the_defaults_of_plugins() -> None:
    template = {key: one.value for key, one in read_settings(FOLDER / "openkoi.toml").items()}
    stated = [stated for one in scan().found if one.distribution.startswith("openkoi") for stated in shared(one)]

    assert {(key, template.get(key)) for key, _ in stated} == set(stated)
    assert {("learning.regression_delta", 0.1), ("iteration.skip_eval_confidence", 0.95)} <= set(stated)


def shared(one: Found) -> list[tuple[str, object]]:
    """The common settings that a plugin goes by, with its defaults."""
    target = resolve(one.target)
    if not shared_by(one) or not callable(target):
        return []
    hints = get_type_hints(init_of(target), include_extras=True)
    defaults = {name: one.default for name, one in signature(target).parameters.items()}
    marks = {
        name: [mark.key for mark in get_args(hint)[1:] if isinstance(mark, SharedSetting)]
        for name, hint in hints.items()
    }
    return [(key, defaults[name]) for name, keys in marks.items() for key in keys]
