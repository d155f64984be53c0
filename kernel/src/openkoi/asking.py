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
    KoiError,
    LimitReached,
    Part,
    PluginFault,
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

from .deadline import ours_to_end
from .limits import Budget, Lease
from .roles import Player, suggestion
from .words import mended, mended_values

TRIES = 4
LONGEST_WAIT = 60.0
RETRY_BUDGET = 120.0
FIRST_WAIT = 0.5
CHARACTERS = 4
OVERHEAD = 8
PICTURE = 4_000
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
        """What came since the last telling, a few times a second, and whole words only: a secret is never split."""
        if not self.untold or (self.done is None and perf_counter() - self.told < TELLING):
            return ""
        end = len(self.untold) if self.done else self.untold.rfind(" ") + 1
        self.told, text, self.untold = perf_counter(), self.untold[:end], self.untold[end:]
        return mended(text)

    @property
    def whole(self) -> tuple[Part, ...]:
        """The answer's parts, with every text in them such that it can be written."""
        return tuple(map(whole_part, self.parts))


def whole_part(part: Any) -> Part:
    if isinstance(part, ToolCall):
        return replace(part, id=mended(part.id), tool=mended(part.tool), arguments=mended_values(part.arguments))
    return replace(part, text=mended(part.text)) if isinstance(part, (Text, Thought)) else part


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
            await self.listen(sent, request.model, heard, player)
            usage = believable(heard, estimate)
            parts = heard.whole
        except BaseException:
            self.give_back(lease, heard, estimate, player)
            raise
        took = round((perf_counter() - started) * 1000)
        reply = Reply(parts, replace(heard.done or Done(usage), usage=usage))
        return await self.paid(lease, reply, request.model, player, took)

    async def listen(self, sent: Request, role: str, heard: Heard, player: Player) -> None:
        """Take an answer in as it streams; what else than an answer comes is a ProviderError or a PluginFault."""
        try:
            async with asyncio.timeout(max(0.0, self.budget.seconds_left)) as deadline:
                async for chunk in player.provider.chat(sent):
                    heard.take(chunk)
                    if role == "executor" and (text := heard.tell()):
                        await self.emit(events.Spoke(text))
        except (KeyboardInterrupt, KoiError):
            raise
        except BaseException as error:  # a provider is a plugin: what it may raise is not known
            if isinstance(error, asyncio.CancelledError) and ours_to_end():
                raise
            if deadline.expired():
                raise LimitReached("seconds") from None
            raise PluginFault(player.name, "chat", f"{type(error).__name__}: {error}") from error
        if heard.done is None:
            raise Unavailable(f"{player.name} broke off in the middle of its answer.")

    def give_back(self, lease: Lease, heard: Heard, estimate: int, player: Player) -> None:
        """A call that failed: what had begun to arrive is paid for, by estimate; the rest is not."""
        if heard.parts:
            self.budget.settle(lease, Usage(input=estimate, output=size(heard.parts) // CHARACTERS), player.price)
        else:
            self.budget.release(lease)

    async def paid(self, lease: Lease, reply: Reply, role: str, player: Player, took: int) -> Reply:
        usage = reply.done.usage
        usd = self.budget.settle(lease, usage, player.price)
        if usage.total > lease.tokens:
            over = f"{player.name} counted {usage.total} tokens where {lease.tokens} were reserved; the task ends here."
            await self.emit(events.Warned(over))
        await self.emit(events.Answered(player.name, reply, usd, role=role, milliseconds=took))
        return reply


def pause(error: Unavailable, tries: int) -> float | None:
    """How long to wait before the next try; None: it is of no use."""
    if tries >= TRIES or (error.retry_after or 0.0) > LONGEST_WAIT:
        return None
    return max(error.retry_after or 0.0, FIRST_WAIT * 2.0 ** (tries - 1))


def believable(heard: Heard, estimate: int) -> Usage:
    """The vendor's count, or our estimate where it is missing or cannot be."""
    usage = heard.done.usage if heard.done else Usage()
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    if all(type(count) is int and count >= 0 for count in counts) and usage.total:
        return usage
    return Usage(input=estimate, output=size(heard.parts) // CHARACTERS)


def estimated(request: Request) -> int:
    """Tokens that a request will be, about: a quarter of its characters."""
    characters = sum(map(weight, request.system)) + sum(size(message.parts) for message in request.messages)
    schemas = sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    return (characters + schemas) // CHARACTERS + OVERHEAD * (1 + len(request.messages))


def size(parts: Sequence[Part]) -> int:
    return sum(map(weighed, parts))


def weighed(part: Part) -> int:
    if isinstance(part, ToolCall):
        return weight(str(part.arguments))
    return weight(part.text) if isinstance(part, (Text, Thought, ToolResult)) else PICTURE


def weight(text: str) -> int:
    """Characters; those beyond ASCII count as many as their bytes, for they are dearer."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
