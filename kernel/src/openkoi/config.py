"""What a person, a project, a team and the defaults want, laid over one another. Knows files and keys, not plugins.

bundles < user's file < project's file < environment < flags; every value knows where it came from. Unknown keys are
left alone, deprecated ones still work and say so. A project may set only what cannot harm the person who opens it.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from openkoi_hookspecs import BadSetting, Limits

from .paths import Paths

T = TypeVar("T")
Table = Mapping[str, Any]

FLAGS = {
    "model": "models.default",
    "executor": "models.executor",
    "evaluator": "models.evaluator",
    "planner": "models.planner",
    "iterate": "iteration.max_iterations",
    "quality": "iteration.quality_threshold",
    "budget": "safety.max_cost_usd",
}
LIMITS: Mapping[str, tuple[str, type]] = {
    "iterations": ("iteration.max_iterations", int),
    "cycles": ("iteration.max_cycles", int),
    "tokens": ("iteration.token_budget", int),
    "usd": ("safety.max_cost_usd", float),
    "seconds": ("iteration.timeout_seconds", float),
    "calls": ("safety.max_calls", int),
    "quality": ("iteration.quality_threshold", float),
    "improvement": ("iteration.improvement_threshold", float),
    "regression": ("safety.regression_threshold", float),
}
DEPRECATED = {
    "iteration.timeout": "iteration.timeout_seconds",
    "safety.max_iterations": "iteration.max_iterations",
    "safety.max_tokens": "iteration.token_budget",
    "safety.max_duration": "iteration.timeout_seconds",
    "safety.tool_loop.warning_threshold": "safety.tool_loop.warning",
    "safety.tool_loop.critical_threshold": "safety.tool_loop.critical",
}
LARGEST = 2**1000
PROJECT_MAY_SET = frozenset({"evaluation", "evaluators", "iteration", "models", "patterns", "tools"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and where it came from."""

    value: object
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    """Settings by dotted key, and what was odd about them."""

    settings: Mapping[str, Setting]
    paths: Paths
    workspace: Path
    warnings: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def get(self, key: str, kind: type[T], default: T) -> T:
        """The value of a dotted key; a wrong type is a BadSetting that says where it stands."""
        setting = self.settings.get(key)
        return default if setting is None else typed(key, setting, kind)

    def table(self, prefix: str) -> dict[str, Setting]:
        """All settings below a dotted prefix, by the rest of their keys."""
        start = prefix + "."
        return {key.removeprefix(start): setting for key, setting in self.settings.items() if key.startswith(start)}

    @property
    def limits(self) -> Limits:
        """Where a task stops."""
        given = {name: self.get(key, kind, getattr(Limits(), name)) for name, (key, kind) in LIMITS.items()}
        if not self.get("safety.abort_on_regression", bool, True):
            given["regression"] = None
        return checked(Limits(**given), self)


def typed(key: str, setting: Setting, kind: type[T]) -> T:
    value = setting.value
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST:
        value = float(value)
    if isinstance(value, str) and kind in (int, float) and setting.origin.startswith(("$", "--")):
        value = number(key, setting, kind)
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    raise BadSetting(f"{key} in {setting.origin} is {value!r}; it should be of type {kind.__name__}.")


def number(key: str, setting: Setting, kind: type) -> object:
    try:
        return kind(setting.value)
    except ValueError:
        raise BadSetting(f"{setting.origin} is {setting.value!r}; {key} should be a number.") from None


def checked(limits: Limits, config: Config) -> Limits:
    """Refuse limits that make no sense, naming the key."""
    bounds = {"quality": (0, 1), "improvement": (0, 1), "regression": (0, 1)}
    for name, (key, _) in LIMITS.items():
        value = getattr(limits, name)
        low, high = bounds.get(name, (0, float("inf")))
        if value is not None and not low <= value <= high:
            origin = config.settings[key].origin if key in config.settings else "the defaults"
            raise BadSetting(f"{key} in {origin} is {value}; it should be from {low} to {high}.")
    return limits


def load_config(
    paths: Paths,
    workspace: Path,
    *,
    bundles: Sequence[Path] = (),
    flags: Mapping[str, object] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Config:
    """Read every layer, the weakest first."""
    project = workspace / ".openkoi" / "config.toml"
    layers = [read_settings(bundle / "bundle.toml") for bundle in bundles]
    layers.append(read_settings(paths.config))
    allowed, warnings = held_back(read_settings(project))
    layers += [allowed, from_environment(environment), from_flags(flags or {})]
    settings: dict[str, Setting] = {}
    for layer in layers:
        renamed, odd = renewed(layer)
        settings |= renamed
        warnings += odd
    return Config(settings, paths, workspace, tuple(warnings), dict(environment))


def read_settings(path: Path) -> dict[str, Setting]:
    """Read a TOML file, if there is one."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        tables = tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadSetting(f"{path} is not valid TOML: {error}. Mend the line, or move the file away.") from error
    except OSError as error:
        raise BadSetting(f"{path} cannot be read: {error.strerror}.") from error
    return {key: Setting(value, str(path)) for key, value in flatten(tables)}


def flatten(table: Table, prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def held_back(layer: dict[str, Setting]) -> tuple[dict[str, Setting], list[str]]:
    """Leave out what a project may not decide for the person who works in it."""
    refused = sorted({key.partition(".")[0] for key in layer} - PROJECT_MAY_SET)
    warnings = [f"A project's configuration may not set [{name}]; left out." for name in refused]
    return {key: setting for key, setting in layer.items() if key.partition(".")[0] in PROJECT_MAY_SET}, warnings


def renewed(layer: dict[str, Setting]) -> tuple[dict[str, Setting], list[str]]:
    """Give deprecated keys their new names; a new name in the same layer wins."""
    old = {key: DEPRECATED[key] for key in layer if key in DEPRECATED}
    warnings = [f"{key} in {layer[key].origin} is deprecated: write {new}." for key, new in old.items()]
    fresh = {new: layer[key] for key, new in old.items()}
    return {**fresh, **{key: setting for key, setting in layer.items() if key not in old}}, warnings


def from_environment(environment: Mapping[str, str]) -> dict[str, Setting]:
    names = {f"OPENKOI_{flag.upper()}": key for flag, key in FLAGS.items()}
    return {
        key: Setting(environment[name], f"${name}") for name, key in names.items() if environment.get(name, "") != ""
    }


def from_flags(flags: Mapping[str, object]) -> dict[str, Setting]:
    return {FLAGS[flag]: Setting(value, f"--{flag}") for flag, value in flags.items() if value is not None}
