"""Keep of a vendor's published document the schemas that tests read, without descriptions and examples.

Run `python tests/data/prune_schemas.py VENDOR DOCUMENT`, for example with `openai openapi.yaml`. Matrix's document is
the folder of its specification; that of Slack's events is what ts-json-schema-generator makes of @slack/types and two
types of @slack/bolt: `interface EventsApiPayload extends EnvelopedEvent {}` and `interface ButtonPressPayload extends
BlockAction<ButtonAction> {}`.
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
SLACK_METHODS = (
    *("auth.test", "chat.postMessage", "chat.update", "chat.delete", "reactions.add", "reactions.remove"),
    *("conversations.history", "conversations.replies", "users.conversations", "files.info", "files.list"),
)
SLACK_FORM = {"integer": r"^\d+$", "number": r"^\d+(\.\d+)?$", "boolean": "^(true|false)$"}
SLACK_EVENTS = (
    *("GenericMessageEvent", "BotMessageEvent", "FileShareMessageEvent", "ThreadBroadcastMessageEvent"),
    *("MeMessageEvent", "MessageChangedEvent", "MessageDeletedEvent", "AppMentionEvent", "ReactionAddedEvent"),
    *("EventsApiPayload", "ButtonPressPayload", "ButtonAction"),
)
NOTION_CALLS = (
    *("GET /v1/users/me", "POST /v1/search", "POST /v1/pages", "GET /v1/pages/{page_id}", "PATCH /v1/pages/{page_id}"),
    *("GET /v1/pages/{page_id}/markdown", "PATCH /v1/pages/{page_id}/markdown"),
)
MATRIX_EVENTS = ("m.reaction", "m.room.message$m.notice", "m.room.message$m.file", "m.room.message$m.image")
MATRIX_CALLS = {
    "login": ["POST /login"],
    "refresh": ["POST /refresh"],
    "whoami": ["GET /account/whoami"],
    "profile": ["GET /profile/{userId}"],
    "list_joined_rooms": ["GET /joined_rooms"],
    "rooms": ["GET /rooms/{roomId}/joined_members", "GET /rooms/{roomId}/event/{eventId}"],
    "sync": ["GET /sync"],
    "joining": ["POST /join/{roomIdOrAlias}"],
    "leaving": ["POST /rooms/{roomId}/leave"],
    "room_send": ["PUT /rooms/{roomId}/send/{eventType}/{txnId}"],
    "redaction": ["PUT /rooms/{roomId}/redact/{eventId}/{txnId}"],
    "message_pagination": ["GET /rooms/{roomId}/messages"],
    "relations": [
        "GET /rooms/{roomId}/relations/{eventId}/{relType}",
        "GET /rooms/{roomId}/relations/{eventId}/{relType}/{eventType}",
    ],
    "search": ["POST /search"],
    "content-repo": ["POST /media/v3/upload"],
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


def slack_schemas(published: Mapping[str, Any]) -> dict[str, Schema]:
    """Return the arguments, as a form has them, and the results of the methods that the app calls."""
    schemas = {name: as_alternatives(one) for name, one in published["definitions"].items()}
    names = []
    for method in SLACK_METHODS:
        (call,) = published["paths"][f"/{method}"].values()
        fields = [one for one in call["parameters"] if one["in"] in ("formData", "query") and one["name"] != "token"]
        properties = {one["name"]: slack_field(one["type"]) for one in fields}
        required = [one["name"] for one in fields if one.get("required")]
        arguments = {"type": "object", "required": required, "properties": properties, "additionalProperties": False}
        answer = call["responses"]["200"]
        shown = answer.get("examples", {}).get("application/json", {})
        result = as_alternatives(answer["schema"])
        result["required"] = [name for name in result.get("required", ()) if name in shown]
        schemas |= {f"{method}.arguments": arguments, f"{method}.result": result}
        names += [f"{method}.arguments", f"{method}.result"]
    return prune(schemas, names)


def slack_field(kind: str) -> Schema:
    """Return the schema of a field of a form."""
    return {"type": "string", **({"pattern": SLACK_FORM[kind]} if kind in SLACK_FORM else {})}


def as_alternatives(value: Any) -> Any:
    """Return a schema of Slack's in which a list of ``items`` is one of several; what is new to it is allowed."""
    if isinstance(value, list):
        return [as_alternatives(inner) for inner in value]
    if not isinstance(value, dict):
        return value.replace("#/definitions/", "#/components/schemas/") if isinstance(value, str) else value
    found = {key: as_alternatives(inner) for key, inner in value.items()}
    if found.get("additionalProperties") is False:
        del found["additionalProperties"]
    if isinstance(found.get("items"), list):
        found["anyOf"] = found.pop("items")
    return found


def notion_schemas(published: Mapping[str, Any]) -> dict[str, Schema]:
    """Return the bodies and answers of the calls that the app makes."""
    schemas = dict(published["components"]["schemas"])
    names = []
    for name in NOTION_CALLS:
        method, path = name.split()
        schemas |= call_schemas(name, published["paths"][path][method.lower()], schemas)
        names += [one for one in schemas if one.startswith(f"{name}.")]
    return prune(schemas, names)


def call_schemas(name: str, call: Mapping[str, Any], known: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the schemas of the query, the body and the answer of a call; ``known`` is what it may refer to."""
    parameters = (known.get(one.get("$ref", "").rpartition("/")[2], one) for one in call.get("parameters", ()))
    query = [one for one in parameters if one.get("in") == "query"]
    required = [one["name"] for one in query if one.get("required")]
    found: dict[str, Schema] = {
        f"{name}.query": {
            "type": "object",
            "required": required,
            "properties": {one["name"]: {} for one in query},
            "additionalProperties": False,
        }
    }
    for part, content in (("body", call.get("requestBody")), ("result", call["responses"]["200"])):
        if schema := ((content or {}).get("content") or {}).get("application/json", {}).get("schema"):
            found[f"{name}.{part}"] = schema
    return found


def matrix_schemas(folder: Path) -> dict[str, Schema]:
    """Return the queries, bodies and answers of the calls that the app makes, and the contents of its events."""
    schemas: dict[str, Schema] = {}
    for stem, names in MATRIX_CALLS.items():
        file = folder / "data/api/client-server" / f"{stem}.yaml"
        for name in names:
            method, path = name.split()
            call = refer(read_document(str(file))["paths"][path][method.lower()], file, schemas)
            schemas |= call_schemas(name, call, schemas)
    for event in MATRIX_EVENTS:
        file = folder / "data/event-schemas/schema" / f"{event}.yaml"
        content = read_document(str(file))["properties"]["content"]
        schemas[f"{event.replace('$', '.')}.content"] = refer(content, file, schemas)
    return prune(schemas, [name for name in schemas if " " in name or name.endswith(".content")])


def refer(value: Any, file: Path, schemas: dict[str, Schema]) -> Any:
    """Return a part of a file; what it refers to, in that or in other files, is added to the schemas."""
    if isinstance(value, list):
        return [refer(inner, file, schemas) for inner in value]
    if not isinstance(value, dict):
        return value
    if not isinstance(value.get("$ref"), str):
        shown = ("example", "examples") if "type" in value else ()
        return {key: refer(inner, file, schemas) for key, inner in value.items() if key not in shown}
    path, _, inside = value["$ref"].partition("#")
    there = (file.parent / path).resolve() if path else file
    name = ".".join(filter(None, [there.stem.replace("$", "."), *inside.split("/")]))
    if name not in schemas:
        schemas[name] = {}  # it may refer to itself
        schemas[name] = refer(part_of(read_document(str(there)), inside), there, schemas)
    return {"$ref": f"#/components/schemas/{name}"}


def part_of(schema: Schema, inside: str) -> Schema:
    """Return the part of a schema at a path."""
    for step in filter(None, inside.split("/")):
        schema = schema[step]
    return schema


def slack_event_schemas(published: Mapping[str, Any]) -> dict[str, Schema]:
    """Return the events that the app reads; what they refer to may be anything, and fields may be added."""
    text = json.dumps({name: without_annotations(published["definitions"][name]) for name in SLACK_EVENTS})
    text = text.replace('"additionalProperties": false, ', "")
    return dict(json.loads(re.sub(r'\{"\$ref": "#/definitions/[^"]*"\}', "{}", text)))


def read_document(document: str) -> Any:
    """Return what a document says."""
    text = Path(document).read_text(encoding="utf-8")
    return json.loads(text) if document.endswith(".json") else yaml.load(text, yaml.CSafeLoader)


def schemas_of(vendor: str, document: str) -> dict[str, Schema]:
    """Return the schemas of a vendor that tests read."""
    match vendor:
        case "matrix":
            return matrix_schemas(Path(document))
        case "notion":
            return notion_schemas(read_document(document))
        case "slack":
            return slack_schemas(read_document(document))
        case "slack_events":
            return slack_event_schemas(read_document(document))
        case "telegram":
            return telegram_schemas(read_document(document))
    return prune(read_document(document)["components"]["schemas"], READ_BY_TESTS[vendor])


def main(vendor: str, document: str) -> None:
    """Write schemas/VENDOR.json, one schema a line."""
    kept = schemas_of(vendor, document)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(schema)}" for name, schema in kept.items())
    file = Path(__file__).parent / "schemas" / f"{vendor}.json"
    file.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
