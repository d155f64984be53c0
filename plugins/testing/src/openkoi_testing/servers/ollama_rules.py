"""Find what Ollama refuses in a chat request, and what its models can do."""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import KW_ONLY

from openkoi_hookspecs import Json, image_type
from openkoi_hookspecs.lazy_dataclass import dataclass

DEFAULT_WINDOW_TOKENS = 4096
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_IMAGE = 768
ALL_ABILITIES = ("completion", "tools", "thinking", "vision")


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """Describe an installed model. ``window`` is the num_ctx it was made with, ``dimensions`` that of its vectors."""

    name: str
    _: KW_ONLY
    context: int = 131_072
    abilities: tuple[str, ...] = ALL_ABILITIES
    window: int = 0
    dimensions: int = 8

    @property
    def full_name(self) -> str:
        """The name under which it is listed."""
        return with_tag(self.name)


def with_tag(name: str) -> str:
    """Return a name with a tag; ``latest`` by default."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def find_error(body: Mapping[str, Json]) -> str:
    """Return what cannot be parsed in a chat request; empty when all can."""
    messages, options = body.get("messages", []), body.get("options", {})
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return "json: cannot unmarshal into Go struct field ChatRequest.messages of type api.Message"
    if not isinstance(options, dict):
        return "json: cannot unmarshal into Go struct field ChatRequest.options of type map[string]interface {}"
    for name in ("num_ctx", "num_predict"):
        if name in options and not isinstance(options[name], int):
            return f'option "{name}" must be of type integer'
    if body.get("format") not in (None, "", "json") and not isinstance(body["format"], dict):
        return f'invalid format: {json.dumps(body["format"])}; expected "json" or a valid JSON Schema object'
    return next(filter(None, (check_message(message) for message in messages if isinstance(message, dict))), "")


def check_message(message: Mapping[str, Json]) -> str:
    """Return what cannot be parsed in a message."""
    for field in ("role", "content", "thinking", "tool_name", "tool_call_id"):
        if not isinstance(message.get(field, ""), str):
            return f"json: cannot unmarshal into Go struct field ChatRequest.messages.{field} of type string"
    calls, images = message.get("tool_calls") or [], message.get("images") or []
    for call in calls if isinstance(calls, list) else [calls]:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("arguments", {}), dict):
            return "Value looks like object, but can't find closing '}' symbol"
    for image in images if isinstance(images, list) else [images]:
        try:
            data = b64decode(image if isinstance(image, str) else "?", validate=True)
        except ValueError:
            return "illegal base64 data at input byte 0"
        if image_type(data) in ("", "image/gif"):
            return "Failed to create new sequence: failed to process inputs: image: unknown format"
    return ""


def check_abilities(model: OllamaModel, body: Mapping[str, Json]) -> str:
    """Return the error for a request that exceeds a model's capabilities."""
    if "completion" not in model.abilities:
        return f'"{body["model"]}" does not support chat'
    if body.get("tools") and "tools" not in model.abilities:
        return f"registry.ollama.ai/library/{model.full_name} does not support tools"
    if body.get("think") and "thinking" not in model.abilities:
        return f'"{body["model"]}" does not support thinking'
    return ""


def check_length(model: OllamaModel, body: Mapping[str, Json]) -> str:
    """Return an error for a prompt that does not fit, unless it may be truncated."""
    options = body.get("options")
    wanted = options.get("num_ctx", DEFAULT_WINDOW_TOKENS) if isinstance(options, dict) else DEFAULT_WINDOW_TOKENS
    window = min(wanted if isinstance(wanted, int) else DEFAULT_WINDOW_TOKENS, model.context)
    tokens = count_tokens(body.get("messages", []))
    if body.get("truncate") is not False or tokens <= window:
        return ""
    message = f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
    error = {"code": 400, "message": message, "type": "exceed_context_size_error", "n_prompt_tokens": tokens}
    return json.dumps({"error": {**error, "n_ctx": window}})


def count_tokens(messages: Json) -> int:
    """Return the approximate length of a prompt; a picture is as long as a page."""
    entries = [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    pictures = sum(len(images) for message in entries if isinstance(images := message.get("images"), list))
    text = json.dumps([{key: value for key, value in message.items() if key != "images"} for message in entries])
    return len(text) // CHARACTERS_PER_TOKEN + pictures * TOKENS_PER_IMAGE
