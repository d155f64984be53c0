"""Read a server's list of models, which says little. Knows how different servers say how much a model can read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Json, Model
from openkoi_wire import Server, reported

CONTEXT = ("context_length", "context_window", "max_model_len", "max_context_length")
OUTPUT = ("max_completion_tokens", "max_output_tokens")


@dataclass(frozen=True, slots=True)
class Defaults:
    """What is taken for granted of a model when the server does not say."""

    context: int
    output: int


def models_of(listing: Json, defaults: Defaults, server: Server) -> Sequence[Model]:
    """Read the list; raises Unavailable when it is none."""
    found = listing.get("data") if isinstance(listing, dict) else None
    if isinstance(found, list):
        entries = [entry for entry in found if isinstance(entry, dict)]
        return [model_of(name, entry, defaults) for entry in entries if (name := name_of(entry))]
    if isinstance(listing, dict) and listing.get("error"):
        raise reported(server, listing)
    raise server.unavailable("answered /models with something that is not a list of models.")


def name_of(entry: Mapping[str, Json]) -> str:
    """Return the name a model is asked by, or nothing."""
    name = entry.get("id")
    return name if isinstance(name, str) else ""


def model_of(name: str, entry: Mapping[str, Json], defaults: Defaults) -> Model:
    """Describe a model; no answer is longer than what it can hold."""
    context = said(entry, CONTEXT) or defaults.context
    output = said(entry, OUTPUT) or defaults.output
    return Model(name, context=context, output=min(output, context))


def said(entry: Mapping[str, Json], keys: Sequence[str]) -> int:
    """Return the first of these numbers that makes sense, or 0."""
    values = (entry.get(key) for key in keys)
    return next((value for value in values if type(value) is int and value > 0), 0)
