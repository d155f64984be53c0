"""Find what the real server would refuse in a chat request."""

from collections.abc import Sequence

from openkoi_hookspecs import Json
from openkoi_hookspecs.content import IMAGE_TYPES

from .media import ADDRESS, PDF, find_media_error

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
PARTS = ("text", "image_url", "file")
LAST: dict[str, Json] = {"role": "user"}


def find_chat_error(body: Json) -> str:
    """Return the error in a request; empty when it is valid."""
    if not isinstance(body, dict):
        return "We could not parse the JSON body of your request."
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "you must provide a model parameter"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "'messages' must be a list that is not empty."
    wrong = (check_role(message) for message in messages)
    return next(filter(None, wrong), "") or check_pairs([message for message in messages if isinstance(message, dict)])


def check_role(message: Json) -> str:
    """Return the error in the role of a message."""
    role = message.get("role") if isinstance(message, dict) else None
    if role not in ROLES or not isinstance(message, dict):
        return f"Invalid value for 'role': {role!r}."
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return next(filter(None, (wrong_part(part, str(role)) for part in parts)), "")


def wrong_part(part: dict[str, Json], role: str) -> str:
    """Return the error in a part of a message: only users show images and files."""
    kind = part.get("type")
    if kind not in (PARTS if role == "user" else PARTS[:1]):
        return f"Invalid value: {kind!r}. Messages with role {role!r} have parts of type 'text'."
    image, file = part.get("image_url"), part.get("file")
    url = image.get("url") if isinstance(image, dict) else file.get("file_data") if isinstance(file, dict) else None
    if kind == "text" or (kind == "image_url" and str(url).startswith("http")):
        return ""
    found = ADDRESS.match(str(url))
    taken = IMAGE_TYPES if kind == "image_url" else (PDF,)
    return find_media_error(found[1], url, taken) if found else "Invalid data URL."


def check_pairs(messages: Sequence[dict[str, Json]]) -> str:
    """Return which tool calls have no result, and which results no call."""
    waiting: list[Json] = []
    for message in (*messages, LAST):
        result = message.get("tool_call_id")
        if message.get("role") != "tool" and waiting:
            return f"These tool calls have no result: {waiting}."
        if message.get("role") == "tool" and result not in waiting:
            return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
        waiting = [id for id in waiting if id != result] + call_ids(message)
    return ""


def call_ids(message: dict[str, Json]) -> list[Json]:
    """Return the ids of the tool calls in a message."""
    calls = message.get("tool_calls")
    return [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
