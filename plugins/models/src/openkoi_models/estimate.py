"""How many tokens a request will be, before its vendor has counted it; the more was counted, the closer. Pure.

A quarter of the bytes is where it begins. Each vendor's count then corrects it for that model: a conversation grows by
appending, so what was counted last is known, and only what was added since is estimated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import File, Image, Message, Part, Reasoning, Request, Text, Tool, ToolCall, ToolResult, Usage

from .media_tokens import media_tokens

BYTES = 4
OVERHEAD = 8
LEARNING = 0.5
WIDEST = 4.0
MOST = 20_000


@dataclass(slots=True)
class Estimator:
    """Estimates by model. What is measured of a message or a tool is kept, for conversations only grow."""

    ratio: dict[str, float] = field(default_factory=dict)
    sizes: dict[int, tuple[Message | Tool, int]] = field(default_factory=dict)

    def tokens(self, model: str, request: Request) -> int:
        """Input tokens that a request will be, about."""
        return round(self.measured(request) * self.ratio.get(model, 1.0))

    def learn(self, model: str, request: Request, usage: Usage) -> None:
        """Take a vendor's count into account; one that cannot be is not believed."""
        counted, guessed = usage.input + usage.cache_read + usage.cache_write, self.measured(request)
        if counted <= 0 or guessed <= 0:
            return
        seen = min(WIDEST, max(1 / WIDEST, counted / guessed))
        known = self.ratio.get(model)
        self.ratio[model] = seen if known is None else known + LEARNING * (seen - known)

    def measured(self, request: Request) -> int:
        """A quarter of the bytes, and a little for each message."""
        if len(self.sizes) > MOST:
            self.sizes.clear()
        grown = sum(map(self.size_of, request.messages)) + sum(map(self.size_of, request.tools))
        return (sum(map(weight, request.system)) + grown) // BYTES + OVERHEAD * (1 + len(request.messages))

    def size_of(self, fact: Message | Tool) -> int:
        """The bytes of a fact, which is held so that no other can have its identity."""
        known = self.sizes.get(id(fact))
        if known is None:
            known = self.sizes[id(fact)] = (fact, bytes_of(fact))
        return known[1]


def bytes_of(fact: Message | Tool) -> int:
    if isinstance(fact, Tool):
        return len(fact.description) + len(str(fact.parameters))
    return size(fact.parts)


def answer_tokens(parts: Sequence[Part]) -> int:
    """Output tokens that an answer was, about."""
    return size(parts) // BYTES


def size(parts: Sequence[Part]) -> int:
    return sum(map(weighed, parts))


def weighed(part: Part) -> int:
    match part:
        case Text() | Reasoning():
            return weight(part.text)
        case ToolCall():
            return weight(str(part.arguments))
        case ToolResult():
            return weight(part.text) + size(part.parts)
        case Image() | File():
            return BYTES * media_tokens(part)


def weight(text: str) -> int:
    """Characters; those beyond ASCII count as many as their bytes, for they are dearer."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
