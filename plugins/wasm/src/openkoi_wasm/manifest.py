"""Read the manifest of a plugin, ``plugin.toml``: what it is, what it brings, and what it asks for.

Every run reads manifests: nothing heavy is imported here.
"""

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from openkoi_base.files import read_small_text
from openkoi_base.grants import Capabilities, read_capabilities
from openkoi_hookspecs import ConfigError, Effect, Model, Price
from openkoi_hookspecs.lazy_dataclass import dataclass

from .limits import MAX_MEMORY_MIB, MAX_MODULE_BYTES, MAX_SECONDS, MIB, CallLimits
from .manifest_values import (
    ManifestError,
    flag_of,
    line_of,
    number_of,
    optional_table,
    refuse_invisible,
    refuse_unknown,
    table_of,
    tables_of,
    text_of,
    texts_of,
)

TABLES = ("plugin", "capabilities", "limits", "tools", "evaluator", "hooks", "provider")
PLUGIN_KEYS = ("name", "version", "description", "module", "abi")
TOOL_KEYS = ("name", "description", "effect", "parameters", "deferred")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
TOOL_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,39}")
EFFECTS = {"reads": Effect.READS, "writes": Effect.WRITES, "irreversible": Effect.IRREVERSIBLE}
SIZES = {"context": 32_000, "output": 4_000}  # tokens
NOT_BUILT = "{0} does not exist. Build it, or name another file as `module` in {1}."
NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """A tool of a plugin, as it is offered to models."""

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
    models: tuple[Model, ...]
    granted_tools: tuple[str, ...]
    document: Mapping[str, Any]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of plugins that it contains."""
        brought = {
            "tools": self.tools,
            "hooks": self.hooks,
            "evaluators": self.evaluator is not None,
            "providers": self.models,
        }
        return tuple(kind for kind, has in brought.items() if has)

    def full_name(self, tool: str) -> str:
        """Return the name by which models call a tool: that of the plugin, two underscores, its own."""
        return f"{self.name.replace('-', '_')}__{tool}"

    @property
    def brings(self) -> tuple[str, ...]:
        """Its contents, in the words of the question to the user."""
        tools, hooks = ", ".join(self.full_name(one.name) for one in self.tools), ", ".join(self.hooks)
        models = ", ".join(one.name for one in self.models)
        judge = "judge" if (self.evaluator or {}).get("judges") else "evaluator"
        return tuple(
            text
            for text, has in (
                (f"tools {tools}", self.tools),
                (f"hooks {hooks}", self.hooks),
                (judge, self.evaluator is not None),
                (f"models {models}", self.models),
            )
            if has
        )

    @property
    def wants(self) -> tuple[str, ...]:
        """The capabilities it asks for, in the words of the question to the user."""
        return (*self.capabilities.texts, *(f"call the tool {one}" for one in self.granted_tools))

    def read_module(self) -> bytes:
        """Return the module; raise ConfigError for one that cannot be read."""
        try:
            size = self.module.stat().st_size
            if size > MAX_MODULE_BYTES or not self.module.is_file():
                raise ConfigError(f"{self.module} is not a file, or is larger than {MAX_MODULE_BYTES // MIB} MiB.")
            return self.module.read_bytes()
        except FileNotFoundError:
            raise ConfigError(NOT_BUILT.format(self.module, self.file)) from None
        except OSError as error:
            raise ConfigError(f"{self.module} cannot be read: {error.strerror}.") from None

    def digest(self, wasm: bytes) -> str:
        """Return a digest of the module and its whole manifest, which consent is bound to."""
        seen = ["openkoi-wasm", sha256(wasm).hexdigest(), self.document]
        return sha256(dumps(seen, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()


def read_manifest(file: Path) -> Manifest:
    """Return a manifest; raise ConfigError, which names the file and what is wrong with it."""
    try:
        document = tomllib.loads(read_small_text(file))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{file} cannot be read: {reason}.") from None
    try:
        return parse_manifest(document, file)
    except ManifestError as error:
        raise ConfigError(f"{file}: {error}") from None


def parse_manifest(document: Mapping[str, Any], file: Path) -> Manifest:
    """Parse a manifest document; raise ManifestError, or ConfigError for its capabilities."""
    refuse_unknown(document, TABLES, "the manifest")
    refuse_invisible(document)
    plugin = table_of(document, "plugin")
    refuse_unknown(plugin, PLUGIN_KEYS, "[plugin]")
    name = text_of(plugin, "name")
    if not NAME.fullmatch(name):
        raise ManifestError(f"{name!r} is not a plugin name. Use lower-case words joined by hyphens: my-tool.")
    module = line_of(plugin, "module", f"{name}.wasm")
    if Path(module).name != module:
        raise ManifestError(f"module = {module!r} must be the name of a file next to the manifest.")
    abi = text_of(plugin, "abi", "core")
    if abi not in ("core", "component"):
        raise ManifestError(f'abi = {abi!r} is unknown. Use "core" or "component".')
    asked = dict(table_of(document, "capabilities"))
    granted_tools = texts_of(asked, "tools")
    asked.pop("tools", None)
    found = Manifest(
        file,
        name,
        line_of(plugin, "version", "0"),
        text_of(plugin, "description", ""),
        file.with_name(module),
        abi,
        read_capabilities(asked, file),
        read_limits(table_of(document, "limits")),
        tuple(map(read_tool, tables_of(document, "tools"))),
        read_hooks(table_of(document, "hooks")),
        read_evaluator(document),
        read_models(optional_table(document, "provider", ("models",)) or {}),
        granted_tools,
        document,
    )
    if not found.kinds:
        raise ManifestError("it provides nothing. Add [[tools]], [hooks], [evaluator] or [[provider.models]].")
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
        raise ManifestError(f"effect = {effect!r} of the tool {name} is unknown. Use {', '.join(EFFECTS)}.")
    parameters = table.get("parameters", NO_PARAMETERS)
    if not isinstance(parameters, Mapping) or parameters.get("type", "object") != "object":
        raise ManifestError(f'parameters of the tool {name} must be a JSON Schema of type "object".')
    schema = {"properties": {}, **parameters, "type": "object"}
    return ToolDeclaration(name, text_of(table, "description"), schema, EFFECTS[effect], flag_of(table, "deferred"))


def read_hooks(table: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the hooks that a plugin implements."""
    from openkoi_hookspecs import hooks

    refuse_unknown(table, ("names",), "[hooks]")
    names = texts_of(table, "names")
    if unknown := [one for one in names if not hasattr(getattr(hooks, one, None), "openkoi_spec")]:
        near = "".join(f" Did you mean {one}?" for one in get_close_matches(unknown[0], vars(hooks), 1))
        raise ManifestError(f"{unknown[0]!r} in [hooks] is not the name of a hook.{near}")
    return tuple(dict.fromkeys(names))


def read_evaluator(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the table of the evaluator, if a plugin brings one."""
    found = optional_table(document, "evaluator", ("judges",))
    return None if found is None else {"judges": flag_of(found, "judges")}


def read_models(table: Mapping[str, Any]) -> tuple[Model, ...]:
    """Return the models that a plugin provides."""
    return tuple(map(read_model, tables_of(table, "models")))


def read_model(table: Mapping[str, Any]) -> Model:
    """Return a model; one that a plugin computes costs nothing."""
    refuse_unknown(table, ("name", "context", "output"), "[[provider.models]]")
    context, output = (number_of(table, key, default, 10_000_000) for key, default in SIZES.items())
    return Model(line_of(table, "name"), context=round(context), output=round(output), price=Price(0.0, 0.0))
