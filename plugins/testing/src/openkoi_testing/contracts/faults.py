"""Test what every provider promises when something goes wrong on the way. Inherit it, with your vendor's fake::

    class TestFaults(FaultsContract):
        server, model, answer = AcmeServer, "acme-fake", ANSWER
        spoken = (*events(ANSWER),)

        def provider(self, **settings):
            return Acme(**{"api_key": "secret", **settings})

A tool call is yielded when the answer is complete, or not at all; every wait is limited; no error is a crash.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import ClassVar

import pytest

from openkoi_hookspecs import ProviderUnavailableError, RequestRejectedError, ToolCall, WrongServerError

from ..servers import Say, ServerFault
from ..servers.faults import AfterResponse
from .provider_harness import ProviderHarness, ReceivedResponse, open_provider, receive_response

READ_CALL = ToolCall("call_1", "read", {"path": "ä"})
HTML = {"content-type": "text/html"}
HTML_PAGE = b"<html>" + b"Busy " * 1000
MEGABYTES = b"x" * 4_000_000
STREAM = "text/event-stream"
TIMEOUT_SECONDS = 20.0
STRIDE = 61
ENDLESS = (
    (200, STREAM),
    (200, "application/json"),
    pytest.param(200, "text/html", marks=pytest.mark.campaign),
    (500, STREAM),
    (500, "application/json"),
    (500, "text/html"),
)
NOISE = (
    b"\x00\xff" * 500,
    b"data: \xff\xfe{\n\n",
    b"data: {}}\n\n",
    b"data: [1]\n\n",
    b"HTTP/1.1 200 OK\n\n",
)
SILENCES = (
    ("silence", ServerFault(cut=0, after=AfterResponse.HANGS)),
    ("keep-alives", ServerFault(cut=0, after=AfterResponse.DRIPS)),
    ("no headers", ServerFault(delay=9)),
)


class CutsContract(ProviderHarness):
    """Test an answer that was cut off anywhere.

    ``spoken`` are its pieces, ``kind`` its content type, if not a stream's.
    """

    spoken: ClassVar[tuple[bytes, ...]]
    kind: ClassVar[str] = ""

    def may_be_complete(self, lengths: Sequence[int], well: Sequence[int]) -> bool:
        """Return whether these cut answers may count as complete: all from some byte on."""
        return list(lengths[-len(well) :]) == list(well)

    def receive_cut(self, lengths: Sequence[int]) -> list[ReceivedResponse]:
        """Return what is received of the first bytes of an answer, for each of these lengths."""
        whole = b"".join(self.spoken)
        return self.receive_bodies([whole[:length] for length in lengths])

    def receive_bodies(self, bodies: Sequence[bytes]) -> list[ReceivedResponse]:
        """Return what is received of answers whose end is marked by the end of their bodies."""
        headers = {"content-type": self.kind} if self.kind else {}
        answers = [Say(fault=ServerFault(body=body, headers=headers, framed=False)) for body in bodies]

        with self.server(*answers) as server:
            return asyncio.run(self.run_turns(server.url, turns=len(answers)))

    async def run_turns(self, url: str, *, turns: int) -> list[ReceivedResponse]:
        """Return what is received in a number of turns."""
        async with open_provider(self.provider(base_url=url)) as provider:
            return [await receive_response(provider, self.build_request()) for _ in range(turns)]

    def test_an_answer_cut_anywhere_is_either_whole_or_nothing_of_it_is_acted_upon(self) -> None:
        """Around the end of every event, and here and there between."""
        self.check_cuts(lengths_around(self.spoken))

    @pytest.mark.campaign
    def test_an_answer_cut_at_any_byte_is_either_whole_or_nothing_of_it_is_acted_upon(self) -> None:
        """The same for every byte."""
        self.check_cuts(range(len(b"".join(self.spoken)) + 1))

    def check_cuts(self, lengths: Sequence[int]) -> None:
        """Cut an answer at these bytes: an end and its tool calls come together, or neither comes."""
        responses = self.receive_cut(lengths)
        well = [length for length, one in zip(lengths, responses, strict=True) if one.error is None]

        assert well == [length for length, one in zip(lengths, responses, strict=True) if one.calls]
        assert well == [length for length, one in zip(lengths, responses, strict=True) if one.is_complete]
        assert all(isinstance(one.error, ProviderUnavailableError | None) for one in responses)
        assert (responses[0].error is None, responses[-1].error is None) == (False, True)
        assert self.may_be_complete(lengths, well)


class FaultsContract(CutsContract):
    """Set what a ``ProviderHarness`` needs, and ``spoken``: the pieces of an answer as they stream.

    ``breaks`` are the bytes after which a connection breaks, ``slices`` how many bytes come at a time; ``garbage`` and
    ``silences`` may extend the common cases.
    """

    breaks: ClassVar[Sequence[int]] = (0, 1, 150, 400)
    slices: ClassVar[Sequence[int]] = (1, 2, 5)
    garbage: ClassVar[Sequence[bytes]] = NOISE
    silences: ClassVar[Sequence[tuple[str, ServerFault]]] = SILENCES

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrize the tests with the faults."""
        given = {"end": self.breaks, "piece_bytes": self.slices, "noise": self.garbage}
        for name, values in given.items():
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, values)
        if "silence" in metafunc.fixturenames:
            metafunc.parametrize("silence", [pytest.param(fault, id=name) for name, fault in self.silences])

    @pytest.mark.parametrize("framed", [True, False])
    def test_a_connection_that_breaks_is_unavailable(self, end: int, framed: bool) -> None:
        """Both if the missing part is detectable and if it is not."""
        response = self.receive(ServerFault(cut=end, framed=framed))

        assert isinstance(response.error, ProviderUnavailableError)
        assert not response.calls

    def test_a_stream_in_the_smallest_pieces_is_heard_as_one(self, piece_bytes: int) -> None:
        """Through the middle of characters, with keep-alives between the events."""
        response = self.receive(ServerFault(slice=piece_bytes, keep_alives=1))

        assert response.error is None
        assert (self.answer.text, list(self.answer.calls)) == (response.text, response.calls)

    def test_a_silent_server_ends_with_an_error(self, silence: ServerFault) -> None:
        """Keep-alives do not extend the timeout."""
        begun = time.monotonic()
        response = self.receive(silence)

        assert isinstance(response.error, ProviderUnavailableError)
        assert "sent no new content" in str(response.error)
        assert not response.chunks
        assert time.monotonic() - begun < TIMEOUT_SECONDS

    def test_garbage_is_unavailable(self, noise: bytes) -> None:
        """Bytes that are not an answer, events that are not JSON, another protocol."""
        response = self.receive(ServerFault(body=noise))

        assert isinstance(response.error, ProviderUnavailableError)
        assert not response.chunks

    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
    def test_a_page_in_place_of_an_answer_may_pass_and_is_not_repeated(self, status: int) -> None:
        """A proxy's error page is never quoted."""
        error = self.receive(ServerFault(status=status, headers={**HTML, "Retry-After": "7"}, body=HTML_PAGE)).error

        assert isinstance(error, ProviderUnavailableError)
        assert error.retry_after == 7
        assert "html" not in str(error)
        assert len(str(error)) < 300

    @pytest.mark.parametrize("headers", [HTML, {}])
    def test_a_page_in_place_of_an_answer_is_no_model_server_and_is_not_repeated(self, headers: dict[str, str]) -> None:
        """After a login page, a retry would get a login page again."""
        error = self.receive(ServerFault(headers=headers, body=HTML_PAGE)).error

        assert isinstance(error, WrongServerError)
        assert "html" not in str(error)
        assert len(str(error)) < 300

    @pytest.mark.parametrize("status", [403, 404])
    def test_a_page_that_refuses_is_not_repeated_either(self, status: int) -> None:
        """Neither is a refusal's."""
        error = self.receive(ServerFault(status=status, headers=HTML, body=HTML_PAGE)).error

        assert isinstance(error, RequestRejectedError)
        assert "html" not in str(error)

    @pytest.mark.parametrize(("status", "media_type"), ENDLESS)
    def test_an_endless_answer_is_broken_off(self, status: int, media_type: str) -> None:
        """An endless answer does not fill the memory."""
        response = self.receive(ServerFault(status=status, headers={"content-type": media_type}, body=[MEGABYTES] * 25))

        assert isinstance(response.error, ProviderUnavailableError)
        assert not response.calls

    def test_a_conversation_of_calls_goes_on_over_one_connection(self) -> None:
        """A successful answer leaves the connection open."""
        with self.server(READ_CALL, READ_CALL, READ_CALL, "Done.") as server:
            responses = asyncio.run(self.run_turns(server.url, turns=4))
            connections = server.connections

        assert [None] * 4 == [one.error for one in responses]
        assert "Done." == responses[-1].text
        assert connections == 1

    def test_a_name_that_is_not_known_is_unavailable(self) -> None:
        """The message names the server that could not be reached."""
        error = self.receive_with(base_url="http://nowhere.invalid").error

        assert isinstance(error, ProviderUnavailableError)
        assert "nowhere.invalid" in str(error)
        assert "could not be reached" in str(error)


def lengths_around(pieces: Iterable[bytes]) -> list[int]:
    """Return lengths to cut an answer at: all next to the end of a piece, and some between them."""
    ends = [0, *accumulate(len(piece) for piece in pieces)]
    near = {end - step for end in ends for step in (0, 1)} | {ends[-1] - step for step in range(12)}
    return sorted(length for length in near | {*range(0, ends[-1], STRIDE)} if length >= 0)
