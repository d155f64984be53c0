"""Find what OpenAI's Responses API would refuse."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import filterfalse, pairwise

from openkoi_hookspecs import Json
from openkoi_hookspecs.content import IMAGE_TYPES
from openkoi_hookspecs.lazy_dataclass import dataclass

from .media import ADDRESS, PDF, find_media_error
from .openai_json import as_object

PARAMETER = re.compile(
    r"background|conversation|include|input|instructions|max_output_tokens|max_tool_calls|metadata|"
    r"model|parallel_tool_calls|previous_response_id|prompt|prompt_cache_key|prompt_cache_options|"
    r"prompt_cache_retention|reasoning|safety_identifier|service_tier|store|stream|stream_options|"
    r"temperature|text|tool_choice|tools|top_logprobs|top_p|truncation|user"
)
CONTENT_TYPES = {
    "user": {"input_text", "input_image", "input_file"},
    "system": {"input_text"},
    "developer": {"input_text"},
    "assistant": {"output_text", "refusal"},
}
ITEMS = ("message", "function_call", "function_call_output", "reasoning")
MIN_OUTPUT_TOKENS = 16
PLAIN_MODEL = re.compile(r"gpt-[34]")
REASONING_MODEL = re.compile(r"o\d|gpt-5")
ENCRYPTED_REASONING = "reasoning.encrypted_content"
END: dict[str, Json] = {"type": "message"}


@dataclass(frozen=True, slots=True)
class RequestError:
    """Why a request is refused."""

    message: str
    param: "str | None" = None
    code: "str | None" = None
    status: int = 400


def find_response_error(body: Json) -> RequestError | None:
    """Return the error in a request; None when it is valid."""
    if not isinstance(body, dict):
        return RequestError("We could not parse the JSON body of your request.")
    given = body.get("input")
    items = given if isinstance(given, list) else []
    found = (*check_settings(body), *check_items(items))
    return found[0] if found else next(check_pairs([as_object(item) for item in items], body), None)


def check_settings(body: dict[str, Json]) -> Iterator[RequestError]:
    """Yield errors outside the conversation."""
    for name in filterfalse(PARAMETER.fullmatch, sorted(body)):
        yield RequestError(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
    model, limit = str(body.get("model") or ""), body.get("max_output_tokens")
    if not model:
        yield RequestError("Missing required parameter: 'model'.", "model", "missing_required_parameter")
    if not body.get("input"):
        yield RequestError("Missing required parameter: 'input'.", "input", "missing_required_parameter")
    if isinstance(limit, int) and limit < MIN_OUTPUT_TOKENS:
        yield RequestError(f"Invalid 'max_output_tokens': expected at least {MIN_OUTPUT_TOKENS}.", "max_output_tokens")
    if REASONING_MODEL.match(model) and body.get("temperature") is not None:
        yield RequestError("Unsupported parameter: 'temperature' is not supported with this model.", "temperature")
    if PLAIN_MODEL.match(model) and ENCRYPTED_REASONING in str(body.get("include")):
        yield RequestError("Encrypted content is not supported with this model.", "include")
    yield from (RequestError(message, "tools") for message in check_tools(body.get("tools")))
    form = as_object(as_object(body.get("text")).get("format"))
    if form.get("strict") and is_loose(form.get("schema")):
        yield RequestError(
            "Invalid schema: 'additionalProperties' is required to be supplied and to be false.", "text.format"
        )


def check_tools(tools: Json) -> Iterator[str]:
    """Yield tools without a name, such as those in the format of Chat Completions."""
    for place, tool in enumerate(tools if isinstance(tools, list) else []):
        if not as_object(tool).get("name"):
            yield f"Missing required parameter: 'tools[{place}].name'."


def check_items(items: Sequence[Json]) -> Iterator[RequestError]:
    """Yield invalid items, and content of the wrong role."""
    for place, item in enumerate(map(as_object, items)):
        kind = item.get("type", "message")
        if kind not in ITEMS:
            known = ", ".join(f"'{name}'" for name in ITEMS)
            yield RequestError(
                f"Invalid value: '{kind}'. Supported values are: {known}.", f"input[{place}]", "invalid_value"
            )
        if kind == "message":
            yield from check_message(item, f"input[{place}]")
        if kind == "function_call_output":
            yield from check_parts(item.get("output"), CONTENT_TYPES["user"], f"input[{place}].output")
        for key in ("call_id", "name", "arguments") if kind == "function_call" else ():
            if not isinstance(item.get(key), str):
                yield RequestError(f"Missing required parameter: 'input[{place}].{key}'.", f"input[{place}].{key}")


def check_message(item: dict[str, Json], where: str) -> Iterator[RequestError]:
    """Yield errors of a message."""
    role, content = str(item.get("role")), item.get("content")
    allowed = CONTENT_TYPES.get(role)
    if allowed is None:
        yield RequestError(f"Invalid value: '{role}'.", f"{where}.role", "invalid_value")
        return
    if not isinstance(content, str | list):
        yield RequestError(f"Invalid type for '{where}.content'.", f"{where}.content", "invalid_type")
    yield from check_parts(content, allowed, f"{where}.content")


def check_parts(content: Json, allowed: Collection[str], where: str) -> Iterator[RequestError]:
    """Yield errors of misplaced parts, and of images and files whose content is not of the declared type."""
    for part in map(as_object, content if isinstance(content, list) else []):
        kind = part.get("type")
        if kind not in allowed:
            yield RequestError(f"Invalid value: '{kind}'.", where, "invalid_value")
        if kind in ("input_image", "input_file"):
            url = part.get("image_url") or part.get("file_data")
            found = ADDRESS.match(str(url))
            taken = IMAGE_TYPES if kind == "input_image" else (PDF,)
            wrong = find_media_error(found[1], url, taken) if found else "Expected a base64-encoded data URL"
            if wrong:
                yield RequestError(wrong, where, "invalid_image_format")


def check_pairs(items: Sequence[dict[str, Json]], body: dict[str, Json]) -> Iterator[RequestError]:
    """Yield calls without results, results without calls, and thoughts that are unreadable or led to nothing."""
    for item, after in pairwise((*items, END)):
        if item.get("type") != "reasoning":
            continue
        if body.get("store") is False and not item.get("encrypted_content"):
            yield RequestError(
                f"Item with id '{item.get('id')}' not found. Items are not persisted.", "input", status=404
            )
        if after is END or as_object(after).get("role") == "user":
            yield RequestError(f"Item '{item.get('id')}' of type 'reasoning' came without its following item.", "input")
    asked = [item.get("call_id") for item in items if item.get("type") == "function_call"]
    answered = [item.get("call_id") for item in items if item.get("type") == "function_call_output"]
    for id in asked:
        if answered.count(id) != 1:
            yield RequestError(f"No tool output found for function call {id}.", "input")
    for id in answered:
        if id not in asked:
            yield RequestError(f"No tool call found for function call output with call_id {id}.", "input")


def is_loose(schema: Json) -> bool:
    """Return whether an object in a schema accepts more, or less, than its properties."""
    if isinstance(schema, list):
        return any(map(is_loose, schema))
    if not isinstance(schema, dict):
        return False
    held = schema.get("properties")
    names, required = set(as_object(held)), schema.get("required", [])
    exact = (
        isinstance(required, list) and schema.get("additionalProperties") is False and names == set(map(str, required))
    )
    return (isinstance(held, dict) and not exact) or any(map(is_loose, schema.values()))
