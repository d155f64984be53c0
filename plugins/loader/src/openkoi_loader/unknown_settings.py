"""Warn about settings that have no effect, most of them typos, with the reason and a suggestion.

Only settings that are set are checked, and a plugin's constructor is read only if its table is set, so that a usual
configuration imports nothing.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import get_args, get_type_hints

from openkoi_base.isolation import must_end
from openkoi_hookspecs import SharedSetting
from openkoi_settings import VARIABLES, Config, keys, plugin_keys
from openkoi_settings.key import ANY, OF_PLUGINS
from openkoi_settings.nested_tables import find_unknown_keys, keys_of
from openkoi_settings.variables import PREFIX, variable_of

from .components import REQUIRED_METHODS
from .plugin_discovery import Found, resolve
from .plugin_factory import init_of, is_constructor
from .plugins import Plugins
from .suggestions import suggest, suggest_key

READ_HERE = frozenset(key.name for key in keys.KEYS if key.read_by not in OF_PLUGINS and ANY not in key.name)
FACTS = [key.name.rpartition(".")[2] for key in (keys.MODEL_CONTEXT, keys.MODEL_OUTPUT, keys.MODEL_PRICE)]
KNOWN, PREFERRED = f"{keys.MODEL_PRICE.table}.", f"{plugin_keys.PREFER.table}."
PLANNED = ("patterns",)
OPTIONAL = {  # tables of plugins that are not in the default bundle
    "mcp": "openkoi-mcp",
    "plugins.mcp": "openkoi-mcp",
    "plugins.scripts": "openkoi-scripts",
    "plugins.wasm": "openkoi-wasm",
}
SUBPROCESS = plugin_keys.SUBPROCESS.name.rpartition(".")[2]
OF_EVERY_PLUGIN = frozenset((plugin_keys.ENABLED.name.rpartition(".")[2], SUBPROCESS))
MIN_SIMILARITY = 0.8  # difflib ratio, as measured on typos of commands
NOT_A_SETTING = "is not a setting, so it has no effect."


def find_unknown_settings(config: Config, plugins: Plugins, table: str = "") -> list[str]:
    """Return a warning for each setting in a ``table`` or in all that has no effect; only one for a whole table."""
    readers = Readers(config, plugins)
    start = f"{table}." if table else ""
    settings = [(key, setting) for key, setting in config.settings.items() if key.startswith(start)]
    messages = [text for key, setting in settings if (text := explain_unread(key, setting.origin, readers))]
    return list(dict.fromkeys([*messages, *(() if table else find_misspelt_variables(config.environment))]))


def explain_unread(key: str, origin: str, readers: "Readers") -> str:
    """Return why a setting has no effect; empty if it has one."""
    table, _, rest = key.partition(".")
    if key in READ_HERE or key.startswith(PREFERRED):
        return ""
    if key.startswith(KNOWN):
        return check_model_fact(key, origin)
    name, _, parameter = rest.partition(".")
    if parameter and table in readers.kinds:
        return check_plugin_setting((table, name, parameter), origin, readers)
    if promised := find_prefix(key, PLANNED):
        place = f"[{table}.{name}]" if parameter else f"[{promised}]"
        return f"{place} in {origin} has no effect: nothing reads it in this version."
    if shared := find_prefix(key, readers.shared_settings):
        below = key.removeprefix(shared.rpartition(".")[0]).removeprefix(".")
        return check_nested_setting(key, below, readers.shared_settings[shared], readers)
    missing = find_prefix(key, OPTIONAL)
    if missing and not any(find_prefix(one, [missing]) for one in readers.shared_settings):
        return f"[{missing}] in {origin} has no effect: {OPTIONAL[missing]} is not installed."
    return check_common_setting(key, origin, readers)


def find_prefix(key: str, tables: Iterable[str]) -> str:
    """Return the one of these keys that a key equals or is below; empty if there is none."""
    return next((one for one in tables if f"{key}.".startswith(f"{one}.")), "")


def check_model_fact(key: str, origin: str) -> str:
    """Return what is wrong with a fact about a model; empty if nothing is."""
    model, _, fact = key.rpartition(".")
    if fact in FACTS:
        return ""
    return f"{key} in {origin} {NOT_A_SETTING}{suggest(fact, FACTS, around=(f'{model}.', ''))}"


def check_plugin_setting(place: tuple[str, str, str], origin: str, readers: "Readers") -> str:
    """Return what is wrong with a setting in a plugin's own table; empty if nothing is."""
    kind, name, parameter = place
    if name not in readers.names(kind):
        suggestion = suggest(name, readers.names(kind), around=(f"[{kind}.", "]"))
        one = "sandbox" if kind == "sandboxes" else kind.removesuffix("s")
        return f"[{kind}.{name}] in {origin} has no effect: no {one} named {name} is installed.{suggestion}"
    word = parameter.partition(".")[0]
    if word == SUBPROCESS and readers.config.settings[".".join(place)].value is True:
        from .subprocess_plugin.members import explain_refusal

        return explain_refusal(kind, name)
    known = {} if word in OF_EVERY_PLUGIN else readers.parameters(kind, name)
    if known is not None and word in known:
        return check_nested_setting(".".join(place), parameter, known[word], readers)
    if known is None or word in OF_EVERY_PLUGIN:
        return ""
    suggestion = suggest(word, [*known, *OF_EVERY_PLUGIN], around=(f"{kind}.{name}.", ""))
    return f"{kind}.{name}.{parameter} in {origin} {NOT_A_SETTING}{suggestion}"


def check_nested_setting(key: str, parameter: str, hint: object, readers: "Readers") -> str:
    """Return what is wrong with the keys of a table that a plugin reads; empty if nothing is.

    ``parameter`` is the rest of the key, from the plugin's parameter or shared setting on.
    """
    setting = readers.config.settings[key]
    _, *below = keys_of(parameter, setting)
    value = reduce(lambda inner, name: {name: inner}, reversed(below), setting.value)
    unknown = find_unknown_keys(hint, value, key.removesuffix(".".join(("", *below))))
    if not unknown:
        return ""
    path, known = unknown[0]
    suggestion = suggest(path.rpartition(".")[2], known, around=(path.rpartition(".")[0] + ".", ""))
    return f"{path} in {setting.origin} {NOT_A_SETTING}{suggestion}"


def check_common_setting(key: str, origin: str, readers: "Readers") -> str:
    """Return what is wrong with a setting in a common table; empty if nothing is."""
    table, _, word = key.partition(".")
    if table == "evaluation" and word.partition(".")[0] in readers.of_evaluators:
        return ""
    if key in readers.shared_elsewhere:
        return f"{key} in {origin} has no effect: no plugin in use reads it."
    tables = {
        one.partition(".")[0] for one in (*READ_HERE, *readers.shared_settings, plugin_keys.PREFER.table)
    } | readers.kinds
    if word and table not in tables:
        near = suggest(table, tables, around=("[", "]"))
        return f"[{table}] in {origin} is not a table of settings, so it has no effect.{near}"
    known = READ_HERE | readers.shared_settings.keys()
    return f"{key} in {origin} {NOT_A_SETTING}{suggest_key(key, known, cutoff=MIN_SIMILARITY)}"


def find_misspelt_variables(environment: Mapping[str, str]) -> Iterator[str]:
    """Warn about variables that look like OpenKoi's or like a setting; others may belong to another program."""
    known = {variable.removeprefix(PREFIX) for variable in VARIABLES}
    settings = {name.upper().replace(".", "_"): name for name in READ_HERE}
    for variable, value in environment.items():
        word = variable.removeprefix(PREFIX)
        if not value or not variable.startswith(PREFIX) or word in known:
            continue
        near = suggest(word, known, around=(f"${PREFIX}", ""), cutoff=MIN_SIMILARITY)
        if suggestion := suggest_variable(settings[word]) if word in settings else near:
            yield f"${variable} is not read, so it has no effect.{suggestion}"


def suggest_variable(setting: str) -> str:
    """Suggest how to set the setting that a variable is named after."""
    flag = keys.BY_NAME[setting].flag
    return f" Did you mean ${variable_of(flag)}?" if flag else f" Set {setting} in the config file."


@dataclass(frozen=True)
class Readers:
    """The settings that plugins read, looked up when needed."""

    config: Config
    plugins: Plugins

    @cached_property
    def kinds(self) -> set[str]:
        """The available kinds of plugins."""
        return {*REQUIRED_METHODS, *self.plugins.provided, *(one.kind for one in self.plugins.found)}

    def names(self, kind: str) -> list[str]:
        """Return the installed plugins of a kind, including disabled ones."""
        return [entry.name for entry in self.plugins.candidates(kind)]

    def parameters(self, kind: str, name: str) -> Mapping[str, object] | None:
        """Return a plugin's settings; None if they cannot be determined."""
        found = next((one for one in self.importable if (one.kind, one.name) == (kind, name)), None)
        return parameters_of(found) if found and name not in self.plugins.provided.get(kind, {}) else None

    @cached_property
    def importable(self) -> list[Found]:
        """The installed plugins that this process may import: not those that run in a separate process."""
        own = plugin_keys.SUBPROCESS
        return [one for one in self.plugins.found if not self.config[own.at(one.kind, one.name)]]

    @cached_property
    def of_evaluators(self) -> set[str]:
        """The settings of all evaluators in use."""
        found = [one for one in self.importable if one.kind == "evaluators" and self.is_used(one)]
        return {name for one in found for name in parameters_of(one) or ()}

    @cached_property
    def shared_settings(self) -> Mapping[str, object]:
        """The common settings and tables that plugins in use read, with their types."""
        return {key: hint for one in self.importable if self.is_used(one) for key, hint in shared_by(one).items()}

    @cached_property
    def shared_elsewhere(self) -> set[str]:
        """The common settings that other plugins would read if they were chosen."""
        others = (one for one in self.importable if one.kind in keys.SELECTORS and not self.is_used(one))
        return {key for one in others for key in shared_by(one)}

    def is_used(self, one: Found) -> bool:
        """Whether a plugin is used in runs with this configuration."""
        if selector := keys.SELECTORS.get(one.kind):
            return bool(one.name == self.config[selector])
        return (
            one.kind in ("hooks", "evaluators", "sources") and self.config[plugin_keys.ENABLED.at(one.kind, one.name)]
        )


def parameters_of(found: Found) -> Mapping[str, object] | None:
    """Return the parameters of a plugin's constructor with their type hints; None if they cannot be determined."""
    try:
        target = resolve(found.target)
        if not is_constructor(target, found.kind):
            return {}
        hints = get_type_hints(init_of(target), include_extras=True)
        return {name: hints.get(name) for name in inspect.signature(target).parameters}
    except BaseException as error:  # a plugin's import may raise anything; loading it names it
        if must_end(error):
            raise
        return None


def shared_by(found: Found) -> Mapping[str, object]:
    """Return the common settings that a plugin's constructor reads, with their types."""
    hints = (parameters_of(found) or {}).values()
    return {mark.key: hint for hint in hints for mark in get_args(hint)[1:] if isinstance(mark, SharedSetting)}
