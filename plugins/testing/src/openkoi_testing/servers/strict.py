"""What the real server would refuse in a chat request. Knows the format's rules; serves nothing."""

from collections.abc import Sequence

from openkoi_hookspecs import Json

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
LAST: dict[str, Json] = {"role": "user"}


def complaint(body: Json) -> str:
    """Say what is wrong with a request; nothing when it will do."""
    if not isinstance(body, dict):
        return "We could not parse the JSON body of your request."
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "you must provide a model parameter"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "'messages' must be a list that is not empty."
    wrong = (wrong_role(message) for message in messages)
    return next(filter(None, wrong), "") or unpaired([message for message in messages if isinstance(message, dict)])


def wrong_role(message: Json) -> str:
    """Say what is wrong with who speaks."""
    role = message.get("role") if isinstance(message, dict) else None
    return "" if role in ROLES else f"Invalid value for 'role': {role!r}."


def unpaired(messages: Sequence[dict[str, Json]]) -> str:
    """Say which tool calls have no result, and which results no call."""
    waiting: list[Json] = []
    for message in (*messages, LAST):
        result = message.get("tool_call_id")
        if message.get("role") != "tool" and waiting:
            return f"These tool calls have no result: {waiting}."
        if message.get("role") == "tool" and result not in waiting:
            return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
        waiting = [id for id in waiting if id != result] + ids(message)
    return ""


def ids(message: dict[str, Json]) -> list[Json]:
    """The ids of the tool calls in a message."""
    calls = message.get("tool_calls")
    return [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
