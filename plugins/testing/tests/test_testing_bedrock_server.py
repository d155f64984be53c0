"""Test that the vendor's own client accepts the fake of Bedrock, and that its faults work."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import boto3  # type: ignore[import-untyped]  # it carries no types
import httpx2
import pytest
from botocore.config import Config  # type: ignore[import-untyped]  # it carries no types
from botocore.exceptions import (  # type: ignore[import-untyped]  # it carries no types
    ClientError,
    EventStreamError,
)

from openkoi_hookspecs import Reasoning, ToolCall, Usage
from openkoi_testing.servers import BedrockServer, Say, ServerFault
from openkoi_testing.servers.aws import KeyPair, error_frame, event_frame, exception_frame

ARN = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123def456"
MODEL = "anthropic.claude-fake-v1:0"
PAIR = KeyPair("AKIAFAKE", "a-secret-of-forty-characters")
HELLO: Any = [{"role": "user", "content": [{"text": "Hello"}]}]
TOOLS: Any = {"tools": [{"toolSpec": {"name": "read", "inputSchema": {"json": {"type": "object"}}}}]}
CALLS = [ToolCall("call_a", "read", {"path": "ä"}), ToolCall("call_b", "read", {})]
COUNTED = Usage(input=10, output=7, cache_read=4, cache_write=2)
SAYS = Say([Reasoning("Hm.", "c2lnbmF0dXJl"), Reasoning("", "AAEC"), "Héllo 😀", *CALLS], usage=COUNTED)


def client(service: str, url: str, secret: str = PAIR.secret, access: str = PAIR.access) -> Any:
    """The vendor's own client."""
    settings = Config(retries={"total_max_attempts": 1}, proxies={}, read_timeout=60)
    keys = {"aws_access_key_id": access, "aws_secret_access_key": secret, "aws_session_token": "a-session"}
    return boto3.client(service, region_name="eu-west-1", endpoint_url=url, config=settings, **keys)


@pytest.fixture(scope="module")
def session() -> Iterator[BedrockServer]:
    with BedrockServer(SAYS, models=[MODEL, ARN], profiles=[f"eu.{MODEL}"], key="a-token", pair=PAIR) as server:
        yield server


@pytest.fixture(scope="module")
def sdk(session: BedrockServer) -> Iterator[Any]:
    with closing(client("bedrock-runtime", session.url)) as sdk:
        yield sdk


def streamed(sdk: Any, **settings: Any) -> list[dict[str, Any]]:
    with closing(sdk.converse_stream(modelId=MODEL, **{"messages": HELLO, **settings})["stream"]) as stream:
        return list(stream)


def pieces(events: list[dict[str, Any]], kind: str) -> list[Any]:
    deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
    return [delta[kind] for delta in deltas if kind in delta]


def test_the_vendor_s_client_reads_a_stream(sdk: Any) -> None:
    events = streamed(sdk, toolConfig=TOOLS)
    thoughts = pieces(events, "reasoningContent")
    starts = [event["contentBlockStart"]["start"] for event in events if "contentBlockStart" in event]

    assert "".join(pieces(events, "text")) == "Héllo 😀"
    assert "".join(thought.get("text", "") for thought in thoughts) == "Hm."
    assert {"signature": "c2lnbmF0dXJl"} in thoughts
    assert {"redactedContent": b"\x00\x01\x02"} in thoughts
    assert starts == [{"toolUse": {"toolUseId": call.id, "name": "read"}} for call in CALLS]
    assert json.loads("".join(piece["input"] for piece in pieces(events, "toolUse"))) == {"path": "ä"}
    assert [*events[0], *events[-2], *events[-1]] == ["messageStart", "messageStop", "metadata"]
    assert events[-2]["messageStop"] == {"stopReason": "tool_use"}
    assert events[-1]["metadata"]["usage"] == {
        "inputTokens": 10,
        "outputTokens": 7,
        "totalTokens": 23,
        "cacheReadInputTokens": 4,
        "cacheWriteInputTokens": 2,
    }


def test_the_vendor_s_client_reads_an_answer_that_comes_whole(sdk: Any) -> None:
    answer = sdk.converse(modelId=MODEL, messages=HELLO)
    thought, redacted, text, *uses = answer["output"]["message"]["content"]

    assert thought == {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2lnbmF0dXJl"}}}
    assert redacted == {"reasoningContent": {"redactedContent": b"\x00\x01\x02"}}
    assert text == {"text": "Héllo 😀"}
    assert [use["toolUse"]["input"] for use in uses] == [{"path": "ä"}, {}]
    assert (answer["stopReason"], answer["usage"]["totalTokens"]) == ("tool_use", 23)


def test_the_vendor_s_client_sends_results_back(sdk: Any) -> None:
    uses = [{"toolUse": {"toolUseId": call.id, "name": "read", "input": {}}} for call in CALLS]
    results = [{"toolResult": {"toolUseId": call.id, "content": [{"text": "x"}]}} for call in reversed(CALLS)]
    messages = [*HELLO, {"role": "assistant", "content": uses}, {"role": "user", "content": results}]

    assert sdk.converse(modelId=MODEL, messages=messages, toolConfig=TOOLS)["stopReason"] == "tool_use"


def test_the_vendor_s_client_lists_models_and_profiles(session: BedrockServer) -> None:
    with closing(client("bedrock", session.url)) as control:
        listed = control.list_foundation_models(byOutputModality="TEXT")["modelSummaries"]
        (profile,) = control.list_inference_profiles(maxResults=10)["inferenceProfileSummaries"]

    assert [MODEL, ARN] == [model["modelId"] for model in listed]
    assert profile["inferenceProfileId"] == f"eu.{MODEL}"


def test_the_vendor_s_client_asks_for_names_with_colons_and_slashes(sdk: Any, session: BedrockServer) -> None:
    sdk.converse(modelId=ARN, messages=HELLO)

    quoted = "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fabc123def456"
    assert session.requests[-1].path == f"/model/{quoted}/converse"


@pytest.mark.parametrize(
    ("access", "secret", "error"),
    [
        ("AKIAOTHER", PAIR.secret, "UnrecognizedClientException"),
        (PAIR.access, "another-secret", "InvalidSignatureException"),
    ],
)
def test_a_wrong_signature_is_refused(session: BedrockServer, access: str, secret: str, error: str) -> None:
    with (
        closing(client("bedrock-runtime", session.url, secret, access)) as stranger,
        pytest.raises(ClientError, match=error),
    ):
        stranger.converse(modelId=MODEL, messages=HELLO)


def test_a_request_that_was_changed_on_the_way_is_refused(session: BedrockServer, sdk: Any) -> None:
    sdk.converse(modelId=MODEL, messages=HELLO)
    request = session.requests[-1]
    headers = {name: value for name, value in request.headers.items() if name != "content-length"}

    with httpx2.Client(verify=False, trust_env=False) as http:
        same = http.post(session.url + request.path, headers=headers, content=request.body)
        other = http.post(session.url + request.path, headers=headers, content=request.body + b" ")

    assert (same.status_code, other.status_code) == (200, 403)


@pytest.mark.parametrize(("authorization", "status"), [("Bearer a-token", 200), ("Bearer another", 403), ("", 403)])
def test_a_token_is_accepted_in_place_of_a_signature(session: BedrockServer, authorization: str, status: int) -> None:
    headers = {"authorization": authorization} if authorization else {}
    with httpx2.Client(verify=False, trust_env=False, headers=headers) as http:
        answer = http.post(f"{session.url}/model/{MODEL}/converse", json={"messages": HELLO})

    assert (answer.status_code, "x-amzn-errortype" in answer.headers) == (status, status != 200)


def asked(*ids: str) -> dict[str, Any]:
    uses = [{"toolUse": {"toolUseId": id, "name": "read", "input": {}}} for id in ids]
    return {"role": "assistant", "content": uses or [{"text": "x"}]}


def answered(*ids: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"toolResult": {"toolUseId": id, "content": [{"text": "x"}]}} for id in ids]}


MARK: Any = {"cachePoint": {"type": "default"}}


@pytest.mark.parametrize(
    ("messages", "settings"),
    [
        ([], {}),
        ([asked()], {}),
        ([*HELLO, *HELLO], {}),
        ([{"role": "user", "content": []}], {}),
        ([{"role": "user", "content": [{"text": " \n"}]}], {}),
        ([*HELLO, asked("a")], {"toolConfig": TOOLS}),
        ([*HELLO, asked("a"), *HELLO], {"toolConfig": TOOLS}),
        ([*HELLO, asked("a", "b"), answered("a")], {"toolConfig": TOOLS}),
        ([*HELLO, asked("a"), answered("a", "a")], {"toolConfig": TOOLS}),
        ([*HELLO, asked(), answered("a")], {"toolConfig": TOOLS}),
        ([*HELLO, asked("a"), answered("a")], {}),
        (HELLO, {"system": [{"text": " "}]}),
        ([{"role": "user", "content": [{"text": "x"}, *[MARK] * 5]}], {}),
    ],
    ids=[
        "none", "assistant first", "twice the user", "no content", "blank text", "no results", "too late",
        "one missing", "one twice", "no call", "no tools", "blank system", "five marks",
    ],
)  # fmt: skip
def test_it_is_as_strict_as_the_real_one(sdk: Any, messages: Any, settings: Any) -> None:
    with pytest.raises(sdk.exceptions.ValidationException):
        sdk.converse(modelId=MODEL, messages=messages, **settings)


def test_a_model_that_is_not_there_is_refused(sdk: Any) -> None:
    with pytest.raises(sdk.exceptions.ValidationException, match="model identifier is invalid"):
        sdk.converse(modelId="anthropic.other", messages=HELLO)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, "ServiceQuotaExceededException"),
        (403, "AccessDeniedException"),
        (404, "ResourceNotFoundException"),
        (408, "ModelTimeoutException"),
        (424, "ModelErrorException"),
        (429, "ThrottlingException"),
        (429, "ModelNotReadyException"),
        (500, "InternalServerException"),
        (503, "ServiceUnavailableException"),
    ],
)
def test_the_vendor_s_client_reads_failures(sdk: Any, status: int, error: str) -> None:
    fault = ServerFault(status=status, headers={"x-amzn-ErrorType": f"{error}:"}, body=b'{"message": "not now"}')

    with (
        BedrockServer(Say(fault=fault)) as server,
        closing(client("bedrock-runtime", server.url)) as asking,
        pytest.raises(ClientError, match="not now") as caught,
    ):
        streamed(asking)
    assert isinstance(caught.value, getattr(sdk.exceptions, error, ClientError))
    assert caught.value.response["Error"]["Code"] == error


@pytest.mark.parametrize(
    "frame",
    [exception_frame("throttlingException", "Slow down."), error_frame("oops", "Slow down.")],
    ids=["exception", "error"],
)
def test_the_vendor_s_client_reads_an_error_in_mid_stream(frame: bytes) -> None:
    body = [event_frame("messageStart", {"role": "assistant"}), frame]

    with (
        BedrockServer(Say(fault=ServerFault(body=body))) as server,
        closing(client("bedrock-runtime", server.url)) as sdk,
        pytest.raises(EventStreamError, match=r"Slow down\."),
    ):
        streamed(sdk)


def test_answers_are_given_in_turn_and_the_last_again() -> None:
    with BedrockServer("First.", "Done.") as server, closing(client("bedrock-runtime", server.url)) as sdk:
        reply = ["".join(pieces(streamed(sdk), "text")) for _ in range(3)]

    assert reply == ["First.", "Done.", "Done."]


def test_slices_and_keep_alives_change_nothing_for_the_vendor_s_client() -> None:
    spoilt = Say("Héllo 😀", fault=ServerFault(slice=1, keep_alives=1))

    with BedrockServer(spoilt) as server, closing(client("bedrock-runtime", server.url)) as sdk:
        events = streamed(sdk)

    assert "".join(pieces(events, "text")) == "Héllo 😀"
