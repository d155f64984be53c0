"""Declare a setting: its name, type, default and bounds, who reads it, and what a project may do with it."""

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
    """Who reads a setting; of plugins, those of a kind."""

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
    """A key that plugins declare by their constructors, and that a project may not set in the tables of ``kinds``."""

    name: str
    rule: PluginRule
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FormerName:
    """A name that a setting had, and the release that gave it another one, by its date."""

    name: str
    since: date = FIRST_RELEASE

    @property
    def until(self) -> date:
        """The day on which the old name is refused."""
        return self.since + TWO_YEARS


@dataclass(frozen=True, slots=True)
class Key(Generic[T_co]):
    """A setting. A ``*`` in its dotted name stands for any name, such as that of a model.

    The default tells the type; a tuple is a list of strings. ``limit`` is the field of ``Limits`` that it sets,
    ``selects`` the kind of plugin that it chooses. ``flag`` is its option, and as ``OPENKOI_<FLAG>`` its variable.
    ``example`` is what the default file shows where the default says nothing, in the place of each ``*`` a name.
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
        """The table that any name can be in, of a setting with a ``*``."""
        return self.name.partition(f".{ANY}")[0]

    def at(self, *names: str) -> Self:
        """Return the setting with these names in the place of each ``*``."""
        full = self.name
        for name in names:
            full = full.replace(ANY, name, 1)
        return replace(self, name=full)

    def covers(self, name: str) -> bool:
        """Return whether a dotted name is this setting's; a ``*`` matches names with dots in them."""
        return matches(self.name, name)

    def read(self, setting: Setting) -> T_co:
        """Return a value of it; raise ConfigError, saying where it stands, if it has the wrong type or is too far."""
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
        """Make the error for a value that is not what is wanted."""
        return ConfigError(f"{self.name} in {setting.origin} is {setting.value!r}; it should be {wanted}.")


def matches(pattern: str, name: str) -> bool:
    """Return whether a name is a pattern's, where each ``*`` stands for one or more characters."""
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
