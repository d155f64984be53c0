"""Buffer a streamed answer: text grows in parts, is emitted a few times a second, and never splits a secret."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import field, replace
from time import perf_counter
from types import TracebackType
from typing import Self

from openkoi_base.isolation import sanitize_json, sanitize_text, type_error_of
from openkoi_base.redact import current_redactor, safe_cut
from openkoi_base.tokens import BYTES_PER_TOKEN, estimate_tokens
from openkoi_hookspecs import (
    Buffered,
    Chunk,
    Event,
    FinishReason,
    Part,
    Reasoning,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

FLUSH_SECONDS = 0.05
MAX_CHARACTERS_PER_TOKEN = 8
"""Characters for each requested token. Prose and code have 3 to 5 per token, dense tables up to 7, so that an
honest answer is never cut; a token of any script is at least one character."""
SIGNATURE_SHARE = 4
"""Characters of an encrypted thought that count as one, because encryption lengthens thoughts (estimate)."""


@dataclass(slots=True)
class ResponseBuffer:
    """The received part of an answer, of which at most ``max_output`` tokens are kept."""

    max_output: int
    parts: list[Part] = field(default_factory=list)
    done: StreamEnd | None = None
    length: int = 0
    buffered: int = 0
    overlong: bool = False
    lost: list[Part] = field(default_factory=list)
    unflushed: str = ""
    flushed_at: float = 0.0

    def take(self, chunk: Text | Reasoning | ToolCall | Buffered | StreamEnd) -> None:
        """Add one chunk; pieces of text are joined. The chunk that exceeds the limit is cut, and ends the answer."""
        if type(chunk) is Text and not self.buffered and self.add_text(chunk.text):
            return
        if isinstance(chunk, StreamEnd):
            self.done = chunk
            return
        length, room = max(1, length_of(chunk)), self.max_output * MAX_CHARACTERS_PER_TOKEN - self.length
        if isinstance(chunk, Buffered):
            self.buffered += length
        else:
            known = min(length, self.buffered)
            self.buffered, length = self.buffered - known, length - known
        self.length += length
        if length > room:
            self.end_at_limit(chunk, max(0, room))
        elif not isinstance(chunk, Buffered):
            self.add(chunk)

    def add_text(self, text: str) -> bool:
        """Append a chunk to the current text; return whether that is all, as for most chunks."""
        length = self.length + len(text)
        if not (text and self.parts and length <= self.max_output * MAX_CHARACTERS_PER_TOKEN):
            return False
        if type(last := self.parts[-1]) is not Text:
            return False
        self.length, self.parts[-1] = length, Text(last.text + text)
        self.unflushed += text
        return True

    def add(self, chunk: Text | Reasoning | ToolCall) -> None:
        """Keep one chunk."""
        if self.parts and (grown := join_parts(self.parts[-1], chunk)):
            self.parts[-1] = grown
        else:
            self.parts.append(chunk)
        if isinstance(chunk, Text):
            self.unflushed += chunk.text

    def end_at_limit(self, chunk: Text | Reasoning | ToolCall | Buffered, room: int) -> None:
        """End the answer at its length limit: none of its tool calls is run."""
        if isinstance(chunk, ToolCall):
            self.lost.append(chunk)
        elif not isinstance(chunk, Buffered):
            self.add(type(chunk)(chunk.text[:room]))
            self.lost.append(Text(chunk.text[room:]))
        self.lost += [part for part in self.parts if isinstance(part, ToolCall)]
        self.parts = [part for part in self.parts if not isinstance(part, ToolCall)]
        self.done, self.overlong = StreamEnd(Usage(), FinishReason.LENGTH), True

    @property
    def tokens(self) -> int:
        """The approximate number of output tokens received, including those that are not kept."""
        return estimate_tokens((*self.parts, *self.lost)) + self.buffered // BYTES_PER_TOKEN

    @property
    def is_due(self) -> bool:
        """Whether the last flush was a while ago, or the answer is complete."""
        return self.done is not None or perf_counter() - self.flushed_at >= FLUSH_SECONDS

    def flush(self) -> str:
        """Return the text since the last flush, up to a place that does not split a secret."""
        end = len(self.unflushed) if self.done else safe_cut(self.unflushed, current_redactor())
        self.flushed_at, text, self.unflushed = perf_counter(), self.unflushed[:end], self.unflushed[end:]
        return sanitize_text(text)

    def parts_by(self, speaker: str) -> tuple[Part, ...]:
        """Return the answer's parts, with sanitized text, and reasoning with its model."""
        return tuple(whole_part(part, speaker) for part in self.parts)


@dataclass(slots=True)
class StreamedText:
    """Emits the text that a buffer receives, within its context. Emits nothing unless it ``is_shown``."""

    buffer: ResponseBuffer
    emit: Callable[[Event], Awaitable[None]]
    is_shown: bool
    timer: asyncio.TimerHandle | None = None
    late: "asyncio.Task[None] | None" = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.timer:
            self.timer.cancel()
        await self.wait_for_late()

    def is_due(self) -> bool:
        """Return whether to emit text now; otherwise schedule emitting it a little later."""
        if not (self.is_shown and self.buffer.unflushed):
            return False
        if not (due := self.buffer.is_due) and not self.timer:
            self.timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush_late)
        return due

    async def flush(self) -> None:
        """Emit the received text."""
        await self.wait_for_late()
        await self.emit_text()

    async def emit_text(self) -> None:
        """Emit the received text up to the last word, which may be the start of a secret."""
        if text := self.buffer.flush():
            await self.emit(events.ModelDelta(text))

    def flush_late(self) -> None:
        """Emit the last text."""
        self.timer = None
        self.late = asyncio.create_task(self.emit_text())

    async def wait_for_late(self) -> None:
        """Wait until the last text is emitted, and raise its error, if any."""
        if self.late:
            late, self.late = self.late, None
            await late


@asynccontextmanager
async def close_stream(chunks: AsyncIterator[Chunk]) -> AsyncIterator[AsyncIterator[Chunk]]:
    """Close the stream when an answer ends or is cut off, so that the provider stops generating."""
    try:
        yield chunks
    finally:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()


def length_of(chunk: Text | Reasoning | ToolCall | Buffered) -> int:
    """Return the number of characters in a chunk."""
    match chunk:
        case Buffered():
            return chunk.length
        case ToolCall():
            return len(chunk.tool) + len(str(chunk.arguments))
        case Reasoning():
            return len(chunk.text) + len(chunk.signature) // SIGNATURE_SHARE
    return len(chunk.text)


def whole_part(part: Part, speaker: str) -> Part:
    match part:
        case ToolCall():
            return ToolCall(
                sanitize_text(part.id), sanitize_text(part.tool), sanitize_json(part.arguments), part.parse_error
            )
        case Reasoning():
            return replace(part, text=sanitize_text(part.text), model=speaker)
        case Text():
            return Text(sanitize_text(part.text))
    return part


def join_parts(before: Part, chunk: Text | Reasoning | ToolCall) -> Part | None:
    """Join two parts where possible: signed reasoning is complete."""
    match before, chunk:
        case Text(), Text():
            return Text(before.text + chunk.text)
        case Reasoning(signature=""), Reasoning():
            return Reasoning(before.text + chunk.text, chunk.signature)
    return None


def chunk_error(chunk: object) -> str:
    """Return what is wrong with a chunk of an answer; a wrong usage is corrected."""
    if type(chunk) is Text and type(chunk.text) is str:
        return ""
    if isinstance(chunk, StreamEnd):
        return "" if isinstance(chunk.usage, Usage) else f"{type(chunk.usage).__name__} is not Usage"
    kind = type(chunk)
    return (
        type_error_of(chunk, kind)
        if kind in (Text, Reasoning, ToolCall, Buffered)
        else f"{kind.__name__} is not a chunk"
    )
