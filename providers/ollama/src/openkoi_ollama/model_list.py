"""Parse the installed models, their limits and capabilities."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from openkoi_hookspecs import Json, Model, Price
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import Server, parse_count

FREE = Price(0.0, 0.0)
CAN = {"tools": "tools", "images": "vision", "thinking": "thinking", "schema": ""}
NUM_CTX_PARAMETER = lazy_pattern(r"^num_ctx\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OllamaDefaults:
    """Limits to assume when the server lists none; ``window`` is a fixed context window, or 0."""

    context: int
    output: int
    window: int = 0


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model as the server describes it; ``own`` is the context window set in its Modelfile, or 0."""

    model: Model
    default_window: int = 0
    capabilities: frozenset[str] = frozenset()

    @property
    def can_chat(self) -> bool:
        """Whether the model generates text; assume so when the server lists no capabilities."""
        return not self.capabilities or "completion" in self.capabilities

    @property
    def can_think(self) -> bool:
        """Whether the model supports thinking."""
        return "thinking" in self.capabilities


def with_tag(name: str) -> str:
    """Return a model name with its tag, by default ``latest``."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def parse_names(listing: Json, server: Server) -> list[str]:
    """Parse the list of models; raise ProviderUnavailableError when it is not one."""
    entries = listing.get("models") if isinstance(listing, dict) else None
    if not isinstance(entries, list):
        raise server.unavailable("did not return a list of models from /api/tags.")
    names = (model_name(entry) for entry in entries if isinstance(entry, dict))
    return list(dict.fromkeys(name for name in names if name))


def model_name(entry: Mapping[str, Json]) -> str:
    """Return the name of a listed model, or an empty string."""
    names = (entry.get(key) for key in ("model", "name"))
    return next((name for name in names if isinstance(name, str) and name), "")


def parse_installed(name: str, answer: Json, defaults: OllamaDefaults) -> InstalledModel:
    """Parse the server's description of a model, any part of which may be missing."""
    description = answer if isinstance(answer, dict) else {}
    info, abilities = description.get("model_info"), description.get("capabilities")
    known = [able for able in abilities if isinstance(able, str)] if isinstance(abilities, list) else []
    return InstalledModel(
        replace(
            make_model(name, parse_context_length(info if isinstance(info, dict) else {}), defaults),
            can=map_abilities(known),
        ),
        defaults.window or parse_num_ctx(description.get("parameters")),
        frozenset(known),
    )


def map_abilities(abilities: Collection[str]) -> tuple[str, ...]:
    """Return a model's capabilities by the contract's names; every model supports a schema."""
    return tuple(word for word, able in CAN.items() if able in abilities or not able) if abilities else ()


def make_model(name: str, context: int, defaults: OllamaDefaults) -> Model:
    """Return a model within the default limits."""
    context = context or defaults.context
    context = min(context, defaults.window or context)
    return Model(name, context=context, output=min(defaults.output, max_answer_tokens(context)), price=FREE)


def max_answer_tokens(context: int) -> int:
    """Return half of the context window, so that the prompt fits as well."""
    return max(1, context // 2)


def parse_context_length(info: Mapping[str, Json]) -> int:
    """Return the context length, which is listed under the architecture's name, or 0."""
    own = info.get(f"{info.get('general.architecture')}.context_length")
    others = (value for key, value in info.items() if key.endswith(".context_length"))
    return next((found for value in (own, *others) if (found := parse_count(value))), 0)


def parse_num_ctx(parameters: Json) -> int:
    """Return the context window set in the Modelfile, or 0."""
    found = NUM_CTX_PARAMETER.search(parameters) if isinstance(parameters, str) else None
    return int(found.group(1)) if found else 0


def parse_version(answer: Json) -> str:
    """Return the server's version."""
    version = answer.get("version") if isinstance(answer, dict) else None
    return version if isinstance(version, str) and version else "unknown"
