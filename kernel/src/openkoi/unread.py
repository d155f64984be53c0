"""Settings that nothing reads, most of them slips: each is named with the reason and with what was probably meant.

Only what is set is looked at, and a plugin's constructor is read only where its table is there, so that a usual
configuration costs no import.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from types import ModuleType
from typing import get_args, get_type_hints

from openkoi_hookspecs import Shared
from openkoi_models import FACTS

from .caging import KEY as SANDBOX_MINIMUM
from .config import CASSETTE, DAY, FLAGS, LIMITS, TOOL_LOOP, Config
from .construct import init_of
from .deadline import within
from .plugins import LOADING, Plugins
from .registry import Found, resolve
from .roles import ROLES
from .sockets import METHODS, USED

KEYS = frozenset(
    {
        *FLAGS.values(),
        *(key for key, _ in LIMITS.values()),
        *DAY,
        *TOOL_LOOP.values(),
        SANDBOX_MINIMUM,
        *("models.small", "models.unknown_price", *(f"models.fallback.{role}" for role in ROLES)),
        *("safety.abort_on_regression", "approvals.wait_seconds"),
        *("evaluation.order", "evaluation.require", "hooks.order", "hooks.deadline_seconds"),
        *("use.compactor", *(f"use.{key}" for key in USED.values())),
        *("memory.compaction", "memory.max_storage_mb"),
    }
)
KNOWN, PREFERRED = "models.known.", "plugins.prefer."
PROMISED = ("patterns", "integrations", "mcp", "plugins.wasm", "plugins.scripts", "plugins.mcp")
VARIABLES = frozenset(
    {"HOME", "CONFIG", "DATA", "LOG_LEVEL", "VERBOSE", "FORMAT", "CASSETTE"}
    | {name.upper() for name in (*FLAGS, *CASSETTE)}
)
PREFIX, ALIKE = "OPENKOI_", 0.8
TOOTHLESS = "is not a setting, so it has no effect."


def find_unread(config: Config, plugins: Plugins) -> list[str]:
    """Say of each setting that nothing reads why; a table without effect is named once."""
    readers = Readers(config, plugins)
    said = [text for key, setting in config.settings.items() if (text := complaint(key, setting.origin, readers))]
    return list(dict.fromkeys([*said, *misspelt(config.environment)]))


def complaint(key: str, origin: str, readers: "Readers") -> str:
    """Why a setting has no effect; empty when it has one."""
    table, _, rest = key.partition(".")
    if key in KEYS or key.startswith(PREFERRED):
        return ""
    if key.startswith(KNOWN):
        return of_model(key, origin)
    name, _, parameter = rest.partition(".")
    if parameter and table in readers.kinds:
        return of_plugin((table, name, parameter), origin, readers)
    if promised := next((one for one in PROMISED if f"{key}.".startswith(f"{one}.")), ""):
        place = f"[{table}.{name}]" if parameter else promised if "." in promised else f"[{table}]"
        return f"{place} in {origin} has no effect: nothing reads it in this version."
    return of_kernel(key, origin, readers)


def of_model(key: str, origin: str) -> str:
    """What is wrong with a fact about a model."""
    model, _, fact = key.rpartition(".")
    if fact in FACTS:
        return ""
    return f"{key} in {origin} {TOOTHLESS}{hint(fact, FACTS, around=(f'{model}.', ''))}"


def of_plugin(place: tuple[str, str, str], origin: str, readers: "Readers") -> str:
    """What is wrong with a setting in a plugin's own table."""
    kind, name, parameter = place
    if name not in readers.names(kind):
        meant = hint(name, readers.names(kind), around=(f"[{kind}.", "]"))
        one = "sandbox" if kind == "sandboxes" else kind.removesuffix("s")
        return f"[{kind}.{name}] in {origin} has no effect: no {one} named {name} is installed.{meant}"
    word = parameter.partition(".")[0]
    known = {} if word == "enabled" else readers.parameters(kind, name)
    if known is None or word in (*known, "enabled"):
        return ""
    meant = hint(word, [*known, "enabled"], around=(f"{kind}.{name}.", ""))
    return f"{kind}.{name}.{parameter} in {origin} {TOOTHLESS}{meant}"


def of_kernel(key: str, origin: str, readers: "Readers") -> str:
    """What is wrong with a setting of a common table."""
    table, _, word = key.partition(".")
    if key in readers.shared or (table == "evaluation" and word.partition(".")[0] in readers.of_evaluators):
        return ""
    if key in readers.shared_elsewhere:
        return f"{key} in {origin} has no effect: no plugin in use reads it."
    tables = {one.partition(".")[0] for one in (*KEYS, *readers.shared, "plugins.prefer")} | readers.kinds
    if word and table not in tables:
        near = hint(table, tables, around=("[", "]"))
        return f"[{table}] in {origin} is not a table of settings, so it has no effect.{near}"
    return f"{key} in {origin} {TOOTHLESS}{hint(key, KEYS | readers.shared, cutoff=ALIKE)}"


def misspelt(environment: Mapping[str, str]) -> Iterator[str]:
    """Name variables that differ from one of ours by a slip; others that begin alike may be somebody else's."""
    for variable, value in environment.items():
        word = variable.removeprefix(PREFIX)
        ours = value and variable.startswith(PREFIX) and word not in VARIABLES
        if ours and (meant := hint(word, VARIABLES, around=(f"${PREFIX}", ""), cutoff=ALIKE)):
            yield f"${variable} is not read, so it has no effect.{meant}"


def hint(word: str, known: Iterable[str], *, around: tuple[str, str] = ("", ""), cutoff: float = 0.6) -> str:
    """What was probably meant, with what stands before and behind it; whole keys are alike and need a higher cutoff."""
    before, behind = around
    near = get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f" Did you mean {before}{near[0]}{behind}?" if near else ""


@dataclass(frozen=True)
class Readers:
    """What plugins can be told, looked up when it is asked for."""

    config: Config
    plugins: Plugins

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of plugins there are."""
        return {*METHODS, *self.plugins.provided, *(one.kind for one in self.plugins.found)}

    def names(self, kind: str) -> list[str]:
        """The plugins of a kind that are installed, those that are switched off included."""
        return [entry.name for entry in self.plugins.claims(kind)]

    def parameters(self, kind: str, name: str) -> Mapping[str, object] | None:
        """What a plugin's constructor can be told; None when that cannot be known."""
        found = next((one for one in self.plugins.found if (one.kind, one.name) == (kind, name)), None)
        return parameters_of(found) if found and name not in self.plugins.provided.get(kind, {}) else None

    @cached_property
    def of_evaluators(self) -> set[str]:
        """What the evaluators in use can be told, all of them in one table."""
        found = [one for one in self.plugins.found if one.kind == "evaluators" and self.used(one)]
        return {name for one in found for name in parameters_of(one) or ()}

    @cached_property
    def shared(self) -> set[str]:
        """The common settings that plugins in use go by."""
        return {key for one in self.plugins.found if self.used(one) for key in shared_by(one)}

    @cached_property
    def shared_elsewhere(self) -> set[str]:
        """The common settings that other plugins would go by, if they were chosen."""
        others = (one for one in self.plugins.found if one.kind in USED and not self.used(one))
        return {key for one in others for key in shared_by(one)}

    def used(self, one: Found) -> bool:
        """Whether a plugin takes part in runs as they are configured."""
        if one.kind in USED:
            return one.name == self.config.get(f"use.{USED[one.kind]}", str, "")
        return one.kind in ("hooks", "evaluators") and self.config.get(f"{one.kind}.{one.name}.enabled", bool, True)


def parameters_of(found: Found) -> Mapping[str, object] | None:
    """What a plugin's constructor can be told, by name with its hint; None when that cannot be known."""
    try:
        with within(LOADING):
            target = resolve(found.target)
            if isinstance(target, ModuleType) or found.kind == "commands" or not callable(target):
                return {}
            hints = get_type_hints(init_of(target), include_extras=True)
            return {name: hints.get(name) for name in inspect.signature(target).parameters}
    except KeyboardInterrupt:
        raise
    except BaseException:  # a plugin's import may raise anything, and never return; it is named where it is loaded
        return None


def shared_by(found: Found) -> set[str]:
    """The common settings that a plugin's constructor goes by."""
    hints = (parameters_of(found) or {}).values()
    return {mark.key for hint in hints for mark in get_args(hint)[1:] if isinstance(mark, Shared)}
