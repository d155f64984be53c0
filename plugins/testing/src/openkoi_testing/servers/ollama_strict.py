"""What Ollama refuses in a chat request, and what its models can do. Knows the format's rules; serves nothing."""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

from openkoi_hookspecs import Json, image_type

WINDOW = 4096
CHARACTERS = 4
PICTURE = 768
ALL = ("completion", "tools", "thinking", "vision")


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model that is installed. ``window`` is the num_ctx it was made with, ``dimensions`` that of its vectors."""

    name: str
    _: KW_ONLY
    context: int = 131_072
    abilities: tuple[str, ...] = ALL
    window: int = 0
    dimensions: int = 8

    @property
    def full(self) -> str:
        """The name under which it is listed."""
        return tagged(self.name)


def tagged(name: str) -> str:
    """A name without a tag is that of the latest."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def complaint(body: Mapping[str, Json]) -> str:
    """Say what cannot be read of a chat request; nothing when all can."""
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
    return next(filter(None, (unreadable(message) for message in messages if isinstance(message, dict))), "")


def unreadable(message: Mapping[str, Json]) -> str:
    """Say what cannot be read of a message."""
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


def incapable(model: Pulled, body: Mapping[str, Json]) -> str:
    """Say what is asked of a model that it cannot do."""
    if "completion" not in model.abilities:
        return f'"{body["model"]}" does not support chat'
    if body.get("tools") and "tools" not in model.abilities:
        return f"registry.ollama.ai/library/{model.full} does not support tools"
    if body.get("think") and "thinking" not in model.abilities:
        return f'"{body["model"]}" does not support thinking'
    return ""


def too_long(model: Pulled, body: Mapping[str, Json]) -> str:
    """Say that a prompt does not fit, to whoever does not want it cut off in silence."""
    options = body.get("options")
    wanted = options.get("num_ctx", WINDOW) if isinstance(options, dict) else WINDOW
    window = min(wanted if isinstance(wanted, int) else WINDOW, model.context)
    tokens = tokens_in(body.get("messages", []))
    if body.get("truncate") is not False or tokens <= window:
        return ""
    message = f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
    error = {"code": 400, "message": message, "type": "exceed_context_size_error", "n_prompt_tokens": tokens}
    return json.dumps({"error": {**error, "n_ctx": window}})


def tokens_in(messages: Json) -> int:
    """Count what a prompt is long, about; a picture is as long as a page."""
    told = [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    pictures = sum(len(images) for message in told if isinstance(images := message.get("images"), list))
    text = json.dumps([{key: value for key, value in message.items() if key != "images"} for message in told])
    return len(text) // CHARACTERS + pictures * PICTURE
