"""Test streamed answers: in pieces of any size, within limits, and never endless."""

import asyncio
import gzip
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from openkoi_hookspecs import ProviderUnavailableError
from openkoi_http import ApiClient, JsonLines, ResponseLimits
from openkoi_testing.servers.faults import AfterResponse, ServerFault
from openkoi_testing.servers.http_server import EVENTS, HttpServer, ServerResponse

HELLO = [b"data: h\xc3\xa9llo\n\n", b"data: \xf0\x9f\x98\x80\n\n", b"data: [END]\n\n"]
QUICK = ResponseLimits(idle_seconds=0.2, event_bytes=1_000, response_bytes=3_000, error_seconds=0.3)
CALM = replace(QUICK, idle_seconds=10.0)


class Words:
    """A parser that reads each event as a word; dots are keep-alives, and [END] is the end."""

    def __init__(self) -> None:
        self.over = False

    def event(self, data: str) -> Sequence[str] | None:
        self.over = data == "[END]"
        return None if data == "." else [] if self.over else [data]

    def document(self, data: bytes) -> Sequence[str]:
        return [f"whole: {data.decode()}"]


def server(*pieces: bytes, type: str = EVENTS, fault: ServerFault = ServerFault()) -> HttpServer:  # noqa: B008 - frozen
    return HttpServer(lambda _: ServerResponse(pieces or HELLO, type=type, fault=fault))


async def hear(wire: ApiClient) -> list[str]:
    async with aclosing(wire.stream("/say", b"{}", Words())) as words:
        return [word async for word in words]


def heard(from_server: HttpServer, bounds: ResponseLimits = QUICK) -> list[str]:
    async def ask() -> list[str]:
        async with ApiClient(listening.url, bounds=bounds) as wire:
            return await hear(wire)

    with from_server as listening:
        return asyncio.run(ask())


def test_events_are_read_in_order() -> None:
    assert heard(server()) == ["héllo", "😀"]


@pytest.mark.parametrize("slice", [1, 2, 3, 7])
def test_characters_may_be_split(slice: int) -> None:
    assert heard(server(fault=ServerFault(slice=slice, keep_alives=1))) == ["héllo", "😀"]


def test_line_ends_and_missing_spaces_do_not_matter() -> None:
    assert heard(server(b"data:a\r\n\r\n", b": note\r\ndata: b\r\n\r\n")) == ["a", "b"]


def test_an_answer_that_came_whole_is_a_document() -> None:
    assert heard(server(b'{"a": 1}', type="application/json")) == ['whole: {"a": 1}']


def test_what_follows_the_end_is_not_read() -> None:
    assert heard(server(*HELLO, b"data: late\n\n")) == ["héllo", "😀"]


@pytest.mark.parametrize("cut", [0, 3, 9, 20, 30])
def test_a_stream_that_is_cut_off_is_unavailable(cut: int) -> None:
    with pytest.raises(ProviderUnavailableError, match="ended its response early"):
        heard(server(fault=ServerFault(cut=cut)))


@pytest.mark.parametrize(
    "fault",
    [
        ServerFault(delay=30),
        ServerFault(cut=0, after=AfterResponse.HANGS),
        ServerFault(cut=16, after=AfterResponse.HANGS),
        ServerFault(cut=16, after=AfterResponse.DRIPS),
        ServerFault(cut=0, after=AfterResponse.DRIPS),
    ],
    ids=["before the headers", "after them", "in mid-stream", "with keep-alives", "with keep-alives only"],
)
def test_silence_is_not_endured_for_ever(fault: ServerFault) -> None:
    start = time.monotonic()

    with pytest.raises(ProviderUnavailableError, match=r"sent no new content for 0\.[24] seconds"):
        heard(server(fault=fault))
    assert time.monotonic() - start < 20


def test_events_that_say_nothing_new_do_not_count_as_content() -> None:
    news, nothing = [b"data: a\n\n"], [b"data: .\n\n"] * 100

    with pytest.raises(ProviderUnavailableError, match="sent no new content"):
        heard(server(*news, *nothing, fault=ServerFault(pause=0.02)))


def test_a_slow_answer_is_heard_to_its_end() -> None:
    words = [f"data: {n}\n\n".encode() for n in range(9)]

    assert list("012345678") == heard(server(*words, fault=ServerFault(pause=0.2)), ResponseLimits(idle_seconds=1.5))


def test_a_slow_listener_is_not_the_server_s_fault() -> None:
    async def ask() -> list[str]:
        async with ApiClient(listening.url, bounds=QUICK) as wire, aclosing(wire.stream("/", b"", Words())) as words:
            return [await asyncio.sleep(0.3, word) async for word in words]

    with server() as listening:
        assert asyncio.run(ask()) == ["héllo", "😀"]


@pytest.mark.parametrize(
    "pieces",
    [[b"data: " + b"x" * 2_000 + b"\n\n"], [b"data: " + b"x" * 5_000], [b"data: xx\ndata: xx\n" * 200]],
    ids=["an event", "a line without an end", "an event of many lines"],
)
def test_an_event_may_not_be_endless(pieces: list[bytes]) -> None:
    with pytest.raises(ProviderUnavailableError, match="sent an event of more than 1,000 bytes"):
        heard(server(*pieces), CALM)


@pytest.mark.parametrize("type", [EVENTS, "application/json"])
def test_an_answer_may_not_be_endless(type: str) -> None:
    with pytest.raises(ProviderUnavailableError, match="sent more than 3,000 bytes"):
        heard(server(*[b"data: " + b"x" * 500 + b"\n\n"] * 20, type=type), CALM)


def test_an_error_body_may_not_be_endless() -> None:
    start = time.monotonic()

    with pytest.raises(ProviderUnavailableError, match="rate limit exceeded") as caught:
        heard(
            server(
                b'{"error"',
                fault=ServerFault(status=429, headers={"Retry-After": "4"}, after=AfterResponse.DRIPS),
            )
        )
    assert caught.value.retry_after == 4.0
    assert time.monotonic() - start < 20


def test_one_connection_serves_one_answer_after_the_other() -> None:
    async def ask() -> None:
        async with ApiClient(listening.url) as wire:
            for _ in range(5):
                await hear(wire)

    with server() as listening:
        asyncio.run(ask())

    assert listening.connections == 1


def test_answers_at_the_same_time_have_a_connection_each_that_serves_again() -> None:
    async def ask() -> list[list[str]]:
        async with ApiClient(listening.url) as wire:
            for _ in range(3):
                heard_by_all = await asyncio.gather(*(hear(wire) for _ in range(3)))
        return heard_by_all

    with server(fault=ServerFault(pause=0.02)) as listening:
        assert [["héllo", "😀"]] * 3 == asyncio.run(ask())

    assert listening.connections == 3


def test_a_wire_that_was_closed_may_be_used_again() -> None:
    async def ask() -> list[str]:
        wire = ApiClient(listening.url)
        async with wire:
            await hear(wire)
        async with wire:
            return await hear(wire)

    with server() as listening:
        assert ["héllo", "😀"] == asyncio.run(ask())

    assert listening.connections == 2


def test_an_answer_may_be_abandoned() -> None:
    async def ask() -> tuple[str, list[str]]:
        async with ApiClient(listening.url) as wire:
            async with aclosing(wire.stream("/", b"{}", Words())) as words:
                first = await anext(words)
            return first, await hear(wire)

    with server(fault=ServerFault(pause=0.05)) as listening:
        assert asyncio.run(ask()) == ("héllo", ["héllo", "😀"])


def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    async def ask() -> None:
        async with ApiClient(listening.url) as wire, asyncio.timeout(0.1):
            await hear(wire)

    with server(fault=ServerFault(cut=16, after=AfterResponse.HANGS)) as listening, pytest.raises(TimeoutError):
        asyncio.run(ask())


def test_a_wire_may_be_used_again_in_another_loop() -> None:
    async def ask() -> list[str]:
        async with wire:
            return await hear(wire)

    with server() as listening:
        wire = ApiClient(listening.url)
        assert asyncio.run(ask()) == asyncio.run(ask())


def test_a_hundred_answers_come_at_the_same_time() -> None:
    async def ask() -> list[list[str]]:
        async with ApiClient(listening.url) as wire:
            return await asyncio.gather(*(hear(wire) for _ in range(100)))

    with server() as listening:
        assert asyncio.run(ask()) == [["héllo", "😀"]] * 100


def test_importing_it_imports_no_http_client() -> None:
    program = "import sys, openkoi_http; print('httpx2' in sys.modules, 'ssl' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", program], text=True).split()[0] == "False"


@pytest.mark.parametrize("slice", [None, 1, 2, 4])
def test_a_mark_of_the_encoding_hides_no_event(slice: int | None) -> None:
    assert heard(server(b"\xef\xbb\xbf", *HELLO, fault=ServerFault(slice=slice))) == ["héllo", "😀"]


def test_a_mark_of_the_encoding_hides_no_line() -> None:
    lines = JsonLines()

    assert list(lines.feed(b"\xef\xbb")) == []
    assert list(lines.feed(b"\xbfa\nb\n\xef\xbb\xbfc\n")) == ["a", "b", "\ufeffc"]


@pytest.mark.parametrize("slice", [None, 1, 5])
def test_a_document_in_place_of_events_is_read(slice: int | None) -> None:
    body = b'\n{"error":\n  {"message": "No."}\n}\n'

    assert heard(server(body, fault=ServerFault(slice=slice))) == [body.decode().lstrip()]


def test_a_document_in_place_of_events_may_be_longer_than_an_event() -> None:
    body = b'{"error": "' + b"x" * 2_000 + b'"}'

    assert [body.decode()] == heard(server(body, fault=ServerFault(slice=100)), CALM)


def test_comments_that_keep_a_stream_alive_are_no_event() -> None:
    assert ["a"] == heard(server(*[b": ping\n"] * 300, b"data: a\n\n", b"data: [END]\n\n"), CALM)


def test_headers_and_first_words_share_the_time_there_is() -> None:
    start = time.monotonic()

    with pytest.raises(ProviderUnavailableError, match=r"sent no new content for 1\.1 seconds"):
        heard(server(fault=ServerFault(delay=0.8, cut=0, after=AfterResponse.HANGS)), ResponseLimits(idle_seconds=0.6))
    assert time.monotonic() - start < 1.7


def test_an_answer_begins_within_two_minutes() -> None:
    assert 60 < ResponseLimits().first_content_timeout < 120


@pytest.mark.parametrize("kind", [EVENTS, "application/json"])
def test_what_unpacks_to_far_more_than_an_answer_is_broken_off(kind: str) -> None:
    packed = gzip.compress(b"\n" * 50_000_000)
    packing = ServerFault(headers={"content-encoding": "gzip"})
    start = time.process_time()

    with pytest.raises(ProviderUnavailableError, match="sent more than"):
        heard(server(packed, type=kind, fault=packing), replace(CALM, response_bytes=3_000_000))
    assert time.process_time() - start < 2
