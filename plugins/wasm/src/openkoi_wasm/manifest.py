"""Read the manifest of a plugin, ``plugin.toml``: what it is, what it brings, and what it asks for.

Every run reads manifests: nothing heavy is imported here.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from openkoi_base.files import read_small_text
from openkoi_base.grants import Capabilities, read_capabilities
from openkoi_hookspecs import ConfigError, Effect
from openkoi_hookspecs.lazy_dataclass import dataclass

from .limits import MAX_MEMORY_MIB, MAX_MODULE_BYTES, MAX_SECONDS, MIB, CallLimits

TABLES = ("plugin", "capabilities", "limits", "tools", "evaluator", "hooks", "provider")
PLUGIN_KEYS = ("name", "version", "description", "module", "abi")
TOOL_KEYS = ("name", "description", "effect", "parameters", "deferred")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
TOOL_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,39}")
EFFECTS = {"reads": Effect.READS, "writes": Effect.WRITES, "irreversible": Effect.IRREVERSIBLE}
NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """A tool that a plugin brings, as models are offered it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    effect: Effect
    deferred: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """A plugin as its manifest describes it. ``document`` is all of it, for the hash that consent is bound to."""

    file: Path
    name: str
    version: str
    description: str
    module: Path
    abi: str
    capabilities: Capabilities
    limits: CallLimits
    tools: tuple[ToolDeclaration, ...]
    hooks: tuple[str, ...]
    evaluator: Mapping[str, Any] | None
    provider: Mapping[str, Any] | None
    document: Mapping[str, Any]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of plugins that it brings."""
        brought = {
            "tools": self.tools,
            "hooks": self.hooks,
            "evaluators": self.evaluator is not None,
            "providers": self.provider is not None,
        }
        return tuple(kind for kind, has in brought.items() if has)

    @property
    def brings(self) -> tuple[str, ...]:
        """What it brings, as the user is asked about it."""
        tools, hooks = ", ".join(one.name for one in self.tools), ", ".join(self.hooks)
        judge = "judge" if (self.evaluator or {}).get("judges") else "evaluator"
        return tuple(
            text
            for text, has in (
                (f"tools {tools}", self.tools),
                (f"hooks {hooks}", self.hooks),
                (judge, self.evaluator is not None),
                ("provider of models", self.provider is not None),
            )
            if has
        )

    def read_module(self) -> bytes:
        """Return the module; raise ConfigError for one that cannot be read."""
        try:
            size = self.module.stat().st_size
            if size > MAX_MODULE_BYTES or not self.module.is_file():
                raise ConfigError(f"{self.module} is not a file of at most {MAX_MODULE_BYTES // MIB} MiB.")
            return self.module.read_bytes()
        except OSError as error:
            raise ConfigError(f"{self.module} cannot be read: {error.strerror}. {self.file} names it.") from None

    def digest(self, wasm: bytes) -> str:
        """Return what consent is bound to: the module and all of its manifest."""
        seen = ["openkoi-wasm", sha256(wasm).hexdigest(), self.document]
        return sha256(dumps(seen, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()


def read_manifest(file: Path) -> Manifest:
    """Return a manifest; raise ConfigError, which names the file and what is wrong with it."""
    try:
        document = tomllib.loads(read_small_text(file))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{file} cannot be read: {reason}.") from None
    try:
        return parse_manifest(document, file)
    except ManifestError as error:
        raise ConfigError(f"{file}: {error}") from None


class ManifestError(ValueError):
    """What is wrong with a manifest."""


def parse_manifest(document: Mapping[str, Any], file: Path) -> Manifest:
    """Return what a document says; raise ManifestError, or ConfigError for its capabilities."""
    refuse_unknown(document, TABLES, "the manifest")
    refuse_invisible(document)
    plugin = table_of(document, "plugin")
    refuse_unknown(plugin, PLUGIN_KEYS, "[plugin]")
    name = text_of(plugin, "name")
    if not NAME.fullmatch(name):
        raise ManifestError(f"{name!r} is not a plugin name. Use lower-case words joined by hyphens: my-tool.")
    module = text_of(plugin, "module", f"{name}.wasm")
    if Path(module).name != module:
        raise ManifestError(f"module = {module!r} has to be the name of a file beside the manifest.")
    abi = text_of(plugin, "abi", "core")
    if abi not in ("core", "component"):
        raise ManifestError(f'abi = {abi!r} is not known. Use "core" or "component".')
    found = Manifest(
        file,
        name,
        text_of(plugin, "version", "0"),
        text_of(plugin, "description", ""),
        file.with_name(module),
        abi,
        read_capabilities(table_of(document, "capabilities"), file),
        read_limits(table_of(document, "limits")),
        tuple(map(read_tool, tables_of(document, "tools"))),
        read_hooks(table_of(document, "hooks")),
        optional_table(document, "evaluator", ("judges",)),
        optional_table(document, "provider", ("models",)),
        document,
    )
    if not found.kinds:
        raise ManifestError("it brings nothing. Add [[tools]], [hooks], [evaluator] or [provider].")
    return found


def read_limits(table: Mapping[str, Any]) -> CallLimits:
    """Return the limits of a call."""
    refuse_unknown(table, ("seconds", "memory_mib"), "[limits]")
    seconds = number_of(table, "seconds", CallLimits().seconds, MAX_SECONDS)
    memory = number_of(table, "memory_mib", MAX_MEMORY_MIB, MAX_MEMORY_MIB)
    return CallLimits(seconds=seconds, memory=round(memory * MIB))


def read_tool(table: Mapping[str, Any]) -> ToolDeclaration:
    """Return a tool."""
    refuse_unknown(table, TOOL_KEYS, "[[tools]]")
    name, effect = text_of(table, "name"), text_of(table, "effect", "writes")
    if not TOOL_NAME.fullmatch(name):
        raise ManifestError(f"{name!r} is not the name of a tool. Use letters, digits and underscores.")
    if effect not in EFFECTS:
        raise ManifestError(f"effect = {effect!r} of the tool {name} is not known. Use {', '.join(EFFECTS)}.")
    parameters = table.get("parameters", NO_PARAMETERS)
    if not isinstance(parameters, Mapping) or parameters.get("type", "object") != "object":
        raise ManifestError(f"parameters of the tool {name} have to be a JSON Schema of the type object.")
    schema = {"properties": {}, **parameters, "type": "object"}
    return ToolDeclaration(name, text_of(table, "description"), schema, EFFECTS[effect], table.get("deferred") is True)


def read_hooks(table: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the hooks that a plugin implements."""
    refuse_unknown(table, ("names",), "[hooks]")
    names = table.get("names", [])
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise ManifestError("names in [hooks] has to be a list of names of hooks.")
    return tuple(dict.fromkeys(names))


def optional_table(document: Mapping[str, Any], key: str, known: Sequence[str]) -> Mapping[str, Any] | None:
    """Return a table that a manifest may have."""
    if key not in document:
        return None
    table = table_of(document, key)
    refuse_unknown(table, known, f"[{key}]")
    return table


def table_of(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = document.get(key, {})
    if not isinstance(found, Mapping):
        raise ManifestError(f"{key} has to be a table: [{key}].")
    return found


def tables_of(document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = document.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise ManifestError(f"{key} has to be a list of tables: [[{key}]].")
    return found


def text_of(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return a text; raise ManifestError if it is missing and has no default."""
    found = table.get(key, default)
    if not isinstance(found, str) or (default is None and not found):
        raise ManifestError(f"{key} is missing, or is not a text.")
    return found


def number_of(table: Mapping[str, Any], key: str, default: float, most: float) -> float:
    found = table.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found <= most:
        raise ManifestError(f"{key} in [limits] has to be a number above 0 and up to {most:g}.")
    return found


def refuse_unknown(table: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    """Raise ManifestError for a key that nothing reads."""
    if unknown := sorted(table.keys() - {*known}):
        raise ManifestError(f"{place} has the unknown key {unknown[0]!r}. Use {', '.join(known)}.")


def refuse_invisible(document: Mapping[str, Any]) -> None:
    """Raise ManifestError for characters that a model would read and the user who is asked would not see."""
    for text in texts_in(document):
        if hidden := [one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Co") and one not in "\n\t"]:
            raise ManifestError(f"it contains the invisible character U+{ord(hidden[0]):04X}. Remove it.")


def texts_in(value: object) -> Iterator[str]:
    """Yield every text of a document, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for one in pair for text in texts_in(one))
    elif isinstance(value, list):
        yield from (text for one in value for text in texts_in(one))
