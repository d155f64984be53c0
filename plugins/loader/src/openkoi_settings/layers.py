"""Read settings in order of precedence: bundles, user, project, environment, command line; later ones override.

bundles < user's file < project's file < environment < flags; every value has its origin. Unknown keys are
left alone here, deprecated ones work for two years. A project may set only what cannot harm the user.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

from openkoi_hookspecs import ConfigError, Paths

from .config import BUNDLE_FILE, Config
from .config_toml import read_settings
from .deprecated import rename_deprecated
from .keys import DEFAULT_MODEL, FLAGS, MODEL_OF
from .plugin_keys import BUNDLE_ORDER, USE_MEMORY
from .project_policy import apply_project_policy
from .value import Setting
from .variables import CASSETTE, CASSETTE_VARIABLE, variable_of

NO_BUNDLES: Mapping[Path, str] = {}
CONFLICT = (
    "{name} is set to different values by the bundles {used} and {others}; using the first. "
    "To choose, set it in your config file, or list the bundle to prefer in `order` under [bundles]."
)
WITHOUT_MEMORY = (
    "Memory is off while model requests are recorded or replayed, so that a replay sends the same requests."
)


def load_config(
    paths: Paths,
    workspace: Path,
    *,
    bundles: Mapping[Path, str] = NO_BUNDLES,
    flags: Mapping[str, object] | None = None,
    environment: Mapping[str, str] = os.environ,
    today: date | None = None,
) -> Config:
    """Read every layer, the weakest first; ``bundles`` are folders with their bundles' names.

    ``today`` decides which deprecated keys still work.
    """
    ranked = rank_bundles(bundles, paths.config)
    settings, warnings = merge_files([*(bundle / BUNDLE_FILE for bundle in ranked), paths.config], today)
    project, odd = rename_deprecated(read_project(workspace, paths.config), today)
    allowed, refused = apply_project_policy(project, Config(settings, paths, workspace))
    settings = override({**settings, **allowed, **from_environment(environment)}, from_flags(flags or {}))
    given = with_cassette(environment, flags or {})
    if given.get(CASSETTE_VARIABLE):
        settings[USE_MEMORY.name] = Setting("none", f"${CASSETTE_VARIABLE}")
        warnings.append(WITHOUT_MEMORY)
    warnings += explain_conflicts(ranked, settings, bundles)
    config = Config(settings, paths, workspace, (*warnings, *odd, *refused), given)
    config.check()
    return config


def read_project(workspace: Path, users_file: Path) -> dict[str, Setting]:
    """Return the settings of a project; in the home folder, the file there is the user's own and sets nothing here."""
    file = workspace / ".openkoi" / "config.toml"
    with suppress(OSError):  # one of them does not exist, or its folder cannot be read
        if file.samefile(users_file):
            return {}
    return read_settings(file)


def rank_bundles(bundles: Mapping[Path, str], config: Path) -> dict[Path, bool]:
    """Return the folders, the weakest first, with whether the user named the bundle in ``[bundles] order``.

    OpenKoi's own is the weakest; named ones are the strongest, the first one most of all. Bundles that the
    user has disabled are left out.
    """
    if len(bundles) <= 1:
        return dict.fromkeys(bundles, False)
    settings = read_settings(config)
    enabled = {folder: name for folder, name in bundles.items() if is_enabled(settings, name)}
    setting = settings.get(BUNDLE_ORDER.name)
    order = list(BUNDLE_ORDER.read(setting)) if setting else []
    rest = [folder for folder in enabled if enabled[folder] not in order]
    named = [folder for name in reversed(order) for folder in enabled if enabled[folder] == name]
    return {**dict.fromkeys(rest, False), **dict.fromkeys(named, True)}


def is_enabled(settings: Mapping[str, Setting], bundle: str) -> bool:
    """Return whether a bundle is enabled in the user's settings."""
    setting = settings.get(f"bundles.{bundle}.enabled")
    return setting is None or setting.value is not False


def with_settings(config: Config, settings: Mapping[str, object]) -> Config:
    """Return the configuration, overridden by settings of the command line."""
    layer, odd = rename_deprecated({name: Setting(value, f"--set {name}") for name, value in settings.items()})
    changed = replace(config, settings=override(config.settings, layer), warnings=(*config.warnings, *odd))
    changed.check()
    return changed


def merge_files(files: Sequence[Path], today: date | None = None) -> tuple[dict[str, Setting], list[str]]:
    """Return the settings of files, the weakest first, and warnings about them."""
    settings: dict[str, Setting] = {}
    warnings: list[str] = []
    for file in files:
        layer, odd = rename_deprecated(read_settings(file), today)
        settings |= layer
        warnings += odd
    return settings, warnings


def explain_conflicts(
    bundles: Mapping[Path, bool], settings: Mapping[str, Setting], names: Mapping[Path, str]
) -> list[str]:
    """Return a warning for each setting that two bundles set to different values, unless the user has set it.

    There is no warning if OpenKoi's own bundle, the first one, is overridden, or if the user has named the bundle.
    """
    unnamed = [bundle for bundle, is_named in bundles.items() if not is_named][1:] if len(bundles) > 2 else []
    named = {name for bundle in bundles if bundles[bundle] for name in read_settings(bundle / BUNDLE_FILE)}
    layers = {names[bundle]: read_settings(bundle / BUNDLE_FILE) for bundle in unnamed}
    warnings: list[str] = []
    for name in sorted({name for layer in layers.values() for name in layer} - named):
        *others, used = rivals = [bundle for bundle, layer in layers.items() if name in layer]
        values = [layers[bundle][name] for bundle in rivals]
        if settings[name].origin == values[-1].origin and any(one.value != values[-1].value for one in values):
            warnings.append(CONFLICT.format(name=name, others=", ".join(others), used=used))
    return warnings


def override(settings: Mapping[str, Setting], layer: Mapping[str, Setting]) -> dict[str, Setting]:
    """Override layers with a stronger one; its model for every role overrides those set for single roles."""
    dropped = {key.name for key in MODEL_OF.values()} if DEFAULT_MODEL.name in layer else set()
    return {**{name: one for name, one in settings.items() if name not in dropped}, **layer}


def from_environment(environment: Mapping[str, str]) -> dict[str, Setting]:
    """Return the settings of environment variables, such as ``OPENKOI_MODEL``."""
    variables = {variable_of(flag): key for flag, key in FLAGS.items()}
    return {
        key.name: Setting(environment[name], f"${name}")
        for name, key in variables.items()
        if environment.get(name, "") != ""
    }


def from_flags(flags: Mapping[str, object]) -> dict[str, Setting]:
    """Return the settings of the command line's options."""
    return {key.name: Setting(flags[flag], f"--{flag}") for flag, key in FLAGS.items() if flags.get(flag) is not None}


def with_cassette(environment: Mapping[str, str], flags: Mapping[str, object]) -> dict[str, str]:
    """Return the environment with the variable that sets what to record or replay."""
    asked = {word: str(flags.get(word) or environment.get(variable_of(word), "")) for word in CASSETTE}
    cassettes = [f"{word}:{Path(file).absolute()}" for word, file in asked.items() if file]
    if len(cassettes) > 1:
        raise ConfigError("--record and --replay cannot be used together. Use only one of them.")
    return {**environment, **({CASSETTE_VARIABLE: cassettes[0]} if cassettes else {})}
