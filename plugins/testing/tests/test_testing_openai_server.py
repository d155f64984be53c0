"""Test that the vendor's own client accepts the fake of OpenAI, and that its faults work."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest

from openkoi_hookspecs import Reasoning, ToolCall, Usage
from openkoi_testing.servers import ForeignServerMissingError, LLMock, OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse

HELLO: Any = [{"role": "user", "content": "Hello"}]
TOOLS: Any = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}]
CALLS = [ToolCall("call_a", "read", {"path": "ä"}), ToolCall("call_b", "read", {"path": "b"})]
COUNTED = Usage(input=10, output=7, cache_read=4)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    says = (Say([Reasoning("Hm."), "Héllo 😀", *CALLS], usage=COUNTED), "Done.")
    with OpenAIServer(*says, models=["gpt-one", "gpt-two"], key="sk-right") as server:
        yield server


def client(server: OpenAIServer) -> openai.OpenAI:
    """The vendor's own client, which reads no certificates for what is not encrypted."""
    plain = httpx2.Client(verify=False, trust_env=False)
    return openai.OpenAI(api_key="sk-right", base_url=server.url, max_retries=0, http_client=plain)


@pytest.fixture
def sdk(server: OpenAIServer) -> Iterator[openai.OpenAI]:
    with client(server) as sdk:
        yield sdk


def test_the_vendor_s_client_reads_a_stream(sdk: openai.OpenAI) -> None:
    with sdk.chat.completions.stream(
        model="gpt-one", messages=HELLO, tools=TOOLS, stream_options={"include_usage": True}
    ) as stream:
        answer = stream.get_final_completion()
    choice = answer.choices[0]

    assert choice.message.content == "Héllo 😀"
    assert [
        (call.id, call.function.name, json.loads(call.function.arguments)) for call in choice.message.tool_calls or []
    ] == [
        ("call_a", "read", {"path": "ä"}),
        ("call_b", "read", {"path": "b"}),
    ]
    assert choice.finish_reason == "tool_calls"
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (14, 7)


def test_the_vendor_s_client_reads_each_event_of_a_stream(sdk: openai.OpenAI) -> None:
    chunks = list(sdk.chat.completions.create(model="gpt-one", messages=HELLO, stream=True))

    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Héllo 😀"
    assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "tool_calls"
    assert all(chunk.usage is None for chunk in chunks)


def test_the_vendor_s_client_reads_an_answer_that_comes_whole(sdk: openai.OpenAI) -> None:
    answer = sdk.chat.completions.create(model="gpt-one", messages=HELLO)
    calls: Any = answer.choices[0].message.tool_calls

    assert answer.choices[0].message.content == "Héllo 😀"
    assert ["call_a", "call_b"] == [call.id for call in calls]
    assert answer.usage is not None
    assert answer.usage.prompt_tokens_details is not None
    assert (answer.usage.total_tokens, answer.usage.prompt_tokens_details.cached_tokens) == (21, 4)


def test_the_vendor_s_client_lists_models(sdk: openai.OpenAI) -> None:
    assert ["gpt-one", "gpt-two"] == [model.id for model in sdk.models.list()]


def test_the_vendor_s_client_reads_refusals(server: OpenAIServer, sdk: openai.OpenAI) -> None:
    with pytest.raises(openai.AuthenticationError, match="Incorrect API key"):
        sdk.with_options(api_key="sk-wrong").models.list()
    with pytest.raises(openai.NotFoundError, match="Unknown request URL"):
        sdk.files.list()


@pytest.mark.parametrize(
    ("status", "error"), [(429, openai.RateLimitError), (500, openai.InternalServerError), (529, openai.APIStatusError)]
)
def test_the_vendor_s_client_reads_failures(status: int, error: type[Exception]) -> None:
    fault = ServerFault(status=status, headers={"Retry-After": "1"}, body=b'{"error": {"message": "not now"}}')
    with (
        OpenAIServer(Say(fault=fault)) as server,
        client(server) as sdk,
        pytest.raises(error, match="not now"),
    ):
        sdk.chat.completions.create(model="gpt-one", messages=HELLO)


def test_answers_are_given_in_turn_and_the_last_again(sdk: openai.OpenAI) -> None:
    reply = [sdk.chat.completions.create(model="gpt-one", messages=HELLO).choices[0].message.content for _ in range(3)]

    assert reply == ["Héllo 😀", "Done.", "Done."]


def test_requests_are_kept(server: OpenAIServer, sdk: openai.OpenAI) -> None:
    sdk.chat.completions.create(model="gpt-one", messages=HELLO)

    assert [(request.method, request.path) for request in server.requests] == [("POST", "/v1/chat/completions")]
    assert server.requests[0].headers["authorization"] == "Bearer sk-right"
    assert server.asked[0]["messages"] == HELLO


def asked(calls: list[str]) -> dict[str, Any]:
    called = [{"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}} for id in calls]
    return {"role": "assistant", "content": None, "tool_calls": called}


def result(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "x"}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "wizard", "content": "x"}],
        [asked(["a"])],
        [asked(["a", "b"]), result("a")],
        [asked(["a"]), {"role": "user", "content": "x"}],
        [asked(["a"]), result("a"), result("a")],
        [result("a")],
    ],
    ids=["none", "role", "no result", "one missing", "too late", "twice", "no call"],
)
def test_it_is_as_strict_as_the_real_one(sdk: openai.OpenAI, messages: Any) -> None:
    with pytest.raises(openai.BadRequestError):
        sdk.chat.completions.create(model="gpt-one", messages=messages)


def test_a_call_with_its_result_is_accepted(sdk: openai.OpenAI) -> None:
    messages: Any = [*HELLO, asked(["a", "b"]), result("b"), result("a"), *HELLO]

    assert sdk.chat.completions.create(model="gpt-one", messages=messages).choices


def body(fault: ServerFault, *, timeout: float = 60.0) -> bytes:
    """The received part of a streamed answer with this fault."""
    arrived = bytearray()
    asked = {"model": "m", "messages": HELLO, "stream": True}
    with (
        OpenAIServer(Say("Héllo 😀", fault=fault)) as server,
        httpx2.Client(verify=False, trust_env=False, timeout=timeout) as client,
        client.stream("POST", f"{server.url}/chat/completions", json=asked) as response,
    ):
        for piece in response.iter_raw():
            arrived += piece
    return bytes(arrived)


def test_an_answer_is_cut_where_it_is_told_to() -> None:
    whole = body(ServerFault())

    assert body(ServerFault(cut=100, framed=False)) == whole[:100]
    with pytest.raises(httpx2.RemoteProtocolError):
        body(ServerFault(cut=100))


def test_slices_and_keep_alives_change_no_byte_of_the_events() -> None:
    whole = body(ServerFault())

    assert body(ServerFault(slice=1)) == whole
    assert body(ServerFault(slice=3, keep_alives=2)).replace(b": still there\n\n", b"") == whole
    assert body(ServerFault(framed=False)) == whole


@pytest.mark.parametrize(
    "fault",
    [
        ServerFault(delay=9),
        ServerFault(cut=0, after=AfterResponse.HANGS),
        ServerFault(cut=80, after=AfterResponse.HANGS),
    ],
)
def test_it_hangs_when_it_is_told_to_and_ends_at_once(fault: ServerFault) -> None:
    start = time.monotonic()

    with pytest.raises(httpx2.ReadTimeout):
        body(fault, timeout=0.2)
    assert time.monotonic() - start < 8


def test_a_body_may_take_the_place_of_the_answer() -> None:
    assert body(ServerFault(body=[b"data: ", b"nonsense"])) == b"data: nonsense"


def test_a_peer_that_cannot_be_had_is_named(tmp_path: Any) -> None:
    program = tmp_path / "node_modules/@copilotkit/aimock/dist/cli.js"
    program.parent.mkdir(parents=True)
    program.write_text("console.log('broken here'); process.exit(3)")

    with pytest.raises(ForeignServerMissingError, match=r"broken here|not on the PATH"):
        LLMock(folder=tmp_path).__enter__()
