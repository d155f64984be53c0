"""Parse the vendor's paged list of models."""

from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Json, Model, ProviderError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import Server, error_from_body, parse_count

from .errors import find_error, objects_in, to_provider_error

CHAT_METHODS = frozenset({"generateContent", "streamGenerateContent"})
PREFIX = "models/"


@dataclass(frozen=True, slots=True)
class GoogleDefaults:
    """Limits to assume for a model when the server lists none."""

    context: int
    output: int


@dataclass(frozen=True, slots=True)
class ModelPage:
    """A page of models and the token of the next page (empty after the last)."""

    models: Sequence[Model]
    next_token: str


def parse_page(listing: Json, defaults: GoogleDefaults, server: Server) -> ModelPage:
    """Parse a page of models; raise ProviderUnavailableError when it is not one."""
    if not isinstance(listing, dict) or "error" in listing or not {"models", "nextPageToken"} & {*listing}:
        raise unexpected_response_error(listing, server, "a list of models")
    found = [parse_model(entry, defaults) for entry in objects_in(listing.get("models")) if can_chat(entry)]
    token = listing.get("nextPageToken")
    return ModelPage([model for model in found if model.name], token if isinstance(token, str) else "")


def unexpected_response_error(answer: Json, server: Server, wanted: str) -> ProviderError:
    """Return the error for a response that is not what was requested."""
    trouble = find_error(answer)
    if trouble is None:
        return server.unavailable(f"did not return {wanted}.")
    return to_provider_error(trouble, server) or error_from_body(server, answer)


def can_chat(entry: Mapping[str, Json]) -> bool:
    """Return whether a model generates content; assume so when no methods are listed."""
    methods = entry.get("supportedGenerationMethods")
    return not isinstance(methods, list) or any(
        isinstance(method, str) and method in CHAT_METHODS for method in methods
    )


def parse_model(entry: Mapping[str, Json], defaults: GoogleDefaults) -> Model:
    """Return a model; cap its output at its context window."""
    name = entry.get("name")
    context = parse_count(entry.get("inputTokenLimit")) or defaults.context
    output = parse_count(entry.get("outputTokenLimit")) or defaults.output
    return Model(
        name.removeprefix(PREFIX) if isinstance(name, str) else "", context=context, output=min(output, context)
    )
