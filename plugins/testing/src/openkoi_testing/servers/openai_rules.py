"""What OpenAI's Responses API would refuse. Knows the rules of its items; serves nothing."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import filterfalse, pairwise

from openkoi_hookspecs import Json
from openkoi_hookspecs.content import IMAGE_TYPES

from .media import ADDRESS, PDF, wrong_media
from .openai_wire import as_object

PARAMETER = re.compile(
    r"background|conversation|include|input|instructions|max_output_tokens|max_tool_calls|metadata|"
    r"model|parallel_tool_calls|previous_response_id|prompt|prompt_cache_key|prompt_cache_options|"
    r"prompt_cache_retention|reasoning|safety_identifier|service_tier|store|stream|stream_options|"
    r"temperature|text|tool_choice|tools|top_logprobs|top_p|truncation|user"
)
SAID = {
    "user": {"input_text", "input_image", "input_file"},
    "system": {"input_text"},
    "developer": {"input_text"},
    "assistant": {"output_text", "refusal"},
}
ITEMS = ("message", "function_call", "function_call_output", "reasoning")
SHORTEST = 16
PLAIN = re.compile(r"gpt-[34]")
THINKER = re.compile(r"o\d|gpt-5")
SEALED = "reasoning.encrypted_content"
END: dict[str, Json] = {"type": "message"}


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why a request is refused."""

    message: str
    param: "str | None" = None
    code: "str | None" = None
    status: int = 400


def unfit(body: Json) -> Wrong | None:
    """Say what is wrong with a request; None when it will do."""
    if not isinstance(body, dict):
        return Wrong("We could not parse the JSON body of your request.")
    given = body.get("input")
    items = given if isinstance(given, list) else []
    found = (*wrong_settings(body), *wrong_items(items))
    return found[0] if found else next(unpaired([as_object(item) for item in items], body), None)


def wrong_settings(body: dict[str, Json]) -> Iterator[Wrong]:
    """Find what is wrong beside the conversation."""
    for name in filterfalse(PARAMETER.fullmatch, sorted(body)):
        yield Wrong(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
    model, limit = str(body.get("model") or ""), body.get("max_output_tokens")
    if not model:
        yield Wrong("Missing required parameter: 'model'.", "model", "missing_required_parameter")
    if not body.get("input"):
        yield Wrong("Missing required parameter: 'input'.", "input", "missing_required_parameter")
    if isinstance(limit, int) and limit < SHORTEST:
        yield Wrong(f"Invalid 'max_output_tokens': expected at least {SHORTEST}.", "max_output_tokens")
    if THINKER.match(model) and body.get("temperature") is not None:
        yield Wrong("Unsupported parameter: 'temperature' is not supported with this model.", "temperature")
    if PLAIN.match(model) and SEALED in str(body.get("include")):
        yield Wrong("Encrypted content is not supported with this model.", "include")
    yield from (Wrong(message, "tools") for message in wrong_tools(body.get("tools")))
    form = as_object(as_object(body.get("text")).get("format"))
    if form.get("strict") and loose(form.get("schema")):
        yield Wrong("Invalid schema: 'additionalProperties' is required to be supplied and to be false.", "text.format")


def wrong_tools(tools: Json) -> Iterator[str]:
    """Find tools without a name, as those that are written for Chat Completions."""
    for place, tool in enumerate(tools if isinstance(tools, list) else []):
        if not as_object(tool).get("name"):
            yield f"Missing required parameter: 'tools[{place}].name'."


def wrong_items(items: Sequence[Json]) -> Iterator[Wrong]:
    """Find items that are none, and words in the wrong mouth."""
    for place, item in enumerate(map(as_object, items)):
        kind = item.get("type", "message")
        if kind not in ITEMS:
            known = ", ".join(f"'{name}'" for name in ITEMS)
            yield Wrong(f"Invalid value: '{kind}'. Supported values are: {known}.", f"input[{place}]", "invalid_value")
        if kind == "message":
            yield from wrong_message(item, f"input[{place}]")
        if kind == "function_call_output":
            yield from wrong_parts(item.get("output"), SAID["user"], f"input[{place}].output")
        for key in ("call_id", "name", "arguments") if kind == "function_call" else ():
            if not isinstance(item.get(key), str):
                yield Wrong(f"Missing required parameter: 'input[{place}].{key}'.", f"input[{place}].{key}")


def wrong_message(item: dict[str, Json], where: str) -> Iterator[Wrong]:
    """Find what is wrong with a message."""
    role, content = str(item.get("role")), item.get("content")
    allowed = SAID.get(role)
    if allowed is None:
        yield Wrong(f"Invalid value: '{role}'.", f"{where}.role", "invalid_value")
        return
    if not isinstance(content, str | list):
        yield Wrong(f"Invalid type for '{where}.content'.", f"{where}.content", "invalid_type")
    yield from wrong_parts(content, allowed, f"{where}.content")


def wrong_parts(content: Json, allowed: Collection[str], where: str) -> Iterator[Wrong]:
    """Find parts that cannot stand where they do, and images and files that are not what they say."""
    for part in map(as_object, content if isinstance(content, list) else []):
        kind = part.get("type")
        if kind not in allowed:
            yield Wrong(f"Invalid value: '{kind}'.", where, "invalid_value")
        if kind in ("input_image", "input_file"):
            url = part.get("image_url") or part.get("file_data")
            found = ADDRESS.match(str(url))
            taken = IMAGE_TYPES if kind == "input_image" else (PDF,)
            wrong = wrong_media(found[1], url, taken) if found else "Expected a base64-encoded data URL"
            if wrong:
                yield Wrong(wrong, where, "invalid_image_format")


def unpaired(items: Sequence[dict[str, Json]], body: dict[str, Json]) -> Iterator[Wrong]:
    """Find calls without results, results without calls, and thoughts that cannot be read or led to nothing."""
    for item, after in pairwise((*items, END)):
        if item.get("type") != "reasoning":
            continue
        if body.get("store") is False and not item.get("encrypted_content"):
            yield Wrong(f"Item with id '{item.get('id')}' not found. Items are not persisted.", "input", status=404)
        if after is END or as_object(after).get("role") == "user":
            yield Wrong(f"Item '{item.get('id')}' of type 'reasoning' came without its following item.", "input")
    asked = [item.get("call_id") for item in items if item.get("type") == "function_call"]
    answered = [item.get("call_id") for item in items if item.get("type") == "function_call_output"]
    for id in asked:
        if answered.count(id) != 1:
            yield Wrong(f"No tool output found for function call {id}.", "input")
    for id in answered:
        if id not in asked:
            yield Wrong(f"No tool call found for function call output with call_id {id}.", "input")


def loose(schema: Json) -> bool:
    """Whether an object in a schema takes more, or less, than its properties."""
    if isinstance(schema, list):
        return any(map(loose, schema))
    if not isinstance(schema, dict):
        return False
    held = schema.get("properties")
    names, required = set(as_object(held)), schema.get("required", [])
    exact = (
        isinstance(required, list) and schema.get("additionalProperties") is False and names == set(map(str, required))
    )
    return (isinstance(held, dict) and not exact) or any(map(loose, schema.values()))
