"""Copy the arguments of calls, the only part of facts that a plugin could change."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from openkoi_hookspecs import Json, ToolCall, events


def copy_arguments(fact: Any) -> Any:
    """Return the same fact with its own copy of arguments; a fact without arguments is returned unchanged."""
    match fact:
        case ToolCall():
            return copy_call(fact)
        case events.ToolCallStarted():
            return replace(fact, call=copy_call(fact.call))
        case events.ModelResponse() if fact.response.calls:
            return replace(fact, response=replace(fact.response, parts=tuple(map(copy_arguments, fact.response.parts))))
    return fact


def arguments_of(fact: Any) -> list[Mapping[str, Json]]:
    """Return the arguments in a fact, which ``copy_arguments`` copies."""
    match fact:
        case ToolCall():
            return [fact.arguments]
        case events.ToolCallStarted():
            return [fact.call.arguments]
        case events.ModelResponse():
            return [call.arguments for call in fact.response.calls]
    return []


def copy_call(call: ToolCall) -> ToolCall:
    own_arguments = {name: copy_json(value) for name, value in call.arguments.items()}
    return ToolCall(call.id, call.tool, own_arguments, call.parse_error)


def copy_json(value: Json) -> Json:
    """Return the same JSON in new lists and objects."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}
    return [copy_json(item) for item in value] if isinstance(value, list) else value
