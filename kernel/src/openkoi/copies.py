"""Copies of what a plugin could change: the arguments of calls are the only such thing in facts. Pure."""

from dataclasses import replace
from typing import Any

from openkoi_hookspecs import Json, ToolCall, events


def own(fact: Any) -> Any:
    """The same fact, with arguments that are nobody else's; a fact that holds none is its own copy."""
    match fact:
        case ToolCall():
            return own_call(fact)
        case events.ToolCallStarted():
            return replace(fact, call=own_call(fact.call))
        case events.ModelResponse() if fact.response.calls:
            return replace(fact, response=replace(fact.response, parts=tuple(map(own, fact.response.parts))))
    return fact


def own_call(call: ToolCall) -> ToolCall:
    own_arguments = {name: own_json(value) for name, value in call.arguments.items()}
    return ToolCall(call.id, call.tool, own_arguments, call.parse_error)


def own_json(value: Json) -> Json:
    """The same JSON, in lists and objects of its own."""
    if isinstance(value, dict):
        return {key: own_json(item) for key, item in value.items()}
    return [own_json(item) for item in value] if isinstance(value, list) else value
