"""What is heard of a provider, and of a server behind it that does what it is told to. Knows no vendor."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from openkoi_hookspecs import Buffered, Chunk, Message, Provider, ProviderError, Request, StreamEnd, Text, ToolCall

from ..servers import Fault, Say, VendorServer
from ..servers.faults import After

P = TypeVar("P", bound=Provider)
T = TypeVar("T")

SHORT, LONG = 0.1, 30.0
KEY = "sk-abcd1234efgh5678ijkl9012"
SILENT = (After.HANGS, After.DRIPS)


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard until it ended, well or with an error."""

    chunks: list[Chunk]
    error: ProviderError | None = None

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, Text))

    @property
    def calls(self) -> list[ToolCall]:
        """The tools that are asked for."""
        return [chunk for chunk in self.chunks if isinstance(chunk, ToolCall)]

    @property
    def whole(self) -> bool:
        """Whether it said that it is complete."""
        return bool(self.chunks) and isinstance(self.chunks[-1], StreamEnd)


class Speaker:
    """A provider and the fake of its vendor. Set ``server``, ``model`` and ``said``, and make the ``provider``.

    ``said`` is what the server says when nothing else is asked of it: words, and at least one tool call.
    """

    server: ClassVar[type[VendorServer]]
    model: ClassVar[str]
    said: ClassVar[Say]

    def provider(self, **settings: Any) -> Provider:
        """Make one with these settings: ``base_url``, ``api_key``, ``idle_seconds``, ``transport``."""
        raise TypeError(f"{type(self).__name__} does not say how its provider is made")

    def request(self, *messages: Message) -> Request:
        """Ask something of the model."""
        return Request(messages or (Message.user("Hello"),), model=self.model)

    def heard(self, fault: Fault, said: Say | None = None, **settings: Any) -> Heard:
        """What is heard of a server with this fault.

        Only one that is meant to be silent is not waited for: a good one has all the time that a busy machine takes.
        """
        silent = fault.ending in SILENT or fault.delay > SHORT
        with self.server(replace(said or self.said, fault=fault)) as server:
            return self.ask(**{"base_url": server.url, "idle_seconds": SHORT if silent else LONG, **settings})

    def ask(self, **settings: Any) -> Heard:
        """Ask a provider with these settings, once."""
        return asyncio.run(once(self.provider(**settings), self.request()))


async def once(provider: Provider, request: Request) -> Heard:
    """Hear an answer of a provider that is not asked again."""
    return await asked(provider, lambda provider: hear(provider, request))


async def asked(provider: P, ask: Callable[[P], Awaitable[T]]) -> T:
    """What a provider answers that is not asked again: ``asked(Acme(), Acme.models)``."""
    async with opened(provider):
        return await ask(provider)


async def hear(provider: Provider, request: Request) -> Heard:
    """Hear an answer until it ends, well or badly."""
    chunks: list[Chunk] = []
    try:
        async for chunk in provider.chat(request):
            if not isinstance(chunk, Buffered):
                chunks.append(chunk)
    except ProviderError as error:
        return Heard(chunks, error)
    return Heard(chunks)


@asynccontextmanager
async def opened(provider: Provider) -> AsyncIterator[Provider]:
    """A provider that is closed at the end, if it is one that has to be."""
    if not isinstance(provider, AbstractAsyncContextManager):
        yield provider
        return
    async with provider:
        yield provider
