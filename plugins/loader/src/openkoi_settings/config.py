"""The settings that apply in a folder, each with its origin."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, TypeVar

from openkoi_hookspecs import ArgumentError, ConfiguredSetting, Limits, Paths
from openkoi_hookspecs.lazy_dataclass import dataclass

from .key import Key
from .keys import ABORT_ON_REGRESSION, BY_NAME, DEFAULT_MODEL, LIMITS, MODEL_OF, SELECTORS, find_key
from .value import Setting, convert

T = TypeVar("T")
BUNDLE_FILE = "bundle.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """Settings by dotted key, and warnings about them. ``read`` are those read so far, with their values."""

    settings: Mapping[str, Setting]
    paths: Paths
    workspace: Path
    warnings: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    read: dict[str, tuple[Setting, Any]] = field(default_factory=dict, init=False, compare=False)

    def __getitem__(self, key: Key[T]) -> T:
        """Return the value of a declared setting; raise ConfigError, which names its origin, if it is invalid."""
        value = self.explicit_value(key)
        return key.default if value is None else value

    def __contains__(self, key: Key[Any]) -> bool:
        """Whether a declared setting is set."""
        return key.name in self.settings

    def explicit_value(self, key: Key[T]) -> T | None:
        """Return the value of a declared setting if it is set, without its default."""
        setting = self.settings.get(key.name)
        if setting is None:
            return None
        known = self.read.get(key.name)
        if known is None or known[0] is not setting:
            known = self.read[key.name] = setting, key.read(setting)
        value: T = known[1]
        return value

    def setting(self, key: Key[Any]) -> Setting:
        """Return a declared setting with its origin."""
        return self.settings.get(key.name, Setting(key.default, "the defaults"))

    def get(self, name: str, kind: type[T], default: T) -> T:
        """Return the value of any dotted key; raise ConfigError, which names its origin, if it has another type.

        If it is not set, a declared setting has its declared default.
        """
        if setting := self.settings.get(name):
            return convert(name, setting, kind)
        return convert(name, self.setting(BY_NAME[name]), kind) if name in BY_NAME else default

    def chosen_name(self, kind: str) -> str:
        """Return the name of the plugin of a kind that ``[use]`` names; raise ArgumentError for any other kind."""
        if (key := SELECTORS.get(kind)) is None:
            raise ArgumentError(
                f"[use] cannot select plugins of the kind {kind!r}. It selects: {', '.join(SELECTORS)}."
            )
        name = self[key]
        return "" if name == "none" else name

    def table(self, prefix: str) -> dict[str, Setting]:
        """Return all settings below a dotted prefix, by the rest of their keys."""
        start = prefix + "."
        return {key.removeprefix(start): setting for key, setting in self.settings.items() if key.startswith(start)}

    @property
    def limits(self) -> Limits:
        """Where a task stops."""
        limits = Limits(**{field: self[key] for field, key in LIMITS.items()})
        return limits if self[ABORT_ON_REGRESSION] else replace(limits, max_regression=None)

    def limits_with(self, limits: Limits, changed: Mapping[str, object]) -> Limits:
        """Return other limits, with the ``changed`` ones replaced by those of this configuration."""
        own = {field: getattr(self.limits, field) for field, key in LIMITS.items() if key.name in changed}
        return replace(limits, **own)

    @property
    def changed_settings(self) -> dict[str, Setting]:
        """The settings of the user, the project, the environment and the command line, by dotted key."""
        return {name: one for name, one in sorted(self.settings.items()) if not one.origin.endswith(BUNDLE_FILE)}

    def configured_settings(self, *, bundles: bool = False) -> Sequence[ConfiguredSetting]:
        """Return the changed settings, or those of bundles as well, each with its default if it is declared."""
        chosen = self.settings if bundles else self.changed_settings
        return [
            ConfiguredSetting(name, one.value, one.origin, key.default if (key := find_key(name)) else None)
            for name, one in sorted(chosen.items())
        ]

    @property
    def models_from_flags(self) -> dict[str, str]:
        """The models that the command line names, by dotted key."""
        names = sorted(key.name for key in (DEFAULT_MODEL, *MODEL_OF.values()) if key in self)
        return {name: str(self.settings[name].value) for name in names if self.settings[name].origin.startswith("--")}

    def check(self) -> None:
        """Raise ConfigError for the first declared setting with an invalid value."""
        for name, setting in self.settings.items():
            if key := find_key(name):
                key.read(setting)
