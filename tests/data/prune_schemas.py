"""Keep of a vendor's published document the schemas that tests read, without descriptions and examples.

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
    "telegram": (
        *("Update", "Message", "User", "Chat", "MessageEntity", "CallbackQuery", "MessageReactionUpdated"),
        *("Document", "PhotoSize", "File", "ReactionTypeEmoji", "InlineKeyboardMarkup", "InlineKeyboardButton"),
        *("MessageOriginUser", "MessageOriginHiddenUser"),
    ),
}
TELEGRAM_METHODS = (
    *("getMe", "getUpdates", "sendMessage", "editMessageText", "deleteMessage", "sendDocument", "sendMessageDraft"),
    *("answerCallbackQuery", "setMessageReaction", "getFile"),
)
TELEGRAM_SCALARS = {"Integer": "integer", "Float": "number", "String": "string", "Boolean": "boolean"}
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


def telegram_schemas(published: Mapping[str, Any]) -> dict[str, Schema]:
    """Return types, and the arguments and results of methods, of a description of the Bot API that is no OpenAPI."""
    schemas: dict[str, Schema] = {name: telegram_object(published["types"][name]) for name in READ_BY_TESTS["telegram"]}
    for name in TELEGRAM_METHODS:
        method = published["methods"][name]
        schemas[f"{name}.arguments"] = {**telegram_object(method), "additionalProperties": False}
        schemas[f"{name}.result"] = telegram_value(method["returns"])
    return schemas


def telegram_object(described: Mapping[str, Any]) -> Schema:
    """Return the schema of a type, or of a method's arguments."""
    fields = described.get("fields", ())
    required = [one["name"] for one in fields if one["required"]]
    properties = {one["name"]: telegram_value(one["types"]) for one in fields}
    return {"type": "object", "required": required, "properties": properties}


def telegram_value(types: Iterable[str]) -> Schema:
    """Return the schema of a value that is one of several types; one that tests do not read may be anything."""
    found = [telegram_type(one) for one in types]
    return found[0] if len(found) == 1 else {"anyOf": found}


def telegram_type(name: str) -> Schema:
    """Return the schema of one type."""
    if name.startswith("Array of "):
        return {"type": "array", "items": telegram_type(name.removeprefix("Array of "))}
    if name in TELEGRAM_SCALARS:
        return {"type": TELEGRAM_SCALARS[name]}
    return {"$ref": f"#/components/schemas/{name}"} if name in READ_BY_TESTS["telegram"] else {}


def main(vendor: str, document: str) -> None:
    """Write schemas/VENDOR.json, one schema a line."""
    text = Path(document).read_text(encoding="utf-8")
    published = json.loads(text) if document.endswith(".json") else yaml.load(text, yaml.CSafeLoader)
    if vendor == "telegram":
        kept = telegram_schemas(published)
    else:
        kept = prune(published["components"]["schemas"], READ_BY_TESTS[vendor])
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(schema)}" for name, schema in kept.items())
    file = Path(__file__).parent / "schemas" / f"{vendor}.json"
    file.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
