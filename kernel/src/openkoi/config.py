"""What a person, a project, a team and the defaults want, laid over one another. Knows files and keys, not plugins.

bundles < user's file < project's file < environment < flags; every value knows where it came from. Unknown keys are
left alone here, deprecated ones work for two years. A project may set only what cannot harm the person who opens it.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from openkoi_files import Daybook, Setting, read_settings, typed
from openkoi_hookspecs import ConfigError, Limits
from openkoi_progress import Ceilings

from .deprecated import rename_deprecated
from .paths import Paths
from .project_policy import CONFIDENCE, DEFAULT_CONFIDENCE, project_setting_error

T = TypeVar("T")

FLAGS = {
    "model": "models.default",
    "executor": "models.executor",
    "evaluator": "models.evaluator",
    "planner": "models.planner",
    "iterate": "iteration.max_iterations",
    "quality": "iteration.quality_threshold",
    "budget": "safety.max_cost_usd",
    "no_judge": "evaluation.checks_only",
}
LIMITS: Mapping[str, tuple[str, type]] = {
    "iterations": ("iteration.max_iterations", int),
    "cycles": ("iteration.max_cycles", int),
    "tokens": ("iteration.token_budget", int),
    "usd": ("safety.max_cost_usd", float),
    "seconds": ("iteration.timeout_seconds", float),
    "calls": ("safety.max_calls", int),
    "quality_threshold": ("iteration.quality_threshold", float),
    "min_improvement": ("iteration.improvement_threshold", float),
    "max_regression": ("safety.regression_threshold", float),
}
DAY = ("safety.max_cost_usd_per_day", "safety.max_tokens_per_day")
TOOL_LOOP = {
    "warning": "safety.tool_loop.warning",
    "critical": "safety.tool_loop.critical",
    "breaker": "safety.tool_loop.circuit_breaker",
}
TIGHTENED = ("iterations", "cycles", "tokens", "usd", "seconds", "calls", "quality_threshold")
ROLES = frozenset({"models.executor", "models.evaluator", "models.planner", "models.small"})
CASSETTE = ("record", "replay")
CASSETTE_VARIABLE = "OPENKOI_CASSETTE"
WITHOUT_MEMORY = "Memory is off while model requests are recorded or replayed, so that a replay sends the same ones."


@dataclass(frozen=True, slots=True)
class Config:
    """Settings by dotted key, and what was odd about them."""

    settings: Mapping[str, Setting]
    paths: Paths
    workspace: Path
    warnings: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def get(self, key: str, kind: type[T], default: T) -> T:
        """The value of a dotted key; a wrong type is a ConfigError that says where it stands."""
        setting = self.settings.get(key)
        return default if setting is None else typed(key, setting, kind)

    def strings(self, key: str, default: Sequence[str]) -> tuple[str, ...]:
        """A list of strings; anything else is a ConfigError that says where it stands."""
        if (setting := self.settings.get(key)) is None:
            return tuple(default)
        if isinstance(setting.value, list) and all(isinstance(one, str) for one in setting.value):
            return tuple(setting.value)
        raise ConfigError(f"{key} in {setting.origin} is {setting.value!r}; it should be a list of strings.")

    def table(self, prefix: str) -> dict[str, Setting]:
        """All settings below a dotted prefix, by the rest of their keys."""
        start = prefix + "."
        return {key.removeprefix(start): setting for key, setting in self.settings.items() if key.startswith(start)}

    @property
    def limits(self) -> Limits:
        """Where a task stops."""
        given = {name: self.get(key, kind, getattr(Limits(), name)) for name, (key, kind) in LIMITS.items()}
        if not self.get("safety.abort_on_regression", bool, True):
            given["max_regression"] = None
        return checked(Limits(**given), self)

    def limits_with(self, limits: Limits, changed: Mapping[str, object]) -> Limits:
        """Other limits, with those of ours that these settings are about."""
        own = {name: getattr(self.limits, name) for name, (key, _) in LIMITS.items() if key in changed}
        return replace(limits, **own)

    @property
    def models_said(self) -> dict[str, str]:
        """The models that the command line named, by dotted key."""
        named = {key: self.settings[key] for key in ("models.default", *ROLES) if key in self.settings}
        return {key: str(one.value) for key, one in sorted(named.items()) if one.origin.startswith("--")}

    @property
    def day(self) -> Daybook | None:
        """What a day may cost, for all tasks together; None where nothing was said."""
        usd, tokens = (self.get(key, float, math.inf) for key in DAY)
        limited = math.isfinite(min(usd, tokens))
        return Daybook(self.paths.data / "days", most_tokens=tokens, most_usd=usd) if limited else None

    @property
    def ceilings(self) -> Ceilings:
        """After how much without progress a run is warned of, asked about, and ended."""
        default = Ceilings()
        return Ceilings(**{name: self.get(key, int, getattr(default, name)) for name, key in TOOL_LOOP.items()})


def checked(limits: Limits, config: Config) -> Limits:
    """Refuse limits that make no sense, naming the key."""
    bounds = {"quality_threshold": (0, 1), "min_improvement": (0, 1), "max_regression": (0, 1)}
    for name, (key, _) in LIMITS.items():
        value = getattr(limits, name)
        low, high = bounds.get(name, (0, float("inf")))
        if value is not None and not low <= value <= high:
            origin = config.settings[key].origin if key in config.settings else "the defaults"
            raise ConfigError(f"{key} in {origin} is {value}; it should be from {low} to {high}.")
    return limits


def with_cassette(environment: Mapping[str, str], flags: Mapping[str, object]) -> dict[str, str]:
    """The environment with the variable that says what is recorded from the wire, or played back in its place."""
    asked = {word: str(flags.get(word) or environment.get(f"OPENKOI_{word.upper()}", "")) for word in CASSETTE}
    said = [f"{word}:{Path(file).absolute()}" for word, file in asked.items() if file]
    if len(said) > 1:
        raise ConfigError("--record and --replay cannot be used together. Leave one of them out.")
    return {**environment, **({CASSETTE_VARIABLE: said[0]} if said else {})}


def load_config(
    paths: Paths,
    workspace: Path,
    *,
    bundles: Sequence[Path] = (),
    flags: Mapping[str, object] | None = None,
    environment: Mapping[str, str] = os.environ,
    today: date | None = None,
) -> Config:
    """Read every layer, the weakest first. ``today`` decides which deprecated keys still work."""
    settings, warnings = overlaid([*(bundle / "bundle.toml" for bundle in bundles), paths.config], today)
    project, odd = rename_deprecated(read_settings(workspace / ".openkoi" / "config.toml"), today)
    allowed, refused = held_back(project, Config(settings, paths, workspace))
    settings |= allowed
    settings = laid_over({**settings, **from_environment(environment)}, from_flags(flags or {}))
    given = with_cassette(environment, flags or {})
    if given.get(CASSETTE_VARIABLE):
        settings["use.memory"] = Setting("none", f"${CASSETTE_VARIABLE}")
        warnings.append(WITHOUT_MEMORY)
    return Config(settings, paths, workspace, (*warnings, *odd, *refused), given)


def with_settings(config: Config, settings: Mapping[str, object]) -> Config:
    """The configuration with settings of the command line over it."""
    layer, odd = rename_deprecated({key: Setting(value, f"--set {key}") for key, value in settings.items()})
    return replace(config, settings=laid_over(dict(config.settings), layer), warnings=(*config.warnings, *odd))


def overlaid(files: Sequence[Path], today: date | None = None) -> tuple[dict[str, Setting], list[str]]:
    """Files over one another, the weakest first, and what was odd about them."""
    settings: dict[str, Setting] = {}
    warnings: list[str] = []
    for file in files:
        layer, odd = rename_deprecated(read_settings(file), today)
        settings |= layer
        warnings += odd
    return settings, warnings


def held_back(layer: Mapping[str, Setting], below: Config) -> tuple[dict[str, Setting], list[str]]:
    """Leave out what a project may not decide for the person who works in it; every key that is refused is named."""
    bound = {LIMITS[name][0]: name for name in TIGHTENED if LIMITS[name][0] in layer}
    holding = below.limits if bound else Limits()
    limits = {key: getattr(holding, name) for key, name in bound.items()}
    if CONFIDENCE in layer:
        limits[CONFIDENCE] = below.get(CONFIDENCE, float, DEFAULT_CONFIDENCE)
    refused = {
        key: text for key, setting in layer.items() if (text := project_setting_error(key, setting.value, limits))
    }
    return {key: setting for key, setting in layer.items() if key not in refused}, list(refused.values())


def laid_over(settings: dict[str, Setting], layer: dict[str, Setting]) -> dict[str, Setting]:
    """A stronger layer over the others; a model for every role in it outranks those that were set for single roles."""
    kept = {key: setting for key, setting in settings.items() if key not in ROLES or "models.default" not in layer}
    return {**kept, **layer}


def from_environment(environment: Mapping[str, str]) -> dict[str, Setting]:
    names = {f"OPENKOI_{flag.upper()}": key for flag, key in FLAGS.items()}
    return {
        key: Setting(environment[name], f"${name}") for name, key in names.items() if environment.get(name, "") != ""
    }


def from_flags(flags: Mapping[str, object]) -> dict[str, Setting]:
    said = {flag: value for flag, value in flags.items() if value is not None and flag in FLAGS}
    return {FLAGS[flag]: Setting(value, f"--{flag}") for flag, value in said.items()}
