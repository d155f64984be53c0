"""Test credentials: a token, a pair of keys, or those the vendor's own tools find; and the region."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from openkoi_bedrock import Bedrock
from openkoi_hookspecs import (
    Chunk,
    Message,
    NoProviderError,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    StreamEnd,
)
from openkoi_testing.servers import BedrockServer, ReceivedRequest, ServerResponse
from openkoi_testing.servers.aws import KeyPair
from openkoi_testing.servers.http_server import HttpServer

MODEL = "anthropic.claude-fake-v1:0"
ARN = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123def456"
PAIR = KeyPair("AKIAFAKE", "a-secret-of-forty-characters")
IMPORTS = """
import asyncio, sys
from openkoi_bedrock import Bedrock
from openkoi_hookspecs import Message, ProviderError, Request

async def ask(key):
    async with Bedrock(api_key=key, base_url=sys.argv[1]) as provider:
        await provider.models()
        try:
            return [chunk async for chunk in provider.chat(Request([Message.user("Hi")], model="MODEL"))]
        except ProviderError:
            return []

print(asyncio.run(ask("another")), sorted(name for name in sys.modules if name.startswith("botocore")))
print(bool(asyncio.run(ask("a-token"))), {"botocore.auth", "botocore.session", "botocore.credentials"} & {*sys.modules})
"""


async def hear(provider: Bedrock, model: str = MODEL) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(Request([Message.user("Hi")], model=model))]


@pytest.fixture(scope="module")
def server() -> Iterator[BedrockServer]:
    with BedrockServer(models=[MODEL, ARN], key="a-token", pair=PAIR) as server:
        yield server


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a login; the file in which the vendor's tools keep keys."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)  # the vendor's library reads the environment itself
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))  # the same
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))  # the same
    return tmp_path / "credentials"


def heard(server: BedrockServer, model: str = MODEL, **keys: Any) -> list[Chunk]:
    return asyncio.run(hear(Bedrock(region="eu-west-1", base_url=server.url, **keys), model))


@pytest.mark.parametrize("model", [MODEL, ARN])
@pytest.mark.parametrize("session", ["", "a-session"])
def test_a_pair_of_keys_signs_names_with_colons_and_slashes(server: BedrockServer, model: str, session: str) -> None:
    keys = {"access_key_id": PAIR.access, "secret_access_key": PAIR.secret, "session_token": session}

    assert isinstance(heard(server, model, **keys)[-1], StreamEnd)
    assert server.requests[-1].headers.get("x-amz-security-token", "") == session


def test_lists_are_signed_too(server: BedrockServer) -> None:
    async def ask() -> list[str]:
        keys = {"access_key_id": PAIR.access, "secret_access_key": PAIR.secret}
        async with Bedrock(region="eu-west-1", base_url=server.url, **keys) as provider:  # type: ignore[arg-type]  # strings
            return [model.name for model in await provider.models()]

    assert [MODEL, ARN] == asyncio.run(ask())


def test_a_token_comes_first(server: BedrockServer) -> None:
    heard(server, api_key=" a-token\n", access_key_id=PAIR.access, secret_access_key="wrong")

    assert server.requests[-1].headers["authorization"] == "Bearer a-token"


def test_a_token_needs_neither_signer_nor_session_of_the_vendor_s_library(server: BedrockServer) -> None:
    program = [sys.executable, "-c", IMPORTS.replace("MODEL", MODEL), server.url]

    reply = subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()

    assert reply == ["[] []", "True set()"]


def test_the_chain_of_the_vendor_s_tools_is_asked_without_keys(
    server: BedrockServer, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.write_text(f"[work]\naws_access_key_id = {PAIR.access}\naws_secret_access_key = {PAIR.secret}\n")
    monkeypatch.setenv("AWS_PROFILE", "work")  # the vendor's library reads the environment itself

    assert isinstance(heard(server)[-1], StreamEnd)


@pytest.mark.usefixtures("shared")
def test_without_any_keys_it_is_said_what_to_do(server: BedrockServer) -> None:
    with pytest.raises(
        RequestRejectedError, match=r"no AWS credentials\. Set AWS_BEARER_TOKEN_BEDROCK, or .* or log in"
    ):
        heard(server)


@pytest.mark.usefixtures("shared")
def test_a_profile_that_is_not_there_is_named(server: BedrockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")  # the vendor's library reads the environment itself

    with pytest.raises(RequestRejectedError, match=r"nobody.*check AWS_PROFILE"):
        heard(server)


def test_a_login_that_cannot_be_renewed_is_refused(
    server: BedrockServer, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.write_text(f"[work]\ncredential_process = {sys.executable} -c raise(SystemExit(3))\n")
    monkeypatch.setenv("AWS_PROFILE", "work")  # the vendor's library reads the environment itself

    with pytest.raises(RequestRejectedError, match="Log in again"):
        heard(server)


@pytest.mark.parametrize("wanted", [False, True])
@pytest.mark.usefixtures("shared")
def test_the_machine_s_role_is_asked_for_only_when_it_is_configured(
    server: BedrockServer, monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    with HttpServer(lambda seen: ServerResponse([b""], status=404)) as metadata:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url)  # it is the library that asks there
        with pytest.raises((RequestRejectedError, ProviderUnavailableError)):
            heard(server, instance_role=wanted)

    assert wanted is (metadata.connections > 0)


@pytest.mark.parametrize("half", [{"access_key_id": "AKIAFAKE"}, {"secret_access_key": "a-secret"}])
def test_half_a_pair_is_a_bad_setting(half: dict[str, str]) -> None:
    with pytest.raises(NoProviderError, match="needs both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
        Bedrock(region="eu-west-1", **half)  # type: ignore[arg-type]  # they are all strings


@pytest.mark.parametrize("keys", [{"api_key": "a-token"}, {"base_url": "http://127.0.0.1:9"}])
def test_without_a_region_it_is_said_what_to_set(keys: dict[str, str]) -> None:
    with pytest.raises(NoProviderError, match="Set AWS_REGION"):
        Bedrock(**keys)  # type: ignore[arg-type]  # they are all strings


def test_a_cassette_is_played_without_key_region_or_server(tmp_path: Path) -> None:
    tape = tmp_path / "answers.jsonl"
    with BedrockServer("Héllo 😀", pair=PAIR) as server:
        keys = {"access_key_id": PAIR.access, "secret_access_key": PAIR.secret}
        reply = heard(server, cassette=f"record:{tape}", **keys)

    assert reply == asyncio.run(hear(Bedrock(cassette=f"replay:{tape}")))
    assert PAIR.secret not in tape.read_text(encoding="utf-8")


def asked_at(**settings: str) -> list[str]:
    """The hosts for lists and answers."""
    hosts: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        hosts.append(str(request.url.host))
        return httpx2.Response(404)

    async def ask() -> None:
        wire = httpx2.MockTransport(answer)
        async with Bedrock(api_key="a-token", transport=wire, **settings) as provider:  # type: ignore[arg-type]  # they are all strings
            await provider.models()
            with pytest.raises(RequestRejectedError):
                await anext(aiter(provider.chat(Request([Message.user("Hi")], model=MODEL))))

    asyncio.run(ask())
    return [hosts[0], hosts[-1]]


@pytest.mark.parametrize(
    ("settings", "hosts"),
    [
        ({"region": "eu-west-1"}, ["bedrock.eu-west-1.amazonaws.com", "bedrock-runtime.eu-west-1.amazonaws.com"]),
        ({"base_url": "http://proxy:9"}, ["proxy", "proxy"]),
        ({"base_url": "http://proxy:9", "control_url": "http://lists:9"}, ["lists", "proxy"]),
    ],
)
def test_a_region_or_an_address_says_where_to_ask(settings: dict[str, str], hosts: list[str]) -> None:
    assert asked_at(**settings) == hosts


def test_keys_are_not_repeated_when_a_server_repeats_them() -> None:
    session = "a-session-that-nobody-is-to-read"

    def answer(seen: ReceivedRequest) -> ServerResponse:
        return ServerResponse(
            [b'{"message": "Expected: ' + seen.headers["x-amz-security-token"].encode() + b'"}'], status=403
        )

    with HttpServer(answer) as server, pytest.raises(RequestRejectedError) as caught:
        asyncio.run(
            hear(
                Bedrock(
                    access_key_id=PAIR.access,
                    secret_access_key=PAIR.secret,
                    session_token=session,
                    region="eu-west-1",
                    base_url=server.url,
                )
            )
        )
    assert "Expected: [redacted]" in str(caught.value)
    assert session not in str(caught.value)
