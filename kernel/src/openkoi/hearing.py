"""Take an answer in as it streams: pieces of text grow together, and what is told of them never splits a secret.

Knows chunks; knows no budget, event or provider.
"""

from dataclasses import dataclass, field, replace
from time import perf_counter

from openkoi_hookspecs import Done, Part, Text, Thought, ToolCall

from .words import mended, mended_values

TELLING = 0.05


@dataclass(slots=True)
class Heard:
    """What came of an answer so far."""

    parts: list[Part] = field(default_factory=list)
    done: Done | None = None
    length: int = 0
    untold: str = ""
    told: float = 0.0

    def take(self, chunk: Text | Thought | ToolCall | Done) -> None:
        """Add one chunk; pieces of text grow together."""
        if isinstance(chunk, Done):
            self.done = chunk
        elif self.parts and (grown := joined(self.parts[-1], chunk)):
            self.parts[-1] = grown
        else:
            self.parts.append(chunk)
        if isinstance(chunk, Text):
            self.untold += chunk.text
        if isinstance(chunk, (Text, Thought)):
            self.length += len(chunk.text)

    def tell(self) -> str:
        """What came since the last telling, a few times a second, and whole words only: a secret is never split."""
        if not self.untold or (self.done is None and perf_counter() - self.told < TELLING):
            return ""
        end = len(self.untold) if self.done else self.untold.rfind(" ") + 1
        self.told, text, self.untold = perf_counter(), self.untold[:end], self.untold[end:]
        return mended(text)

    def whole(self, speaker: str) -> tuple[Part, ...]:
        """The answer's parts, with every text in them such that it can be written, and thoughts with whose they are."""
        return tuple(whole_part(part, speaker) for part in self.parts)


def whole_part(part: Part, speaker: str) -> Part:
    match part:
        case ToolCall():
            return ToolCall(mended(part.id), mended(part.tool), mended_values(part.arguments), part.fault)
        case Thought():
            return replace(part, text=mended(part.text), by=speaker)
        case Text():
            return Text(mended(part.text))
    return part


def joined(before: Part, chunk: Text | Thought | ToolCall) -> Part | None:
    """Two pieces as one, where they are: a thought that is sealed is over."""
    match before, chunk:
        case Text(), Text():
            return Text(before.text + chunk.text)
        case Thought(seal=""), Thought():
            return Thought(before.text + chunk.text, chunk.seal)
    return None
