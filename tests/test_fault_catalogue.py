"""Test the catalogue's layers `http` and `sse` at a provider's boundary.

What the kernel makes of it (retries, fallbacks, budgets) and the layers above the wire are tested elsewhere.
"""

import asyncio
import base64
import time
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from data_files import Case, case_name, fault_cases

from openkoi_hookspecs import (
    Chunk,
    Message,
    ProviderError,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    StreamEnd,
    Text,
    ToolCall,
)
from openkoi_openai import OpenAI
from openkoi_testing.servers import OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse
from openkoi_testing.servers.http_server import HttpServer, ServerResponse

IDLE = 0.5
KEY = "sk-abcd1234efgh5678ijkl9012"
NOWHERE = "http://nowhere.invalid/v1"
SPECIAL = {
    "headers-then-silence": ServerFault(cut=0, after=AfterResponse.HANGS),
    "429 with a body that never ends": ServerFault(status=429, body=b"", after=AfterResponse.DRIPS),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of a request at the provider's boundary."""

    chunks: Sequence[Chunk]
    error: ProviderError | None
    seconds: float

    @property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, Text))

    @property
    def calls(self) -> list[ToolCall]:
        return [chunk for chunk in self.chunks if isinstance(chunk, ToolCall)]


async def ask(provider: OpenAI) -> tuple[list[Chunk], ProviderError | None]:
    chunks: list[Chunk] = []
    async with provider:
        try:
            async for chunk in provider.chat(Request([Message.user("Hello")], model="gpt-fake")):
                chunks.append(chunk)
        except ProviderError as error:
            return chunks, error
    return chunks, None


def ask_provider(base_url: str) -> Seen:
    start = time.monotonic()
    chunks, error = asyncio.run(ask(OpenAI(api_key=KEY, base_url=base_url, idle_seconds=IDLE)))
    return Seen(chunks, error, time.monotonic() - start)


def ask_faulty(fault: ServerFault) -> Seen:
    with OpenAIServer(Say("unheard", fault=fault)) as server:
        return ask_provider(server.url)


def fault_of(given: Case) -> ServerFault:
    if given["status"] in SPECIAL:
        return SPECIAL[given["status"]]
    headers = {"content-type": "application/json", **given["headers"]}
    return ServerFault(status=given["status"], headers=headers, body=given["body"].encode())


def stream_of(case: Case) -> ServerFault:
    """Return a case in which only keep-alives are sent, forever."""
    pieces = [base64.b64decode(piece) for piece in case["given"]["chunks_b64"]]
    endless = pieces[1:2] == [b": ka\n\n"]
    return ServerFault(body=pieces, after=AfterResponse.DRIPS if endless else AfterResponse.ENDS)


def deadline(expect: Case) -> float:
    """Idle time is shortened for the test, and what is allowed with it."""
    if "after_idle_s_at_most" in expect:
        return float(expect["after_idle_s_at_most"]) * IDLE / 60 + 5
    return float(expect.get("seconds_at_most", 30))


def check(found: Seen, expect: Case) -> None:
    """Compare with the part of the catalogue's expectation that concerns providers."""
    match expect["outcome"]:
        case "ok":
            assert found.error is None
            assert isinstance(found.chunks[-1], StreamEnd)
        case "retry":
            assert isinstance(found.error, ProviderUnavailableError)
            assert expect.get("after_s", [0])[0] == (found.error.retry_after or 0)
        case "fail" if expect.get("kind") == "network":
            assert isinstance(found.error, ProviderUnavailableError)
        case "fail":
            assert isinstance(found.error, RequestRejectedError)
        case "compact_and_retry":
            assert isinstance(found.error, RequestRejectedError)
            assert found.error.context_overflow
        case "tools":
            assert expect["args"] == [call.arguments for call in found.calls]
        case "incomplete":
            assert isinstance(found.error, ProviderUnavailableError)
            assert not found.calls
        case "truncated_tool":
            assert not found.calls
        case "tools_or_error" | "ok_or_incomplete":
            assert (found.error is None) is isinstance(found.chunks[-1] if found.chunks else None, StreamEnd)
        case unknown:
            pytest.fail(f"The catalogue expects {unknown!r}, which is not known here.")


@pytest.mark.parametrize("case", fault_cases("http"), ids=case_name)
def test_an_answer_is_seen_as_what_it_is(case: Case) -> None:
    found = ask_provider(NOWHERE) if case["given"]["status"] == "dns-failure" else ask_faulty(fault_of(case["given"]))

    check(found, case["expect"])
    assert found.seconds < deadline(case["expect"])
    assert KEY not in str(found.error)


@pytest.mark.parametrize("case", fault_cases("sse"), ids=case_name)
def test_a_stream_is_seen_as_what_it_is(case: Case) -> None:
    expect = case["expect"]
    found = ask_faulty(stream_of(case))

    check(found, expect)
    assert found.seconds < deadline(expect)
    if "text" in expect and "dialect" not in expect:
        assert expect["text"] == found.text
    if expect.get("executed") is False:
        assert not found.calls


@pytest.mark.parametrize(
    "case", [case for case in fault_cases("http") if "key_sent_elsewhere" in case["expect"]], ids=case_name
)
def test_a_redirect_takes_no_key_elsewhere(case: Case) -> None:
    with HttpServer(lambda _: ServerResponse([b"{}"])) as elsewhere:
        given = {**case["given"], "headers": {"location": f"{elsewhere.url}/v1/chat/completions"}}
        found = ask_faulty(fault_of(given))

        assert not elsewhere.requests
    assert isinstance(found.error, RequestRejectedError)
