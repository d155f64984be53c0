"""An answer cut at every byte, garbage, silence, and no end: never a crash, never half a tool call."""

import asyncio
import time

import httpx2
import pytest

from openkoi_anthropic import Anthropic
from openkoi_hookspecs import Chunk, Done, Message, ProviderError, Request, Text, Thought, ToolCall, Unavailable
from openkoi_testing.servers import AnthropicServer, Fault, Say
from openkoi_testing.servers.anthropic_speech import event, events, message, written

HELLO = Request([Message.user("Hello")], model="claude-fake")
IDLE = 0.25
ANSWER = Say([Thought("Hm.", seal="c2ln"), "Héllo 😀", ToolCall("a", "read", {"path": "ä"}), "More."], delta=9)
WHOLE = b"".join(events(ANSWER, {"model": "claude-fake"}))
DOCUMENT = written(message(ANSWER, {"model": "claude-fake"}))
STREAM, JSON = {"content-type": "text/event-stream"}, {"content-type": "application/json"}


async def listen(provider: Anthropic) -> tuple[list[Chunk], ProviderError | None]:
    """What is heard until it ends, well or badly."""
    chunks: list[Chunk] = []
    try:
        async for chunk in provider.chat(HELLO):
            chunks.append(chunk)
    except ProviderError as error:
        return chunks, error
    return chunks, None


async def hear(provider: Anthropic) -> tuple[list[Chunk], ProviderError | None]:
    """The same, and nothing is left open."""
    async with provider:
        return await listen(provider)


def heard(fault: Fault) -> tuple[list[Chunk], ProviderError | None]:
    with AnthropicServer(Say(ANSWER.words, delta=9, fault=fault)) as server:
        return asyncio.run(hear(Anthropic(api_key="k", base_url=server.url, idle_seconds=IDLE)))


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def cut_at_every_byte(whole: bytes, headers: dict[str, str]) -> list[tuple[list[Chunk], ProviderError | None]]:
    """What is heard of the first bytes of an answer, for each number of them."""
    lengths = iter(range(len(whole) + 1))
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=whole[: next(lengths)], headers=headers))

    async def ask() -> list[tuple[list[Chunk], ProviderError | None]]:
        async with Anthropic(base_url="http://localhost", transport=wire) as provider:
            return [await listen(provider) for _ in range(len(whole) + 1)]

    return asyncio.run(ask())


@pytest.mark.parametrize(("whole", "headers"), [(WHOLE, STREAM), (DOCUMENT, JSON)], ids=["stream", "document"])
def test_an_answer_cut_at_any_byte_is_either_whole_or_nothing_of_it_is_acted_upon(
    whole: bytes, headers: dict[str, str]
) -> None:
    outcomes = cut_at_every_byte(whole, headers)
    ended_well = [error is None for _, error in outcomes]

    assert ended_well == [bool(calls(chunks)) for chunks, _ in outcomes]
    assert ended_well == [any(isinstance(chunk, Done) for chunk in chunks) for chunks, _ in outcomes]
    assert all(isinstance(error, Unavailable | None) for _, error in outcomes)
    assert ended_well == sorted(ended_well)
    assert (ended_well[0], ended_well[-1]) == (False, True)


@pytest.mark.parametrize("end", [0, 1, 700, len(WHOLE) - 30])
def test_a_connection_that_breaks_is_unavailable(end: int) -> None:
    chunks, found = heard(Fault(cut=end))

    assert isinstance(found, Unavailable)
    assert not calls(chunks)


def test_a_cut_that_no_one_can_see_is_seen() -> None:
    _, found = heard(Fault(cut=len(WHOLE) - 60, framed=False))

    assert "nothing in it was acted upon" in str(found)


@pytest.mark.parametrize("slice", [1, 2, 5])
def test_a_stream_in_the_smallest_pieces_is_heard_as_one(slice: int) -> None:
    chunks, found = heard(Fault(slice=slice, keep_alives=1))

    assert found is None
    assert text(chunks) == "Héllo 😀More."
    assert calls(chunks) == [ToolCall("a", "read", {"path": "ä"})]


@pytest.mark.parametrize("keep_alive", [b": still there\n\n", event("ping")], ids=["comments", "pings"])
def test_keep_alives_alone_are_not_waited_for_longer_than_is_said(keep_alive: bytes) -> None:
    body = [WHOLE[: WHOLE.index(b"event: content_block_stop")], *[keep_alive] * 100]
    begun = time.monotonic()
    chunks, found = heard(Fault(body=body, pause=0.02))

    assert isinstance(found, Unavailable)
    assert not calls(chunks)
    assert time.monotonic() - begun < 10 * IDLE


@pytest.mark.parametrize(
    "garbage",
    [b"\x00\xff" * 500, b"data: \xff\xfe{\n\n", b"data: {}}\n\n", b"<html>busy</html>", b"HTTP/1.1 200 OK\n\n"],
)
def test_garbage_is_unavailable(garbage: bytes) -> None:
    chunks, found = heard(Fault(body=garbage))

    assert isinstance(found, Unavailable)
    assert not chunks


@pytest.mark.parametrize("status", [200, 429, 502])
def test_web_pages_are_not_repeated(status: int) -> None:
    page = Fault(status=status, headers={"content-type": "text/html"}, body=b"<html>" + b"busy " * 1000)
    _, found = heard(page)

    assert isinstance(found, Unavailable)
    assert len(str(found)) < 300


@pytest.mark.parametrize("kind", [STREAM, JSON], ids=["stream", "document"])
@pytest.mark.parametrize("status", [200, 500])
def test_an_endless_answer_is_broken_off(kind: dict[str, str], status: int) -> None:
    piece = event("content_block_delta", index=0, delta={"type": "text_delta", "text": "x" * 4_000_000})
    _, found = heard(Fault(status=status, headers=kind, body=[piece] * 25))

    assert isinstance(found, Unavailable)


def test_a_name_that_is_not_known_is_unavailable() -> None:
    _, found = asyncio.run(hear(Anthropic(api_key="k", base_url="http://nowhere.invalid")))

    assert isinstance(found, Unavailable)
    assert "nowhere.invalid could not be reached" in str(found)
