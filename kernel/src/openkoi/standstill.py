"""Whether a run gets anywhere, told from its tool calls and what they brought. Knows no clock and no model."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from openkoi_hookspecs import ToolCall, ToolResult

STUCK_AFTER = 5


@dataclass(slots=True)
class Standstill:
    """Counts cycles that brought nothing new: only calls, with their results, that were seen before."""

    seen: set[bytes] = field(default_factory=set)
    idle: int = 0

    def note(self, settled: Iterable[tuple[ToolCall, ToolResult]], polls: bool = False) -> None:
        """Take the calls of one cycle into account; one that brought something new is enough."""
        pairs = {digest(call, result) for call, result in settled}
        fresh = polls or not pairs <= self.seen
        self.seen |= pairs
        self.idle = 0 if fresh else self.idle + 1

    @property
    def stuck(self) -> bool:
        """Whether it repeats itself without getting anywhere."""
        return self.idle >= STUCK_AFTER


def digest(call: ToolCall, result: ToolResult) -> bytes:
    said = json.dumps([call.tool, call.arguments, result.text], sort_keys=True, default=str)
    return sha256(said.encode("utf-8", "surrogatepass")).digest()
