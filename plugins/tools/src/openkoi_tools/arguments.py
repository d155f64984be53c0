"""What a model gave a tool, held against the tool's own schema. What does not fit is answered with a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from openkoi_hookspecs import Arguments, Json, ToolFault

Value: TypeAlias = str | int | bool | tuple[str, ...]
KINDS = {"string": "text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}
FLAGS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a tool: each name with its JSON Schema. Those that are not required may be left out."""

    properties: Mapping[str, Mapping[str, Json]]
    required: tuple[str, ...] = ()

    def schema(self) -> dict[str, Json]:
        """Return the JSON Schema that a model is shown."""
        properties: dict[str, Json] = {name: dict(fact) for name, fact in self.properties.items()}
        required: dict[str, Json] = {"required": [*self.required]} if self.required else {}
        return {"type": "object", "properties": properties, **required, "additionalProperties": False}

    def accept(self, arguments: Arguments) -> "Given":
        """Return the arguments in their own types; raises ToolFault with what is expected instead."""
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in given:
            self.refuse_unknown(name)
        for name in self.required:
            if name not in given:
                raise ToolFault(f"The argument {name!r} is missing. Expected: {self.expected()}.")
        return Given({name: self.value(name, value) for name, value in given.items()})

    def refuse_unknown(self, name: str) -> None:
        """Raise for a name that the tool does not have, with the nearest that it has."""
        if name in self.properties:
            return
        near = get_close_matches(name, self.properties, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ToolFault(f"There is no argument {name!r}.{hint} Expected: {self.expected()}.")

    def value(self, name: str, value: Json) -> Value:
        """Return one argument in its own type."""
        fact = self.properties[name]
        kind = str(fact["type"])
        found = converted(kind, value)
        if found is None:
            raise ToolFault(f"The argument {name!r} must be {KINDS[kind]}, not {shortened(value)}.")
        least = fact.get("minimum")
        if isinstance(found, int) and isinstance(least, int) and found < least:
            raise ToolFault(f"The argument {name!r} must be {least} or more, not {found}.")
        for text in (found,) if isinstance(found, str) else found if isinstance(found, tuple) else ():
            refuse_halves(name, text)
        return found

    def expected(self) -> str:
        """Name all arguments with their kinds."""
        return ", ".join(
            f"{name} ({KINDS[str(fact['type'])]}{'' if name in self.required else ', optional'})"
            for name, fact in self.properties.items()
        )


@dataclass(frozen=True, slots=True)
class Given:
    """Arguments that fit the schema."""

    values: Mapping[str, Value]

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        return str(self.values.get(name, default))

    def number(self, name: str, default: int) -> int:
        """Return a whole number."""
        value = self.values.get(name)
        return value if isinstance(value, int) else default

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; an empty one when it was left out."""
        value = self.values.get(name)
        return value if isinstance(value, tuple) else ()

    def flag(self, name: str) -> bool:
        """Return a truth value; false when it was left out."""
        return bool(self.values.get(name, False))


def converted(kind: str, value: Json) -> Value | None:
    """Return a value in the type of a kind, if nothing is lost by it."""
    if kind == "string":
        return value if isinstance(value, str) else None
    if kind == "boolean":
        return value if isinstance(value, bool) else FLAGS.get(str(value).lower()) if isinstance(value, str) else None
    return listed(value) if kind == "array" else whole(value)


def listed(value: Json) -> tuple[str, ...] | None:
    """Return a list of texts."""
    items = value if isinstance(value, list) else []
    texts = tuple(item for item in items if isinstance(item, str))
    return texts if isinstance(value, list) and len(texts) == len(items) else None


def whole(value: Json) -> int | None:
    """Return a whole number, also one that came as text or as 3.0."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        digits = value.strip()
        return int(digits) if digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) < 16 else None
    return value if isinstance(value, int) else None


def shortened(value: Json) -> str:
    """Return a value as it may stand in a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def refuse_halves(name: str, text: str) -> None:
    """Raise for text with half a character in it, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ToolFault(
            f"The argument {name!r} holds half a character (a lone surrogate) at offset {error.start}. Write it whole."
        ) from None
