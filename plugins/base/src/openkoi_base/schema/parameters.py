"""Declare a tool's parameters, and convert a model's arguments."""

from collections.abc import Mapping

from openkoi_hookspecs import Arguments, Json
from openkoi_hookspecs.lazy_dataclass import dataclass

from .coerce import coerce_arguments


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a tool: each name with its JSON Schema. Those that are not required may be omitted."""

    properties: Mapping[str, Mapping[str, Json]]
    required: tuple[str, ...] = ()

    def to_schema(self) -> dict[str, Json]:
        """Return the JSON Schema for the model."""
        properties: dict[str, Json] = {name: dict(fact) for name, fact in self.properties.items()}
        needed: dict[str, Json] = {"required": [*self.required]} if self.required else {}
        return {"type": "object", "properties": properties, **needed, "additionalProperties": False}

    def accept(self, arguments: Arguments) -> "ParsedArguments":
        """Return the arguments converted to their types; raise ToolError with what is expected."""
        return ParsedArguments(coerce_arguments(arguments, self.to_schema()))


@dataclass(frozen=True, slots=True)
class ParsedArguments:
    """Arguments that match the schema."""

    values: Mapping[str, Json]

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        return str(self.values.get(name, default))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; empty when omitted."""
        found = self.values.get(name)
        return tuple(map(str, found)) if isinstance(found, list) else ()

    def number(self, name: str, default: int) -> int:
        """Return a whole number."""
        found = self.values.get(name)
        return found if isinstance(found, int) else default

    def flag(self, name: str) -> bool:
        """Return a boolean; false if it is omitted."""
        return bool(self.values.get(name, False))
