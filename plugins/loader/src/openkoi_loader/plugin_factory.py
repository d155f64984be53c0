"""Build a plugin from its entry point: each constructor parameter is a setting or is injected.

Values come from the environment (``Env``), the table ``[<kind>.<name>]``, a common table (``SharedSetting``), saved
credentials, the data folder (``DataDir``), other plugins (``Inject``), and the defaults, in this order. The settings of
``[evaluation]`` apply to every evaluator that has such a parameter, and override its own table.
"""

import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, TypeGuard, get_args, get_origin, get_type_hints

from openkoi_base.files import find_key, private_folder
from openkoi_base.redact import Redactor, use_redactor
from openkoi_hookspecs import (
    ConfigError,
    DataDir,
    Env,
    Inject,
    KoiError,
    NoProviderError,
    PluginNotFoundError,
    SharedSetting,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import Config, Setting, keys
from openkoi_settings.nested_tables import find_origin, find_setting
from openkoi_settings.parameter_type import WrongTypeError, convert_parameter

NO_SETTINGS: Mapping[str, Setting] = {}
MISSING = inspect.Parameter.empty


class NoDataFolderError(ConfigError):
    """The data folder cannot be created."""


@dataclass(frozen=True, slots=True)
class BuildContext:
    """Everything needed to build plugins: settings, the redactor, found keys, and other plugins."""

    config: Config
    redactor: Redactor
    load: Callable[[str, str], Awaitable[object]]
    keys: Mapping[str, Setting]
    warn: Callable[[str], None] = field(default=lambda _: None)


async def construct(target: object, kind: str, name: str, site: BuildContext) -> object:
    """Call the target with its configuration; return a module, a click command or any other object unchanged."""
    if not is_constructor(target, kind):
        return target
    settings = site.config.table(f"{kind}.{name}")
    if kind == "evaluators":
        settings |= site.config.table("evaluation")
    hints = get_type_hints(init_of(target), include_extras=True)
    given: dict[str, object] = {}
    for parameter in parameters_of(target):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        value = await ParameterResolver(kind, name, parameter, hints.get(parameter.name, Any)).value(settings, site)
        if value is not MISSING:
            given[parameter.name] = value
    with use_redactor(site.redactor):
        return target(**given)


def is_constructor(target: object, kind: str) -> TypeGuard[Callable[..., object]]:
    """Return whether a target is called with its configuration: any callable except a click command."""
    is_click_command = kind == "commands" and hasattr(target, "main") and not isinstance(target, type)
    return callable(target) and not is_click_command and not isinstance(target, ModuleType)


def parameters_of(target: Callable[..., object]) -> Collection[inspect.Parameter]:
    """Return a plugin's constructor parameters; as a fast path, a class without a constructor has none."""
    if init_of(target) is object.__init__ and getattr(target, "__new__", None) is object.__new__:
        return ()
    return inspect.signature(target).parameters.values()


def init_of(target: Callable[..., object]) -> object:
    return getattr(target, "__init__", target) if isinstance(target, type) else target


@dataclass(frozen=True, slots=True)
class ParameterResolver:
    """One parameter of one plugin."""

    kind: str
    name: str
    parameter: inspect.Parameter
    hint: Any

    @property
    def key(self) -> str:
        return f"[{self.kind}.{self.name}] {self.parameter.name}"

    async def value(self, settings: dict[str, Setting], site: BuildContext) -> object:
        """Return the value from the first source that has one; MISSING means the default."""
        marks = get_args(self.hint)[1:] if get_origin(self.hint) is Annotated else ()
        variables = [mark for mark in marks if isinstance(mark, Env)]
        if variables:
            return self.from_env(variables, settings, site)
        own, common = find_setting(self.parameter.name, settings), self.find_common_setting(marks, site)
        for mark in marks:
            if isinstance(mark, DataDir) and not own:
                return data_dir(site.config, mark)
            if isinstance(mark, Inject):
                return await (
                    self.common_plugin(mark, common, site) if common and not own else self.plugin(mark, own, site)
                )
        if common and not own:
            table, _, name = common[0].rpartition(".")
            return self.coerce(common[1], named=name, table=table, settings=site.config.table(table))
        return self.coerce(own, settings=settings) if own else self.default_or_raise("")

    def find_common_setting(self, marks: Sequence[object], site: BuildContext) -> tuple[str, Setting] | None:
        """Return the common setting or table that supplies a parameter, with its key, if it is set."""
        found = {mark.key: find_shared(mark.key, site.config) for mark in marks if isinstance(mark, SharedSetting)}
        named = next(((key, setting) for key, setting in found.items() if setting), None)
        if named and (declared := keys.BY_NAME.get(named[0])):
            declared.read(named[1])  # raises if it is out of bounds
        return named

    def from_env(self, marks: Sequence[Env], settings: dict[str, Setting], site: BuildContext) -> object:
        """Return the first variable that is set, else the configured value, else a saved secret."""
        values = {mark.variable: site.config.environment.get(mark.variable, "") for mark in marks}
        named = next((Setting(text, f"${variable}") for variable, text in values.items() if text), None)
        secret = any(mark.secret for mark in marks)
        setting = named or settings.get(self.parameter.name) or (self.kept_secret(site) if secret else None)
        if setting is None:
            return self.default_or_raise(" or ".join(values), NoProviderError if secret else ConfigError)
        if secret:
            site.redactor.hold(str(setting.value), setting.origin)
        return self.coerce(setting, secret=secret)

    def kept_secret(self, site: BuildContext) -> Setting | None:
        """Return a found or saved key: a provider's under its name, any other secret under ``name.parameter``."""
        main = self.parameter.name == "api_key"
        place = self.name if main else f"{self.name}.{self.parameter.name}"
        saved = find_key(site.config.paths.credentials, place)
        return site.keys.get(place) or (Setting(*saved) if saved else None)

    async def common_plugin(self, mark: Inject, common: tuple[str, Setting], site: BuildContext) -> object:
        """Load the plugin that a common setting names; if that fails, warn and use the default."""
        key, setting = common
        try:
            return await self.plugin(mark, setting, site)
        except KoiError as error:
            if self.parameter.default is MISSING:
                raise
            site.warn(f"{key} in {setting.origin} has no effect: {error}")
            return MISSING

    async def plugin(self, mark: Inject, setting: Setting | None, site: BuildContext) -> object:
        name = str(setting.value) if setting else mark.default
        try:
            return await site.load(mark.kind, name) if name else self.default_or_raise("")
        except PluginNotFoundError:
            if setting or self.parameter.default is MISSING:
                raise
            return MISSING

    def default_or_raise(self, variable: str, error: type[KoiError] = ConfigError) -> object:
        if self.parameter.default is not MISSING:
            return MISSING
        key = f"`{self.parameter.name}` under [{self.kind}.{self.name}] in the config file"
        places = f"Set {variable}, or {key}." if variable else f"Set {key}."
        raise error(f"{self.name} needs {self.parameter.name}. {places}")

    def coerce(
        self,
        setting: Setting,
        secret: bool = False,
        named: str = "",
        table: str = "",
        settings: Mapping[str, Setting] = NO_SETTINGS,
    ) -> object:
        """Convert a value to its parameter's type; an error shows it with its key, unless it is a secret."""
        try:
            return convert_parameter(setting.value, self.hint)
        except WrongTypeError as error:
            key = ".".join((f"{table}.{named}" if named else self.key, *map(str, error.path)))
            origin = find_origin(named or self.parameter.name, error.path, settings) if settings else setting.origin
            value = "" if secret or isinstance(error.value, dict) else f" is {error.value!r}"
            raise ConfigError(f"{key} in {origin}{value}: {error}.") from None


def find_shared(key: str, config: Config) -> Setting | None:
    """Return the value of a setting of a common table, or of a table in one."""
    table, _, name = key.rpartition(".")
    return find_setting(name, config.table(table))


def data_dir(config: Config, mark: DataDir) -> Path:
    """Return the path for a plugin's data; raise NoDataFolderError if it cannot be created."""
    data = config.paths.data
    try:
        return private_folder(data) / mark.path
    except OSError as error:
        from openkoi_base.files import describe_write_error

        why = f"{describe_write_error(error)}, or set OPENKOI_HOME."
        raise NoDataFolderError(f"Cannot create the data folder {data}: {why}") from error
