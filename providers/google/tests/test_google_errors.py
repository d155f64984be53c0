"""Test the vendor's errors: a key, a daily quota, a rate limit, a prompt that is too long."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from openkoi_google import Google
from openkoi_hookspecs import Message, ProviderError, ProviderUnavailableError, Request, RequestRejectedError

RPC = "type.googleapis.com/google.rpc"
TOO_LONG = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."
MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"


def quota(*ids: str) -> dict[str, Any]:
    return {"@type": f"{RPC}.QuotaFailure", "violations": [{"quotaId": id, "quotaMetric": "requests"} for id in ids]}


def later(delay: Any) -> dict[str, Any]:
    return {"@type": f"{RPC}.RetryInfo", "retryDelay": delay}


def raised(status: int, *details: Any, message: str = "not now", listed: bool = False, **headers: str) -> ProviderError:
    """The error of a chat whose server returns this error."""
    words = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    error = {"error": {"code": status, "message": message, "status": words[status], "details": list(details)}}
    content = json.dumps([error] if listed else error)
    named = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    wire = httpx2.MockTransport(lambda _: httpx2.Response(status, content=content, headers=named))

    async def ask() -> None:
        async with Google(api_key="AIza-test-and-secret", transport=wire) as provider:
            async for _ in provider.chat(Request([Message.user("Hello")], model="gemini-fake")):
                pass

    with pytest.raises(ProviderError) as caught:
        asyncio.run(ask())
    return caught.value


@pytest.mark.parametrize("listed", [False, True])
def test_a_limit_of_the_minute_may_pass_and_says_when(listed: bool) -> None:
    error = raised(429, quota(MINUTE), later("12.5s"), listed=listed)

    assert isinstance(error, ProviderUnavailableError)
    assert error.retry_after == 12.5


def test_a_limit_of_tokens_in_a_minute_is_no_overflow() -> None:
    error = raised(429, quota("GenerateContentInputTokensPerModelPerMinute"), message=TOO_LONG)

    assert isinstance(error, ProviderUnavailableError)


def test_a_quota_of_the_day_is_used_up() -> None:
    error = raised(429, quota(MINUTE, DAY), later("47s"))

    assert isinstance(error, RequestRejectedError)
    assert "daily quota is exhausted" in str(error)


def test_a_header_outranks_the_details() -> None:
    error = raised(429, later("12s"), retry_after="3")

    assert isinstance(error, ProviderUnavailableError)
    assert error.retry_after == 3


@pytest.mark.parametrize("delay", ["", "soon", "-5s", "1e9s", 12, None, {}])
def test_a_delay_that_makes_no_sense_is_none(delay: Any) -> None:
    error = raised(429, later(delay))

    assert isinstance(error, ProviderUnavailableError)
    assert error.retry_after is None


def test_a_server_that_is_busy_says_when_to_come_back() -> None:
    error = raised(503, later("7s"), message="The model is overloaded.")

    assert isinstance(error, ProviderUnavailableError)
    assert error.retry_after == 7


@pytest.mark.parametrize("message", ["API key not valid. Please pass a valid API key.", "API key expired.", "Bad."])
def test_a_bad_key_is_told_as_one(message: str) -> None:
    error = raised(400, {"@type": f"{RPC}.ErrorInfo", "reason": "API_KEY_INVALID"}, message=message)

    assert isinstance(error, RequestRejectedError)
    assert "rejected the key (400)" in str(error)
    assert str(error).endswith("Check the key.")


@pytest.mark.parametrize(
    "message",
    [
        TOO_LONG,
        "The input token count exceeds the maximum number of tokens allowed 1048576.",
        "Unable to submit request because the input token count is 40000 but model only supports up to 32768. "
        "Reduce the input token count.",
        "Request payload size exceeds the limit: 20971520 bytes.",
        "prompt is too long: 250000 tokens > 200000 maximum",
    ],
)
def test_too_long_a_prompt_is_an_overflow(message: str) -> None:
    error = raised(400, message=message)

    assert isinstance(error, RequestRejectedError)
    assert error.context_overflow


def test_any_other_bad_request_is_none() -> None:
    error = raised(400, {"@type": f"{RPC}.BadRequest"}, message="Unknown name. AIza-test-and-secret")

    assert isinstance(error, RequestRejectedError)
    assert not error.context_overflow
    assert "AIza" not in str(error)


@pytest.mark.parametrize("details", ["x", 5, [5], [{"violations": 5}], [{"violations": [5]}], [{"reason": 5}]])
def test_details_of_wrong_types_do_no_harm(details: Any) -> None:
    assert isinstance(raised(429, *(details if isinstance(details, list) else [details])), ProviderUnavailableError)
