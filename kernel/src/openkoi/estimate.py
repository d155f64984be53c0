"""How many tokens a request will be, before its vendor has counted it; the more was counted, the closer. Pure.

A quarter of the bytes is where it begins. Each vendor's count then corrects it for that model: a conversation grows by
appending, so what was counted last is known, and only what was added since is estimated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openkoi_hookspecs import Part, Request, Text, Thought, ToolCall, ToolResult, Usage

BYTES = 4
OVERHEAD = 8
PICTURE = 4_000
LEARNING = 0.5
WIDEST = 4.0


@dataclass(slots=True)
class Estimator:
    """Estimates by model."""

    ratio: dict[str, float] = field(default_factory=dict)

    def tokens(self, model: str, request: Request) -> int:
        """Input tokens that a request will be, about."""
        return round(estimated(request) * self.ratio.get(model, 1.0))

    def learn(self, model: str, request: Request, usage: Usage) -> None:
        """Take a vendor's count into account; one that cannot be is not believed."""
        counted, guessed = usage.input + usage.cache_read + usage.cache_write, estimated(request)
        if counted <= 0 or guessed <= 0:
            return
        seen = min(WIDEST, max(1 / WIDEST, counted / guessed))
        known = self.ratio.get(model)
        self.ratio[model] = seen if known is None else known + LEARNING * (seen - known)


def estimated(request: Request) -> int:
    """A quarter of the bytes, and a little for each message."""
    characters = sum(map(weight, request.system)) + sum(size(message.parts) for message in request.messages)
    schemas = sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    return (characters + schemas) // BYTES + OVERHEAD * (1 + len(request.messages))


def answer_tokens(parts: Sequence[Part]) -> int:
    """Output tokens that an answer was, about."""
    return size(parts) // BYTES


def size(parts: Sequence[Part]) -> int:
    return sum(map(weighed, parts))


def weighed(part: Part) -> int:
    if isinstance(part, ToolCall):
        return weight(str(part.arguments))
    return weight(part.text) if isinstance(part, (Text, Thought, ToolResult)) else PICTURE


def weight(text: str) -> int:
    """Characters; those beyond ASCII count as many as their bytes, for they are dearer."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
