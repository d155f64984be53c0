"""Read a script from a YAML file. Knows the format; knows no prompts."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from openkoi_hookspecs import Arguments, FinishReason, Price, Reasoning, Text, ToolCall, Usage

from .place import Place, opened
from .script import CONTEXT, FREE, OUTPUT, Fault, Mishap, Said, Script, Turn, When

T = TypeVar("T")

PRICES = ("input", "output", "cache_read", "cache_write")
TURN = ("when", "says", "thinks", "calls", "usage", "stop", "fails", "delay", "repeat")


def read(path: Path) -> Script:
    """Read a script as it stands on the disk now."""
    return performed(path, changed(path))


def changed(path: Path) -> int:
    """Tell when a file was last written; zero when it is not there, which reading it will say better."""
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=32)
def performed(path: Path, _changed: int) -> Script:
    """Read a script once for each time it was written."""
    here = opened(path)
    table = here.table(("context", "output", "price", "can", "turns"))
    if "turns" not in table:
        raise here.mistake("has no turns. It needs turns: a list of answers")
    return Script(
        turns=tuple(turn(item) for item in table["turns"].items()),
        file=str(path),
        context=get(table, "context", Place.count, CONTEXT),
        output=get(table, "output", Place.count, OUTPUT),
        price=get(table, "price", price, FREE),
        can=get(table, "can", Place.texts, ()),
    )


def get(table: Mapping[str, Place], key: str, reader: Callable[[Place], T], default: T) -> T:
    """Read a key, or go on without it."""
    return reader(table[key]) if key in table else default


def price(place: Place) -> Price:
    """Read dollars per million tokens."""
    table = place.table(PRICES)
    return Price(*(get(table, key, Place.number, 0.0) for key in PRICES))


def turn(place: Place) -> Turn:
    """Read one answer."""
    table = place.table(TURN)
    if not table.keys() & {"says", "calls", "fails"}:
        raise place.mistake("does nothing. A turn needs says, calls or fails")
    return Turn(
        parts(table),
        when=get(table, "when", when, When()),
        usage=usage(table["usage"]) if "usage" in table else None,
        stop=stop(table["stop"]) if "stop" in table else None,
        fails=fault(table["fails"]) if "fails" in table else None,
        delay=get(table, "delay", Place.number, 0.0),
        repeat=get(table, "repeat", Place.flag, False),
        line=place.line,
    )


def parts(table: Mapping[str, Place]) -> tuple[Said, ...]:
    """Read what is thought, said and called, in this order."""
    thinks, says = get(table, "thinks", Place.text, ""), get(table, "says", Place.text, "")
    calls = [call(item) for item in table["calls"].items()] if "calls" in table else []
    thoughts = [Reasoning(thinks)] if thinks else []
    words = [Text(says)] if says else []
    return (*thoughts, *words, *calls)


def call(place: Place) -> ToolCall:
    """Read a call of a tool; its id is made when it is spoken."""
    table = place.table(("tool", "arguments"))
    if "tool" not in table:
        raise place.mistake("names no tool")
    return ToolCall("", table["tool"].text(), get(table, "arguments", arguments, {}))


def arguments(place: Place) -> Arguments:
    """Read a call's arguments."""
    value = place.value()
    if not isinstance(value, dict):
        raise place.expected("a table of arguments")
    return value


def when(place: Place) -> When:
    """Read what a prompt has to look like."""
    table = place.table(("contains", "last", "after", "tools", "images"))
    return When(
        contains=get(table, "contains", Place.texts, ()),
        last=get(table, "last", Place.texts, ()),
        after=table["after"].count() if "after" in table else None,
        tools=table["tools"].flag() if "tools" in table else None,
        images=table["images"].count() if "images" in table else None,
    )


def usage(place: Place) -> Usage:
    """Read what an answer costs, in tokens."""
    return Usage(**{key: value.count() for key, value in place.table(PRICES).items()})


def stop(place: Place) -> FinishReason:
    """Read why an answer ends."""
    value = place.text()
    if value not in list(FinishReason):
        raise place.expected(f"one of {', '.join(FinishReason)}")
    return FinishReason(value)


def fault(place: Place) -> Fault:
    """Read what goes wrong: one of the mishaps."""
    table = place.table((*Mishap, "retry_after"))
    chosen = [mishap for mishap in Mishap if mishap in table]
    if len(chosen) != 1:
        raise place.mistake(f"must name one of {', '.join(Mishap)}")
    if "retry_after" in table and chosen[0] is not Mishap.UNAVAILABLE:
        raise table["retry_after"].mistake("belongs to unavailable only")
    retry_after = table["retry_after"].number() if "retry_after" in table else None
    return Fault(chosen[0], said(table[chosen[0]], chosen[0]), retry_after=retry_after)


def said(place: Place, mishap: Mishap) -> str:
    """Read what an error says; a cut says nothing."""
    if mishap is not Mishap.CUT:
        return place.text()
    if not place.flag():
        raise place.expected("true")
    return ""
