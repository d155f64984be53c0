"""Test errors that only this vendor has, before and during an answer."""

import asyncio
from typing import Any

import pytest

from openkoi_anthropic import Anthropic
from openkoi_hookspecs import Message, ProviderUnavailableError, Request, RequestRejectedError, ToolCall
from openkoi_testing.contracts.provider_harness import LONG_SECONDS, ReceivedResponse, receive_once
from openkoi_testing.servers import AnthropicServer, Say, ServerFault
from openkoi_testing.servers.anthropic import error_body
from openkoi_testing.servers.anthropic_responses import stream_events
from openkoi_testing.servers.json_body import to_json

HELLO = Request([Message.user("Hello")], model="claude-fake")
REPLY = Say(["Héllo 😀", ToolCall("a", "read", {"path": "ä"}), "More."], delta=9)
WHOLE = b"".join(stream_events(REPLY, {"model": "claude-fake"}))


def heard(fault: ServerFault, model: str = "claude-fake") -> ReceivedResponse:
    with AnthropicServer(Say(fault=fault), models=[model]) as server:
        return asyncio.run(receive_once(Anthropic(api_key="k", base_url=server.url, idle_seconds=LONG_SECONDS), HELLO))


@pytest.mark.parametrize(
    ("status", "kind", "words", "raised", "overflow"),
    [
        (
            400,
            "invalid_request_error",
            "prompt is too long: 250000 tokens > 200000 maximum",
            RequestRejectedError,
            True,
        ),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 9 + 2",
            RequestRejectedError,
            True,
        ),
        (400, "invalid_request_error", "Your credit balance is too low to access the API", RequestRejectedError, False),
        (400, "invalid_request_error", "max_tokens: Field required", RequestRejectedError, False),
        (401, "authentication_error", "invalid x-api-key", RequestRejectedError, False),
        (402, "billing_error", "Payment required", RequestRejectedError, False),
        (403, "permission_error", "not allowed", RequestRejectedError, False),
        (404, "not_found_error", "model: claude-nowhere", RequestRejectedError, False),
        (413, "request_too_large", "Request exceeds the maximum size", RequestRejectedError, True),
        (429, "rate_limit_error", "slow down", ProviderUnavailableError, None),
        (500, "api_error", "Internal server error", ProviderUnavailableError, None),
        (504, "timeout_error", "timed out", ProviderUnavailableError, None),
        (529, "overloaded_error", "Overloaded", ProviderUnavailableError, None),
    ],
)
def test_the_vendor_s_errors_are_told_apart(status: int, kind: str, words: str, raised: Any, overflow: Any) -> None:
    found = heard(ServerFault(status=status, headers={"retry-after": "7"}, body=to_json(error_body(kind, words)))).error

    assert isinstance(found, raised)
    assert words in str(found)
    assert getattr(found, "context_overflow", None) is overflow
    assert getattr(found, "retry_after", None) == (7.0 if raised is ProviderUnavailableError else None)


def test_a_model_that_is_not_there_is_named() -> None:
    found = heard(ServerFault(), model="claude-other").error

    assert isinstance(found, RequestRejectedError)
    assert "model: claude-fake" in str(found)
    assert "Check the model's name" in str(found)


def test_an_overload_in_mid_stream_may_pass_and_nothing_is_acted_upon() -> None:
    start = WHOLE[: WHOLE.index(b"event: message_delta")]
    overloaded = b"event: error\ndata: " + to_json(error_body("overloaded_error", "Overloaded")) + b"\n\n"
    found = heard(ServerFault(body=start + overloaded))

    assert isinstance(found.error, ProviderUnavailableError)
    assert not found.calls
