"""Read a script from a YAML file."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from openkoi_hookspecs import Arguments, FinishReason, Price, Reasoning, Text, ToolCall, Usage

from .script import (
    DEFAULT_CONTEXT_TOKENS,
    DEFAULT_OUTPUT_TOKENS,
    FREE,
    Script,
    ScriptedFailure,
    ScriptedFailureKind,
    ScriptedPart,
    ScriptedTurn,
    TurnCondition,
)
from .yaml_node import YamlNode, load_yaml

T = TypeVar("T")

PRICE_KEYS = ("input", "output", "cache_read", "cache_write")
TURN_KEYS = ("when", "says", "thinks", "calls", "usage", "stop", "fails", "delay", "repeat")
CONDITION_KEYS = ("contains", "last", "after", "tools", "images")


def read_script(path: Path) -> Script:
    """Return the script in a file as it is now."""
    return read_script_version(path, modification_time(path))


def modification_time(path: Path) -> int:
    """Return a file's modification time in nanoseconds, or zero when it does not exist."""
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=32)
def read_script_version(path: Path, _changed: int) -> Script:
    """Return the script in a file, cached by its modification time."""
    here = load_yaml(path)
    table = here.table(("context", "output", "price", "can", "turns"))
    if "turns" not in table:
        raise here.error("has no turns")
    return Script(
        turns=tuple(read_turn(item) for item in table["turns"].items()),
        file=str(path),
        context=get_or_default(table, "context", YamlNode.count, DEFAULT_CONTEXT_TOKENS),
        output=get_or_default(table, "output", YamlNode.count, DEFAULT_OUTPUT_TOKENS),
        price=get_or_default(table, "price", read_price, FREE),
        can=get_or_default(table, "can", YamlNode.texts, ()),
    )


def get_or_default(table: Mapping[str, YamlNode], key: str, reader: Callable[[YamlNode], T], default: T) -> T:
    """Return the value of a key, or a default."""
    return reader(table[key]) if key in table else default


def read_price(place: YamlNode) -> Price:
    """Read dollars per million tokens."""
    table = place.table(PRICE_KEYS)
    return Price(*(get_or_default(table, key, YamlNode.number, 0.0) for key in PRICE_KEYS))


def read_turn(place: YamlNode) -> ScriptedTurn:
    """Read a turn."""
    table = place.table(TURN_KEYS)
    if not table.keys() & {"says", "calls", "fails"}:
        raise place.error("needs `says`, `calls` or `fails`")
    return ScriptedTurn(
        read_parts(table),
        when=get_or_default(table, "when", read_condition, TurnCondition()),
        usage=read_usage(table["usage"]) if "usage" in table else None,
        stop=read_finish_reason(table["stop"]) if "stop" in table else None,
        fails=read_failure(table["fails"]) if "fails" in table else None,
        delay=get_or_default(table, "delay", YamlNode.number, 0.0),
        repeat=get_or_default(table, "repeat", YamlNode.flag, False),
        line=place.line,
    )


def read_parts(table: Mapping[str, YamlNode]) -> tuple[ScriptedPart, ...]:
    """Read reasoning, text and calls, in this order."""
    thinks, says = get_or_default(table, "thinks", YamlNode.text, ""), get_or_default(table, "says", YamlNode.text, "")
    calls = [read_call(item) for item in table["calls"].items()] if "calls" in table else []
    thoughts = [Reasoning(thinks)] if thinks else []
    words = [Text(says)] if says else []
    return (*thoughts, *words, *calls)


def read_call(place: YamlNode) -> ToolCall:
    """Read a tool call; its id is generated later."""
    table = place.table(("tool", "arguments"))
    if "tool" not in table:
        raise place.error("has no tool")
    return ToolCall("", table["tool"].text(), get_or_default(table, "arguments", read_arguments, {}))


def read_arguments(place: YamlNode) -> Arguments:
    """Read a call's arguments."""
    value = place.value()
    if not isinstance(value, dict):
        raise place.type_error("a table of arguments")
    return value


def read_condition(place: YamlNode) -> TurnCondition:
    """Read the conditions that a prompt must meet."""
    table = place.table(CONDITION_KEYS)
    return TurnCondition(
        contains=get_or_default(table, "contains", YamlNode.texts, ()),
        last=get_or_default(table, "last", YamlNode.texts, ()),
        after=table["after"].count() if "after" in table else None,
        tools=table["tools"].flag() if "tools" in table else None,
        images=table["images"].count() if "images" in table else None,
    )


def read_usage(place: YamlNode) -> Usage:
    """Read the usage of a response in tokens."""
    return Usage(**{key: value.count() for key, value in place.table(PRICE_KEYS).items()})


def read_finish_reason(place: YamlNode) -> FinishReason:
    """Read a finish reason."""
    value = place.text()
    if value not in list(FinishReason):
        raise place.type_error(f"one of {', '.join(FinishReason)}")
    return FinishReason(value)


def read_failure(place: YamlNode) -> ScriptedFailure:
    """Read a deliberate failure."""
    table = place.table((*ScriptedFailureKind, "retry_after"))
    chosen = [mishap for mishap in ScriptedFailureKind if mishap in table]
    if len(chosen) != 1:
        raise place.error(f"must have exactly one of {', '.join(ScriptedFailureKind)}")
    if "retry_after" in table and chosen[0] is not ScriptedFailureKind.UNAVAILABLE:
        raise table["retry_after"].error("is only valid with `unavailable`")
    retry_after = table["retry_after"].number() if "retry_after" in table else None
    return ScriptedFailure(chosen[0], read_failure_text(table[chosen[0]], chosen[0]), retry_after=retry_after)


def read_failure_text(place: YamlNode, mishap: ScriptedFailureKind) -> str:
    """Read the message of a failure; a cut has none."""
    if mishap is not ScriptedFailureKind.CUT:
        return place.text()
    if not place.flag():
        raise place.type_error("true")
    return ""
