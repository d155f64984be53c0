"""Declare a setting: its name, type, default and bounds, its reader, and what a project may do with it."""

import math
from dataclasses import KW_ONLY, replace
from datetime import date, timedelta
from enum import Enum, StrEnum
from typing import Generic, Self, TypeVar

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .value import Setting, convert

T_co = TypeVar("T_co", covariant=True)
FIRST_RELEASE = date(2026, 11, 21)
TWO_YEARS = timedelta(days=731)
ANY = "*"


class SettingReader(StrEnum):
    """The reader of a setting: the kernel, or plugins of a kind."""

    KERNEL = "kernel"
    MODELS = "models"
    COMMANDS = "commands"
    EVALUATORS = "evaluators"
    HOOKS = "hooks"
    MEMORY = "memory"
    BUDGETS = "budgets"


OF_PLUGINS = frozenset({SettingReader.EVALUATORS, SettingReader.HOOKS, SettingReader.MEMORY, SettingReader.BUDGETS})


class ProjectRule(Enum):
    """What a project's configuration may do with a setting."""

    REFUSED = "no"
    ALLOWED = "yes"
    LOWER = "lower it"
    RAISE = "raise it"


class PluginRule(Enum):
    """Why a project's configuration may not set a key of a plugin's own table."""

    EXECUTES = "may not choose what is loaded, run or contacted"
    JUDGES = "may not change how strictly work is evaluated"


@dataclass(frozen=True, slots=True)
class PluginKey:
    """A key that plugins' constructors declare, and that a project may not set in the tables of ``kinds``."""

    name: str
    rule: PluginRule
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FormerName:
    """A former name of a setting, and the date of the release that renamed it."""

    name: str
    since: date = FIRST_RELEASE

    @property
    def until(self) -> date:
        """The day from which the old name is rejected."""
        return self.since + TWO_YEARS


@dataclass(frozen=True, slots=True)
class Key(Generic[T_co]):
    """A setting. A ``*`` in its dotted name matches any name, such as that of a model.

    The default determines the type; a tuple is a list of strings. ``limit`` is the field of ``Limits`` that it sets,
    ``selects`` the kind of plugin that it chooses. ``flag`` is its option, and ``OPENKOI_<FLAG>`` its variable.
    ``example`` is what the default file shows if the default is empty, with a name in place of each ``*``.
    """

    name: str
    default: T_co
    help: str
    _: KW_ONLY
    read_by: SettingReader = SettingReader.KERNEL
    also_read_by: tuple[SettingReader, ...] = ()
    project: ProjectRule = ProjectRule.REFUSED
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    flag: str = ""
    limit: str = ""
    selects: str = ""
    former: tuple[FormerName, ...] = ()
    example: object = None
    example_names: tuple[str, ...] = ()

    @property
    def readers(self) -> tuple[SettingReader, ...]:
        """Everyone who reads it."""
        return self.read_by, *self.also_read_by

    @property
    def kind(self) -> type[T_co]:
        """The type of its values."""
        return type(self.default)

    @property
    def table(self) -> str:
        """The table of a setting with a ``*``, which can contain any name."""
        return self.name.partition(f".{ANY}")[0]

    def at(self, *names: str) -> Self:
        """Return the setting with each ``*`` replaced by a name."""
        full = self.name
        for name in names:
            full = full.replace(ANY, name, 1)
        return replace(self, name=full)

    def covers(self, name: str) -> bool:
        """Return whether a dotted name is a name of this setting; a ``*`` also matches names with dots."""
        return matches(self.name, name)

    def read(self, setting: Setting) -> T_co:
        """Return a value of the setting; raise ConfigError, which names its origin, if the type or range is wrong."""
        value = convert(self.name, setting, self.kind)
        if self.choices and value not in self.choices:
            raise self.error(setting, f"one of {', '.join(self.choices)}")
        if isinstance(value, int | float) and not self.low <= value <= self.high:
            raise self.error(setting, self.bounds)
        return value

    @property
    def bounds(self) -> str:
        """Its range in words."""
        return f"{self.low:g} or more" if self.high == math.inf else f"from {self.low:g} to {self.high:g}"

    def error(self, setting: Setting, wanted: str) -> ConfigError:
        """Return the error for an invalid value."""
        return ConfigError(f"{self.name} in {setting.origin} is {setting.value!r}; it should be {wanted}.")


def matches(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern, where each ``*`` matches one or more characters."""
    first, *rest = pattern.split(ANY)
    if not rest or not name.startswith(first):
        return name == pattern
    *middle, last = rest
    at = len(first)
    for part in middle:
        if (found := name.find(part, at + 1)) < 0:
            return False
        at = found + len(part)
    return name.endswith(last) and at < len(name) - len(last)
