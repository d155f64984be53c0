"""Parse the lists of models and inference profiles, which contain no token limits."""

from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Json, Model
from openkoi_hookspecs.lazy_dataclass import dataclass

MODELS_PATH = "/foundation-models?byOutputModality=TEXT"
PROFILES_PATH = "/inference-profiles?maxResults=1000"


@dataclass(frozen=True, slots=True)
class BedrockDefaults:
    """Limits to assume for every model."""

    context: int
    output: int


def parse_models(models: Json, profiles: Json, defaults: BedrockDefaults) -> Sequence[Model]:
    """Return on-demand models, and the inference profiles of models that stream text."""
    able = {name: entry for entry in list_entries(models, "modelSummaries") if (name := streaming_model_id(entry))}
    direct = [name for name, entry in able.items() if is_on_demand(entry)]
    routed = [
        name for entry in list_entries(profiles, "inferenceProfileSummaries") if (name := profile_id_of(entry, able))
    ]
    output = min(defaults.output, defaults.context)
    return [Model(name, context=defaults.context, output=output) for name in dict.fromkeys((*direct, *routed))]


def list_entries(listing: Json, key: str) -> Iterator[dict[str, Json]]:
    """Yield the entries of a list."""
    found = listing.get(key) if isinstance(listing, dict) else None
    yield from (entry for entry in (found if isinstance(found, list) else ()) if isinstance(entry, dict))


def streaming_model_id(entry: Mapping[str, Json]) -> str:
    """Return the id of a model that streams text, or an empty string."""
    name, words = entry.get("modelId"), entry.get("outputModalities")
    able = isinstance(words, list) and "TEXT" in words and entry.get("responseStreamingSupported") is not False
    return name if isinstance(name, str) and able else ""


def is_on_demand(entry: Mapping[str, Json]) -> bool:
    """Return whether a model can be called by its own id."""
    ways = entry.get("inferenceTypesSupported")
    return not isinstance(ways, list) or "ON_DEMAND" in ways


def profile_id_of(entry: Mapping[str, Json], able: Mapping[str, object]) -> str:
    """Return the id of a profile for one of the given models, or an empty string."""
    name, models = entry.get("inferenceProfileId"), entry.get("models")
    arns = [model.get("modelArn") for model in models if isinstance(model, dict)] if isinstance(models, list) else []
    known = any(isinstance(arn, str) and arn.rpartition("/")[2] in able for arn in arns)
    return name if isinstance(name, str) and known else ""
