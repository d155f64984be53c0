"""Parse the vendor's paged list of models."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from openkoi_hookspecs import Json, Model
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import Server, parse_count

from .errors import error_from_frame

FIRST_PAGE_PATH = "/v1/models?limit=1000"


@dataclass(frozen=True, slots=True)
class AnthropicDefaults:
    """Limits to assume for a model when the list has none."""

    context: int
    output: int


@dataclass(frozen=True, slots=True)
class ModelPage:
    """A page of models and the path of the next page (empty after the last)."""

    models: Sequence[Model]
    next_path: str = ""


def parse_page(listing: Json, defaults: AnthropicDefaults, server: Server) -> ModelPage:
    """Parse a page of models; raise ProviderUnavailableError when it is not one."""
    found = listing.get("data") if isinstance(listing, dict) else None
    if isinstance(listing, dict) and isinstance(found, list):
        models = [parse_model(entry, defaults) for entry in found if isinstance(entry, dict)]
        return ModelPage([model for model in models if model.name], next_page_path(listing))
    if isinstance(listing, dict) and listing.get("error"):
        raise error_from_frame(server, listing)
    raise server.unavailable("did not return a list of models from /v1/models.")


def next_page_path(listing: Mapping[str, Json]) -> str:
    """Return the path of the next page, or an empty string."""
    last = listing.get("last_id")
    return (
        f"{FIRST_PAGE_PATH}&after_id={quote(last, safe='')}"
        if listing.get("has_more") and isinstance(last, str)
        else ""
    )


def parse_model(entry: Mapping[str, Json], defaults: AnthropicDefaults) -> Model:
    """Return a model; cap its output at its context window."""
    name = entry.get("id")
    context = parse_count(entry.get("max_input_tokens")) or defaults.context
    output = parse_count(entry.get("max_tokens")) or defaults.output
    return Model(name if isinstance(name, str) else "", context=context, output=min(output, context))
