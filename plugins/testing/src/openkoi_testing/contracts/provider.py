"""Test what every provider promises. Inherit it::

    class TestContract(ProviderContract):
        subject = Acme(api_key="secret", transport=...)
        model = "acme-large"

The subject is asked in one event loop, entered once before and left once afterwards, as the kernel does. A test class
that must start a server first overrides the fixture ``provider``.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, ClassVar, TypeVar

import pytest

from openkoi_hookspecs import (
    Arguments,
    Buffered,
    Chunk,
    File,
    FinishReason,
    Image,
    Message,
    Model,
    Provider,
    Reasoning,
    Request,
    RequestRejectedError,
    Role,
    StreamEnd,
    SupportsDescribe,
    SupportsMedia,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_hookspecs.content import IMAGE_TYPES

from .optional_protocols import require_protocol

T = TypeVar("T")

HELLO = Message.user("Say hello.")


class ProviderSession:
    """Run a provider in an event loop of its own."""

    def __init__(self, provider: Provider, model: str, runner: asyncio.Runner) -> None:
        self.provider = provider
        self._model = model
        self._runner = runner

    def wait(self, answer: Coroutine[Any, Any, T]) -> T:
        """Wait for an answer."""
        return self._runner.run(answer)

    def request(self, *messages: Message) -> Request:
        """Make the simplest request."""
        return Request(messages or (HELLO,), model=self._model)

    def receive(self, request: Request | None = None) -> list[Chunk]:
        """Receive an answer to its end."""
        return self.wait(receive_chunks(self.provider, request or self.request()))

    def models(self) -> list[Model]:
        """List the models."""
        return list(self.wait(list_models(self.provider)))


class ProviderContract:
    """Set ``subject`` and ``model``, which may give any answer, including tool calls."""

    subject: ClassVar[Provider]
    model: ClassVar[str]

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        """Yield the provider under test."""
        yield cls.subject  # noqa: PT022 - those that override it have something to end

    @pytest.fixture(scope="class")
    @classmethod
    def session(cls, provider: Provider) -> Iterator[ProviderSession]:
        """Yield the provider, entered in its event loop."""
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            if isinstance(provider, AbstractAsyncContextManager):
                runner.run(stack.enter_async_context(provider))
            yield ProviderSession(provider, cls.model, runner)
            runner.run(stack.aclose())

    def test_lists_the_model_among_those_that_can_be_called(self, session: ProviderSession) -> None:
        """Models are requested by name."""
        names = [model.name for model in session.models()]

        assert self.model in names
        assert len(set(names)) == len(names)

    def test_says_how_much_each_model_can_hold(self, session: ProviderSession) -> None:
        """The kernel reserves and compacts by these numbers."""
        models = session.models()

        assert all(0 < model.output <= model.context for model in models)

    def test_prices_are_known_or_none(self, session: ProviderSession) -> None:
        """An unknown price is None, which is not free; a known one is not negative."""
        prices = [model.price for model in session.models() if model.price is not None]

        assert all(min(price.input, price.output, price.cache_read, price.cache_write) >= 0 for price in prices)

    def test_describes_the_model_by_its_name_alone(self, session: ProviderSession) -> None:
        provider = require_protocol(session.provider, SupportsDescribe)

        described = session.wait(provider.describe(self.model))
        with pytest.raises(RequestRejectedError):
            session.wait(provider.describe("no-such-model-anywhere"))

        assert self.model == described.name
        assert described.context > 0

    def test_chat_answers_at_once_with_something_to_iterate(self, session: ProviderSession) -> None:
        """The function is called without await."""
        answer = session.provider.chat(session.request())

        assert isinstance(answer, AsyncIterator)
        session.wait(close_answer(answer))

    def test_says_done_once_and_last(self, session: ProviderSession) -> None:
        """An answer without it was cut off."""
        chunks = session.receive()

        assert [len(chunks) - 1] == [n for n, chunk in enumerate(chunks) if isinstance(chunk, StreamEnd)]

    def test_says_only_what_the_contract_knows(self, session: ProviderSession) -> None:
        """Text, reasoning, tool calls and StreamEnd."""
        chunks = session.receive()

        assert all(isinstance(chunk, Text | Reasoning | ToolCall | StreamEnd) for chunk in chunks)

    def test_counts_no_tokens_below_zero(self, session: ProviderSession) -> None:
        """Counts that the vendor omits stay zero."""
        usage = end_of(session.receive()).usage

        assert min(usage.input, usage.output, usage.cache_read, usage.cache_write) >= 0

    def test_asks_for_tools_completely_and_under_ids_of_their_own(self, session: ProviderSession) -> None:
        """Each call can be executed unchanged, and answered by its id."""
        calls = tool_calls_in(session.receive())

        assert all(call.id and call.tool and isinstance(call.arguments, Mapping) for call in calls)
        assert len({call.id for call in calls}) == len(calls)

    def test_stops_for_tools_exactly_when_it_asks_for_some(self, session: ProviderSession) -> None:
        """Otherwise a caller would wait for results that never come."""
        chunks = session.receive()

        assert bool(tool_calls_in(chunks)) is (end_of(chunks).stop is FinishReason.TOOLS)

    def test_reads_a_long_story(self, session: ProviderSession) -> None:
        """System blocks, tools, parallel calls with their results, and every setting of a request."""
        chunks = session.receive(long_request(self.model))

        assert isinstance(chunks[-1], StreamEnd)

    def test_sends_all_that_it_declares_to_send(self, session: ProviderSession) -> None:
        """Images and files of each media type, of users and of tools, including failed ones."""
        types = session.provider.media_types if isinstance(session.provider, SupportsMedia) else IMAGE_TYPES
        chunks = session.receive(request_with([sample_of(one) for one in types], self.model))

        assert isinstance(chunks[-1], StreamEnd)

    def test_leaves_the_request_as_it_was(self, session: ProviderSession) -> None:
        """Facts are frozen and may be kept."""
        request, same = long_request(self.model), long_request(self.model)
        session.receive(request)

        assert same.messages == request.messages

    def test_serves_two_runs_at_the_same_time(self, session: ProviderSession) -> None:
        """One provider serves all runs."""
        first, second = session.wait(receive_two(session.provider, session.request()))

        assert isinstance(first[-1], StreamEnd)
        assert isinstance(second[-1], StreamEnd)

    def test_can_be_asked_again_after_an_answer_was_abandoned(self, session: ProviderSession) -> None:
        """The user may interrupt, a limit may be reached."""
        session.wait(abandon_after_first(session.provider, session.request()))

        assert isinstance(session.receive()[-1], StreamEnd)


async def receive_chunks(provider: Provider, request: Request) -> list[Chunk]:
    """Receive an answer to its end."""
    return [chunk async for chunk in provider.chat(request) if not isinstance(chunk, Buffered)]


async def list_models(provider: Provider) -> list[Model]:
    """List the models."""
    return list(await provider.models())


async def receive_two(provider: Provider, request: Request) -> tuple[list[Chunk], list[Chunk]]:
    """Receive two answers at the same time."""
    first, second = await asyncio.gather(receive_chunks(provider, request), receive_chunks(provider, request))
    return first, second


async def abandon_after_first(provider: Provider, request: Request) -> None:
    """Receive the first chunk of an answer and hang up."""
    answer = provider.chat(request)
    await anext(answer)
    await close_answer(answer)


async def close_answer(answer: AsyncIterator[Chunk]) -> None:
    """Hang up."""
    if isinstance(answer, AsyncGenerator):
        await answer.aclose()


def end_of(chunks: list[Chunk]) -> StreamEnd:
    """Return the end of an answer."""
    return next(chunk for chunk in chunks if isinstance(chunk, StreamEnd))


def tool_calls_in(chunks: list[Chunk]) -> list[ToolCall]:
    """Return the tool calls in the answer."""
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


async def unused_tool(arguments: Arguments) -> ToolResult:
    """Return a result of a tool that is never called here."""
    return ToolResult("")


SAMPLES = {
    "image/png": b"\x89PNG\r\n\x1a\n" + bytes(8) + b"\0\0\0\1\0\0\0\1",
    "image/jpeg": b"\xff\xd8\xff\xe0" + bytes(20),
    "image/gif": b"GIF89a\1\0\1\0" + bytes(12),
    "image/webp": b"RIFF\x24\0\0\0WEBPVP8 " + bytes(20),
    "application/pdf": b"%PDF-1.7\n1 0 obj << /Type /Page >> endobj\n",
}


def sample_of(media_type: str) -> Image | File:
    """Return an image or file of a media type."""
    data = SAMPLES.get(media_type, b"a document of another type")
    return Image(data, media_type) if media_type in IMAGE_TYPES else File(data, media_type, "a report (1).pdf")


def request_with(media: Sequence[Image | File], model: str) -> Request:
    """Return a request with images and files of the user, of a tool, and of a tool that failed."""
    calls = (ToolCall("call_1", "look", {}), ToolCall("call_2", "look", {}))
    half = len(media) // 2
    results = (
        ToolResult("Here.", parts=(Text("First:"), *media[:half]), call="call_1"),
        ToolResult("It broke.", parts=tuple(media[half:]), call="call_2", failed=True),
    )
    messages = (Message.user("Look", *media), Message(Role.ASSISTANT, calls), Message.user(*results, "Go on"))
    tool = Tool("look", "Take a screenshot.", {"type": "object", "properties": {}}, unused_tool)
    return Request(messages, model=model, tools=(tool,))


def long_request(model: str) -> Request:
    """Return a request with everything in it."""
    schema: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    calls = (ToolCall("call_1", "read", {"path": "a"}), ToolCall("call_2", "read", {"path": "b"}))
    results = (ToolResult("A", call="call_1"), ToolResult("No such file: b", call="call_2", failed=True))
    messages = (
        Message.user("What is in a and b?"),
        Message(Role.ASSISTANT, (Reasoning("Two files."), Text("I look."), *calls)),
        Message.user(*results, "Go on: ünïcödé 😀"),
    )
    return Request(
        messages,
        model=model,
        system=("You are careful.", "The project is small."),
        tools=(Tool("read", "Read a file.", schema, unused_tool),),
        max_output=256,
        temperature=0.0,
    )
