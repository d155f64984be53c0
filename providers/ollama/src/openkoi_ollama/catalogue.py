"""Read which models are installed, and what each can hold and do. Knows Ollama's lists; asks nothing."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from openkoi_hookspecs import Json, Model, Price
from openkoi_wire import Server, count

FREE = Price(0.0, 0.0)
CAN = {"tools": "tools", "images": "vision", "thinking": "thinking", "schema": ""}
OWN_WINDOW = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where the server does not say; ``window`` is the fixed one, or 0."""

    context: int
    output: int
    window: int = 0


@dataclass(frozen=True, slots=True)
class Installed:
    """A model as the server describes it. ``own`` is the window it was made with, or 0."""

    model: Model
    own: int = 0
    abilities: frozenset[str] = frozenset()

    @property
    def chats(self) -> bool:
        """Whether it can be talked to: some only embed. A server too old to say is believed to have none of those."""
        return not self.abilities or "completion" in self.abilities

    @property
    def thinks(self) -> bool:
        """Whether it may be asked to think."""
        return "thinking" in self.abilities


def full(name: str) -> str:
    """Return the name under which a model is listed: one without a tag is the latest."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def names_of(listing: Json, server: Server) -> list[str]:
    """Read the list of models; raises ProviderUnavailableError when it is none."""
    entries = listing.get("models") if isinstance(listing, dict) else None
    if not isinstance(entries, list):
        raise server.unavailable("answered /api/tags with something that is not a list of models.")
    names = (name_in(entry) for entry in entries if isinstance(entry, dict))
    return list(dict.fromkeys(name for name in names if name))


def name_in(entry: Mapping[str, Json]) -> str:
    """Return the name a model is asked by, or nothing."""
    names = (entry.get(key) for key in ("model", "name"))
    return next((name for name in names if isinstance(name, str) and name), "")


def installed(name: str, answer: Json, defaults: Defaults) -> Installed:
    """Read what the server says of a model, of which anything may be missing."""
    said = answer if isinstance(answer, dict) else {}
    info, abilities = said.get("model_info"), said.get("capabilities")
    known = [able for able in abilities if isinstance(able, str)] if isinstance(abilities, list) else []
    return Installed(
        replace(model_of(name, context_in(info if isinstance(info, dict) else {}), defaults), can=can(known)),
        defaults.window or window_in(said.get("parameters")),
        frozenset(known),
    )


def can(abilities: Collection[str]) -> tuple[str, ...]:
    """Return what a model can do in the contract's words; any can be held to a schema."""
    return tuple(word for word, able in CAN.items() if able in abilities or not able) if abilities else ()


def model_of(name: str, context: int, defaults: Defaults) -> Model:
    """Describe a model."""
    context = context or defaults.context
    context = min(context, defaults.window or context)
    return Model(name, context=context, output=min(defaults.output, longest_answer(context)), price=FREE)


def longest_answer(context: int) -> int:
    """No more than half of what a model can hold is for its answer, so that it can read as well."""
    return max(1, context // 2)


def context_in(info: Mapping[str, Json]) -> int:
    """Find how much a model can hold, under the name of its architecture; 0 when it is not said."""
    own = info.get(f"{info.get('general.architecture')}.context_length")
    others = (value for key, value in info.items() if key.endswith(".context_length"))
    return next((found for value in (own, *others) if (found := count(value))), 0)


def window_in(parameters: Json) -> int:
    """Find the window that a model was made with; 0 when there is none."""
    found = OWN_WINDOW.search(parameters) if isinstance(parameters, str) else None
    return int(found.group(1)) if found else 0


def version_in(answer: Json) -> str:
    """Read which version the server is."""
    version = answer.get("version") if isinstance(answer, dict) else None
    return version if isinstance(version, str) and version else "unknown"
