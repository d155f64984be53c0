"""Test the vendor's permanent and temporary errors, which are distinguished and include advice."""

import asyncio
import json

import pytest

from openkoi_bedrock import Bedrock
from openkoi_hookspecs import Message, ProviderError, ProviderUnavailableError, Request, RequestRejectedError
from openkoi_testing.contracts.provider_harness import LONG_SECONDS, receive_once
from openkoi_testing.servers import BedrockServer, Say, ServerFault

HELLO = Request([Message.user("Hello")], model="anthropic.claude-fake-v1:0")


def heard(fault: ServerFault) -> ProviderError:
    """The error from a server with this fault."""
    with BedrockServer(Say(fault=fault)) as server:
        error = asyncio.run(
            receive_once(Bedrock(api_key="a-token", base_url=server.url, idle_seconds=LONG_SECONDS), HELLO)
        ).error
    assert error is not None
    return error


def refused(status: int, message: str, kind: str = "") -> ProviderError:
    """The error for a refusal."""
    headers = {"x-amzn-ErrorType": kind} if kind else {}
    return heard(ServerFault(status=status, headers=headers, body=json.dumps({"message": message}).encode()))


@pytest.mark.parametrize(("headers", "after"), [({}, None), ({"retry-after": "2"}, 2.0)])
@pytest.mark.parametrize("kind", ["ThrottlingException", "ModelNotReadyException"])
def test_too_many_requests_may_pass(kind: str, headers: dict[str, str], after: float | None) -> None:
    fault = ServerFault(
        status=429, headers={"x-amzn-ErrorType": kind, **headers}, body=b'{"message": "Too many tokens"}'
    )
    error = heard(fault)

    assert isinstance(error, ProviderUnavailableError)
    assert error.retry_after == after


@pytest.mark.parametrize("status", [408, 424, 500, 503, 529])
def test_what_may_pass_is_unavailable(status: int) -> None:
    error = refused(status, "The model could not be asked.")

    assert isinstance(error, ProviderUnavailableError)
    assert "could not be asked" in str(error)


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        (403, "The security token included in the request is expired", "Log in again"),
        (403, "The security token included in the request is invalid.", "from the same credentials"),
        (403, "The request signature we calculated does not match the signature you provided.", "this machine's clock"),
        (403, "Signature expired: 20260101T000000Z is now earlier than 20260102T000000Z", "this machine's clock"),
        (403, "Authentication failed: Please make sure your API Key is valid.", "AWS_BEARER_TOKEN_BEDROCK"),
        (403, "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModel", "the permission"),
        (403, "You don't have access to the model with the specified model ID.", "Request access to the model"),
        (400, "Invocation of model ID x with on-demand throughput isn't supported.", "inference profile"),
        (400, "Your account has reached its quota.", "quota"),
        (404, "Could not resolve the foundation model.", "Check the model's name"),
    ],
)
def test_refusals_say_what_to_do(status: int, message: str, advice: str) -> None:
    error = refused(status, message)

    assert isinstance(error, RequestRejectedError)
    assert advice in str(error)
    assert not error.context_overflow


@pytest.mark.parametrize(
    "message",
    [
        "Input is too long for requested model.",
        "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum",
        "The model returned the following errors: Input length and `max_tokens` exceed context limit: 1 + 2 > 2",
        "This model's maximum context length is 8192 tokens.",
        "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
    ],
)
def test_a_prompt_that_is_too_long_is_known_as_one(message: str) -> None:
    error = refused(400, message, "ValidationException")

    assert isinstance(error, RequestRejectedError)
    assert error.context_overflow
