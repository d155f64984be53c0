"""Read the lists of models and inference profiles, which say nothing of sizes. Knows which answer in a stream."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Json, Model

MODELS = "/foundation-models?byOutputModality=TEXT"
PROFILES = "/inference-profiles?maxResults=1000"


@dataclass(frozen=True, slots=True)
class Defaults:
    """What is taken for granted of every model."""

    context: int
    output: int


def models_of(models: Json, profiles: Json, defaults: Defaults) -> Sequence[Model]:
    """List what can be called: models on demand, and the profiles of those that stream."""
    able = {name: entry for entry in entries(models, "modelSummaries") if (name := streaming(entry))}
    direct = [name for name, entry in able.items() if on_demand(entry)]
    routed = [name for entry in entries(profiles, "inferenceProfileSummaries") if (name := over(entry, able))]
    output = min(defaults.output, defaults.context)
    return [Model(name, context=defaults.context, output=output) for name in dict.fromkeys((*direct, *routed))]


def entries(listing: Json, key: str) -> Iterator[dict[str, Json]]:
    """The entries of a list, or none."""
    found = listing.get(key) if isinstance(listing, dict) else None
    yield from (entry for entry in (found if isinstance(found, list) else ()) if isinstance(entry, dict))


def streaming(entry: Mapping[str, Json]) -> str:
    """Return the name of a model that answers in words, as a stream; otherwise nothing."""
    name, words = entry.get("modelId"), entry.get("outputModalities")
    able = isinstance(words, list) and "TEXT" in words and entry.get("responseStreamingSupported") is not False
    return name if isinstance(name, str) and able else ""


def on_demand(entry: Mapping[str, Json]) -> bool:
    """Whether a model can be called by its own name."""
    ways = entry.get("inferenceTypesSupported")
    return not isinstance(ways, list) or "ON_DEMAND" in ways


def over(entry: Mapping[str, Json], able: Mapping[str, object]) -> str:
    """Return the name of a profile whose model is able; otherwise nothing."""
    name, models = entry.get("inferenceProfileId"), entry.get("models")
    arns = [model.get("modelArn") for model in models if isinstance(model, dict)] if isinstance(models, list) else []
    known = any(isinstance(arn, str) and arn.rpartition("/")[2] in able for arn in arns)
    return name if isinstance(name, str) and known else ""
