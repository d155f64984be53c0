"""Read the vendor's list of models, page by page. Knows which of them talk, and how much they can hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Json, Model, ProviderError
from openkoi_wire import Server, count, reported

from .troubles import error_of, objects, trouble_in

TALKS = frozenset({"generateContent", "streamGenerateContent"})
PREFIX = "models/"


@dataclass(frozen=True, slots=True)
class Defaults:
    """What is taken for granted of a model when the server does not say."""

    context: int
    output: int


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of the list, and the word to ask for the next one with; nothing when it was the last."""

    models: Sequence[Model]
    next: str


def page_of(listing: Json, defaults: Defaults, server: Server) -> Page:
    """Read a page; raises ProviderUnavailableError when it is none."""
    if not isinstance(listing, dict) or "error" in listing or not {"models", "nextPageToken"} & {*listing}:
        raise complaint(listing, server, "a list of models")
    found = [model_of(entry, defaults) for entry in objects(listing.get("models")) if talks(entry)]
    token = listing.get("nextPageToken")
    return Page([model for model in found if model.name], token if isinstance(token, str) else "")


def complaint(answer: Json, server: Server, wanted: str) -> ProviderError:
    """Make the error for an answer that is not what was wanted."""
    trouble = trouble_in(answer)
    if trouble is None:
        return server.unavailable(f"answered with something that is not {wanted}.")
    return error_of(trouble, server) or reported(server, answer)


def talks(entry: Mapping[str, Json]) -> bool:
    """Whether a model answers in words; one of which nothing is said may."""
    methods = entry.get("supportedGenerationMethods")
    return not isinstance(methods, list) or any(isinstance(one, str) and one in TALKS for one in methods)


def model_of(entry: Mapping[str, Json], defaults: Defaults) -> Model:
    """Describe a model; no answer is longer than what it can hold."""
    name = entry.get("name")
    context = count(entry.get("inputTokenLimit")) or defaults.context
    output = count(entry.get("outputTokenLimit")) or defaults.output
    return Model(
        name.removeprefix(PREFIX) if isinstance(name, str) else "", context=context, output=min(output, context)
    )
