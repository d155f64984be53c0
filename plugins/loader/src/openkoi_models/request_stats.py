"""Compute statistics of a request that a model call needs. Pure.

A conversation grows by appending, so the stats of the next request are computed from those of the previous one: of 400
messages, a call looks only at the two new ones.
"""

from collections.abc import Sequence

from openkoi_base.tokens import BYTES_PER_TOKEN, size_of, size_of_text
from openkoi_hookspecs import Message, Reasoning, Request, Tool
from openkoi_hookspecs.lazy_dataclass import dataclass

from .images_in_messages import contains_media

MESSAGE_TOKENS = 8


@dataclass(frozen=True, slots=True)
class RequestStats:
    """The size of a request in bytes, whether its messages contain an image or a file, and whose reasoning."""

    messages: tuple[Message, ...] = ()
    tools: Sequence[Tool] = ()
    size: int = 0
    tools_size: int = 0
    system_size: int = 0
    has_media: bool = False
    reasoning_models: frozenset[str] = frozenset()

    @property
    def tokens(self) -> int:
        """The approximate number of tokens: a quarter of the bytes, and a few for each message."""
        return (self.system_size + self.size + self.tools_size) // BYTES_PER_TOKEN + MESSAGE_TOKENS * (
            1 + len(self.messages)
        )

    def update(self, request: Request) -> "RequestStats":
        """Return the stats of a request; do not look at messages that it shares with the previous one."""
        messages, known = tuple(request.messages), len(self.messages)
        if messages[:known] != self.messages:
            return NO_STATS.update(request)
        added = messages[known:]
        parts = [part for message in added for part in message.parts]
        return RequestStats(
            messages,
            request.tools,
            self.size + size_of(parts),
            self.tools_size if request.tools is self.tools else sum(map(tool_size, request.tools)),
            sum(map(size_of_text, request.system)),
            self.has_media or contains_media(parts),
            self.reasoning_models.union(part.model for part in parts if isinstance(part, Reasoning)),
        )


NO_STATS = RequestStats()


def stats_of(request: Request) -> RequestStats:
    """Return the stats of one request."""
    return NO_STATS.update(request)


def tool_size(tool: Tool) -> int:
    return len(tool.description) + len(str(tool.parameters))
