"""Keep of a vendor's published OpenAPI document the schemas that tests read, without descriptions and examples.

Run `python tests/data/prune_schemas.py VENDOR DOCUMENT`, for example with `openai openapi.yaml`.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

READ_BY_TESTS = {
    "openai": (
        *("CreateChatCompletionRequest", "CreateChatCompletionResponse", "CreateChatCompletionStreamResponse"),
        *("CreateEmbeddingRequest", "CreateEmbeddingResponse"),
        *("CreateResponse", "Response", "ResponseStreamEvent"),
    ),
    "gemini": ("BatchEmbedContentsRequest", "CountTokensRequest", "GenerateContentRequest"),
    "ollama": (
        *("ChatRequest", "ChatResponse", "ChatStreamEvent", "EmbedRequest", "EmbedResponse"),
        *("ErrorResponse", "ListResponse", "ShowRequest", "ShowResponse", "VersionResponse"),
    ),
}
ANNOTATIONS = {"description", "example", "title"}
REFERENCE = re.compile(r"#/components/schemas/([\w.-]+)")

Schema = Mapping[str, Any]  # OpenAPI is JSON whose fields differ from schema to schema


def prune(schemas: Mapping[str, Schema], names: Iterable[str]) -> dict[str, Schema]:
    """Return the schemas with these names and all that they refer to."""
    kept: dict[str, Schema] = {}
    wanted = list(names)
    while wanted:
        name = wanted.pop()
        if name not in kept:
            kept[name] = without_annotations(schemas[name])
            wanted += REFERENCE.findall(json.dumps(kept[name]))
    return dict(sorted(kept.items()))


def without_annotations(value: Any) -> Any:
    """Return a schema without the text that only documents it; properties may have the same names."""
    if isinstance(value, list):
        return [without_annotations(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {key: without_annotations(inner) for key, inner in value.items() if not annotates(key, inner)}


def annotates(key: str, value: object) -> bool:
    """Tell an annotation from a property of the same name, which is a schema."""
    return key.startswith("x-") or key == "examples" or (key in ANNOTATIONS and not isinstance(value, dict))


def main(vendor: str, document: str) -> None:
    """Write schemas/VENDOR.json, one schema a line."""
    published = yaml.load(Path(document).read_text(encoding="utf-8"), yaml.CSafeLoader)
    kept = prune(published["components"]["schemas"], READ_BY_TESTS[vendor])
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(schema)}" for name, schema in kept.items())
    file = Path(__file__).parent / "schemas" / f"{vendor}.json"
    file.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
