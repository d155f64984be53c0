"""Read the vendor's list of models, a page at a time, with what each can hold where the list tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from openkoi_hookspecs import Json, Model
from openkoi_wire import Server, count

from .refusals import complaint

FIRST = "/v1/models?limit=1000"


@dataclass(frozen=True, slots=True)
class Defaults:
    """What is taken for granted of a model when the list does not say."""

    context: int
    output: int


@dataclass(frozen=True, slots=True)
class Page:
    """Some models, and where to read on: nowhere after the last page."""

    models: Sequence[Model]
    next: str = ""


def page_of(listing: Json, defaults: Defaults, server: Server) -> Page:
    """Read a page; raises ProviderUnavailableError when it is none."""
    found = listing.get("data") if isinstance(listing, dict) else None
    if isinstance(listing, dict) and isinstance(found, list):
        models = [model_of(entry, defaults) for entry in found if isinstance(entry, dict)]
        return Page([model for model in models if model.name], following(listing))
    if isinstance(listing, dict) and listing.get("error"):
        raise complaint(server, listing)
    raise server.unavailable("answered /v1/models with something that is not a list of models.")


def following(listing: Mapping[str, Json]) -> str:
    """Say where the next page is."""
    last = listing.get("last_id")
    return f"{FIRST}&after_id={quote(last, safe='')}" if listing.get("has_more") and isinstance(last, str) else ""


def model_of(entry: Mapping[str, Json], defaults: Defaults) -> Model:
    """Describe a model; no answer is longer than what it can hold."""
    name = entry.get("id")
    context = count(entry.get("max_input_tokens")) or defaults.context
    output = count(entry.get("max_tokens")) or defaults.output
    return Model(name if isinstance(name, str) else "", context=context, output=min(output, context))
