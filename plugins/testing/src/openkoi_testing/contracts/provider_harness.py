"""Receive a provider's responses from a fake server that injects faults."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from openkoi_hookspecs import Buffered, Chunk, Message, Provider, ProviderError, Request, StreamEnd, Text, ToolCall
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..servers import Say, ServerFault, VendorServer
from ..servers.faults import AfterResponse

P = TypeVar("P", bound=Provider)
T = TypeVar("T")

SHORT_SECONDS, LONG_SECONDS = 0.1, 30.0
KEY = "sk-abcd1234efgh5678ijkl9012"
SILENT_ENDINGS = (AfterResponse.HANGS, AfterResponse.DRIPS)


@dataclass(frozen=True, slots=True)
class ReceivedResponse:
    """What was received until the answer ended, successfully or with an error."""

    chunks: list[Chunk]
    error: ProviderError | None = None

    @property
    def text(self) -> str:
        """The text alone."""
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, Text))

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls in the answer."""
        return [chunk for chunk in self.chunks if isinstance(chunk, ToolCall)]

    @property
    def is_complete(self) -> bool:
        """Whether the answer was marked as complete."""
        return bool(self.chunks) and isinstance(self.chunks[-1], StreamEnd)


class ProviderHarness:
    """Pairs a provider with the fake of its vendor.

    Set ``server``, ``model`` and ``answer``, and make the ``provider``. ``answer`` is the server's default:
    words, and at least one tool call.
    """

    server: ClassVar[type[VendorServer]]
    model: ClassVar[str]
    answer: ClassVar[Say]

    def provider(self, **settings: Any) -> Provider:
        """Make a provider with these settings: ``base_url``, ``api_key``, ``idle_seconds``, ``transport``."""
        raise TypeError(f"{type(self).__name__} must override provider()")

    def build_request(self, *messages: Message) -> Request:
        """Return a request to the model."""
        return Request(messages or (Message.user("Hello"),), model=self.model)

    def receive(self, fault: ServerFault, answer: Say | None = None, **settings: Any) -> ReceivedResponse:
        """Return what is received from a server with this fault.

        Only a server that is silent on purpose gets a short timeout, because a busy machine may be slow.
        """
        silent = fault.ending in SILENT_ENDINGS or fault.delay > SHORT_SECONDS
        with self.server(replace(answer or self.answer, fault=fault)) as server:
            return self.receive_with(
                **{"base_url": server.url, "idle_seconds": SHORT_SECONDS if silent else LONG_SECONDS, **settings}
            )

    def receive_with(self, **settings: Any) -> ReceivedResponse:
        """Ask a provider with these settings, once."""
        return asyncio.run(receive_once(self.provider(**settings), self.build_request()))


async def receive_once(provider: Provider, request: Request) -> ReceivedResponse:
    """Receive an answer from a provider that is used only once."""
    return await call_once(provider, lambda provider: receive_response(provider, request))


async def call_once(provider: P, ask: Callable[[P], Awaitable[T]]) -> T:
    """Return a call's result from a provider that is used only once: ``call_once(Acme(), Acme.models)``."""
    async with open_provider(provider):
        return await ask(provider)


async def receive_response(provider: Provider, request: Request) -> ReceivedResponse:
    """Receive an answer until it ends, successfully or with an error."""
    chunks: list[Chunk] = []
    try:
        async for chunk in provider.chat(request):
            if not isinstance(chunk, Buffered):
                chunks.append(chunk)
    except ProviderError as error:
        return ReceivedResponse(chunks, error)
    return ReceivedResponse(chunks)


@asynccontextmanager
async def open_provider(provider: Provider) -> AsyncIterator[Provider]:
    """Yield a provider that is closed at the end, if it supports that."""
    if not isinstance(provider, AbstractAsyncContextManager):
        yield provider
        return
    async with provider:
        yield provider
