"""Copy the arguments of calls, the only part of facts that a plugin could change."""

from dataclasses import replace
from typing import Any

from openkoi_hookspecs import Json, ToolCall, events


def copy_arguments(fact: Any) -> Any:
    """Return the same fact with its own copy of arguments; a fact without any is returned itself."""
    match fact:
        case ToolCall():
            return copy_call(fact)
        case events.ToolCallStarted():
            return replace(fact, call=copy_call(fact.call))
        case events.ModelResponse() if fact.response.calls:
            return replace(fact, response=replace(fact.response, parts=tuple(map(copy_arguments, fact.response.parts))))
    return fact


def copy_call(call: ToolCall) -> ToolCall:
    own_arguments = {name: copy_json(value) for name, value in call.arguments.items()}
    return ToolCall(call.id, call.tool, own_arguments, call.parse_error)


def copy_json(value: Json) -> Json:
    """Return the same JSON in new lists and objects."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}
    return [copy_json(item) for item in value] if isinstance(value, list) else value
