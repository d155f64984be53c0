"""A tool's parameters: what a model is shown of them, and what it gave, ready for use. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from openkoi_hookspecs import Arguments, Json

from .arguments import fitted


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a tool: each name with its JSON Schema. Those that are not required may be left out."""

    properties: Mapping[str, Mapping[str, Json]]
    required: tuple[str, ...] = ()

    def schema(self) -> dict[str, Json]:
        """The JSON Schema that a model is shown."""
        properties: dict[str, Json] = {name: dict(fact) for name, fact in self.properties.items()}
        needed: dict[str, Json] = {"required": [*self.required]} if self.required else {}
        return {"type": "object", "properties": properties, **needed, "additionalProperties": False}

    def accept(self, arguments: Arguments) -> "Given":
        """The arguments in their own types; raises ToolError with what is expected instead."""
        return Given(fitted(arguments, self.schema()))


@dataclass(frozen=True, slots=True)
class Given:
    """Arguments that fit the schema."""

    values: Mapping[str, Json]

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        return str(self.values.get(name, default))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty when it was left out."""
        found = self.values.get(name)
        return tuple(map(str, found)) if isinstance(found, list) else ()

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        found = self.values.get(name)
        return found if isinstance(found, int) else default

    def flag(self, name: str) -> bool:
        """A truth value; false when it was left out."""
        return bool(self.values.get(name, False))
