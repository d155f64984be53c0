"""One call of a model: reserve, send, stream, settle, write down, and try again when it may pass.

Knows leases, streams and retries; knows no task, tool or plugin but the provider.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from openkoi_hookspecs import (
    Done,
    Event,
    LimitReached,
    Part,
    Refused,
    Reply,
    Request,
    Text,
    Thought,
    ToolCall,
    ToolResult,
    Unavailable,
    Usage,
    events,
)

from .limits import Budget, Lease
from .roles import Player, suggestion

TRIES = 4
LONGEST_WAIT = 60.0
RETRY_BUDGET = 120.0
FIRST_WAIT = 0.5
CHARACTERS = 4
OVERHEAD = 8
TELLING = 0.05


@dataclass(slots=True)
class Heard:
    """What came of an answer so far."""

    parts: list[Part] = field(default_factory=list)
    done: Done | None = None
    untold: str = ""
    told: float = 0.0

    def take(self, chunk: Text | Thought | ToolCall | Done) -> None:
        """Add one chunk; pieces of text grow together."""
        if isinstance(chunk, Done):
            self.done = chunk
        elif isinstance(chunk, (Text, Thought)) and self.parts and type(self.parts[-1]) is type(chunk):
            self.parts[-1] = joined(self.parts[-1], chunk)
        else:
            self.parts.append(chunk)
        if isinstance(chunk, Text):
            self.untold += chunk.text

    def tell(self) -> str:
        """The text that came since the last telling, a few times a second; empty while it is too early."""
        if not self.untold or (self.done is None and perf_counter() - self.told < TELLING):
            return ""
        self.told, text, self.untold = perf_counter(), self.untold, ""
        return text


def joined(before: Any, chunk: Text | Thought) -> Part:
    if isinstance(chunk, Thought):
        return Thought(before.text + chunk.text, chunk.seal or before.seal)
    return Text(before.text + chunk.text)


@dataclass(slots=True)
class Asking:
    """Calls models for one run. ``emit`` writes events down."""

    budget: Budget
    emit: Callable[[Event], Awaitable[None]]
    warned: set[str] = field(default_factory=set)

    async def chat(self, request: Request, player: Player) -> Reply:
        """Call a model; raises LimitReached before a limit is passed, Unavailable or Refused when none answers."""
        await self.warn_of_price(player)
        waited, tries = 0.0, 1
        while True:
            try:
                return await self.once(request, player)
            except Unavailable as error:
                wait = pause(error, tries)
                if wait is None or waited + wait > RETRY_BUDGET or wait >= self.budget.seconds_left:
                    raise Unavailable(f"All providers exhausted: {error}", retry_after=error.retry_after) from error
                await self.emit(events.Warned(f"{error} Trying again in {wait:g} s."))
                await asyncio.sleep(wait)
                waited, tries = waited + wait, tries + 1
            except Refused as error:
                raise Refused(f"{error}{await suggestion(player)}") from error

    async def warn_of_price(self, player: Player) -> None:
        if player.known or player.name in self.warned:
            return
        self.warned.add(player.name)
        await self.emit(
            events.Warned(
                f"The price of {player.name} is not known: it is counted at ${player.price.input:g} and "
                f'${player.price.output:g} per million tokens. Set [models.known."{player.name}"] price = [in, out].'
            )
        )

    async def once(self, request: Request, player: Player) -> Reply:
        estimate = estimated(request)
        asked_for = min(request.max_output or player.model.output, player.model.output)
        lease = self.budget.reserve(estimate, asked_for, player.price)
        sent = replace(request, model=player.model.name, max_output=lease.max_output)
        heard, started = Heard(), perf_counter()
        try:
            async with asyncio.timeout(self.budget.seconds_left):
                async for chunk in player.provider.chat(sent):
                    heard.take(chunk)
                    if request.model == "executor" and (text := heard.tell()):
                        await self.emit(events.Spoke(text))
            if heard.done is None:
                raise Unavailable(f"{player.name} broke off in the middle of its answer.")
        except TimeoutError:
            self.give_back(lease, heard, estimate, player)
            raise LimitReached("seconds") from None
        except BaseException:
            self.give_back(lease, heard, estimate, player)
            raise
        return await self.paid(lease, request.model, heard, estimate, player, started)

    def give_back(self, lease: Lease, heard: Heard, estimate: int, player: Player) -> None:
        """A call that failed: what had begun to arrive is paid for, by estimate; the rest is not."""
        if heard.parts:
            self.budget.settle(lease, Usage(input=estimate, output=size(heard.parts) // CHARACTERS), player.price)
        else:
            self.budget.release(lease)

    async def paid(self, lease: Lease, role: str, heard: Heard, estimate: int, player: Player, started: float) -> Reply:
        assert heard.done is not None
        usage = believable(heard.done.usage, estimate, size(heard.parts) // CHARACTERS)
        usd = self.budget.settle(lease, usage, player.price)
        if usage.total > lease.tokens:
            await self.emit(
                events.Warned(f"{player.name} used {usage.total} tokens where {lease.tokens} were reserved.")
            )
        reply = Reply(tuple(heard.parts), replace(heard.done, usage=usage))
        took = round((perf_counter() - started) * 1000)
        await self.emit(events.Answered(player.name, reply, usd, role=role, milliseconds=took))
        return reply


def pause(error: Unavailable, tries: int) -> float | None:
    """How long to wait before the next try; None: it is of no use."""
    if tries >= TRIES or (error.retry_after or 0.0) > LONGEST_WAIT:
        return None
    return max(error.retry_after or 0.0, FIRST_WAIT * 2.0 ** (tries - 1))


def believable(usage: Usage, estimate: int, written: int) -> Usage:
    """The vendor's count, or our estimate where it is missing or cannot be."""
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    if any(count < 0 for count in counts) or not usage.total:
        return Usage(input=estimate, output=written)
    return usage


def estimated(request: Request) -> int:
    """Tokens that a request will be, about."""
    characters = sum(map(len, request.system)) + sum(size(message.parts) for message in request.messages)
    schemas = sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    return (characters + schemas) // CHARACTERS + OVERHEAD * (1 + len(request.messages))


def size(parts: Sequence[Part]) -> int:
    return sum(len(str(part.arguments)) if isinstance(part, ToolCall) else weighed(part) for part in parts)


def weighed(part: Part) -> int:
    return len(part.text) if isinstance(part, (Text, Thought, ToolResult)) else 4_000
