"""Test that invalid recordings are rejected at once, with a clear message."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from openkoi_hookspecs import ConfigError, Json, ProviderUnavailableError
from openkoi_http import ApiClient
from openkoi_testing.servers.faults import ServerFault
from openkoi_testing.servers.http_server import HttpServer, ServerResponse

LINE = {"method": "GET", "host": "h", "path": "/models", "body": "", "headers": {}, "pieces": ["{}"], "cut": ""}


def tape(folder: Path, reply: dict[str, object]) -> str:
    """A cassette of one exchange."""
    file = folder / "cassette.jsonl"
    file.write_text(json.dumps({**LINE, "status": 200, **reply}) + "\n", encoding="utf-8")
    return f"replay:{file}"


def replayed(cassette: str) -> Json:
    async def ask() -> Json:
        async with ApiClient("http://h", cassette=cassette) as wire:
            return await wire.get("/models")

    return asyncio.run(ask())


@pytest.mark.parametrize("word", ["record", "replay"])
def test_what_is_no_file_is_no_cassette(tmp_path: Path, word: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    for name in (pipe, "/dev/zero", tmp_path):
        with pytest.raises(ConfigError, match=r"pipe or a device|is a folder"):
            ApiClient("http://h", cassette=f"{word}:{name}")


@pytest.mark.parametrize("status", [-1, 1, 99, 600, 99999, True])
def test_a_status_that_there_is_not_is_refused(tmp_path: Path, status: int) -> None:
    with pytest.raises(ConfigError, match=r"cassette\.jsonl, line 1: .*is not an HTTP status"):
        replayed(tape(tmp_path, {"status": status}))


@pytest.mark.parametrize("headers", [{"content-type": "a€"}, {"é": "a"}, {"x\n y": "a"}, {"a": "b\r\nc: d"}])
def test_a_header_that_cannot_be_is_refused(tmp_path: Path, headers: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"cassette\.jsonl, line 1: .*HTTP does not allow"):
        replayed(tape(tmp_path, {"headers": headers}))


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 429, "headers": {"retry-after": "40"}},
        {"status": 429, "pieces": ["try again in 40s"]},
        {"status": 503, "pieces": ['{"error":{"details":[{"retryDelay":"40s"}]}}']},
    ],
)
def test_nobody_waits_for_a_recording(tmp_path: Path, reply: dict[str, object]) -> None:
    with pytest.raises(ProviderUnavailableError) as caught:
        replayed(tape(tmp_path, reply))

    assert caught.value.retry_after is None


def test_a_recorded_header_can_be_played(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    fault = ServerFault(headers={"content-type": "application/json; é"})

    async def ask() -> Json:
        async with ApiClient(server.url, cassette=f"record:{file}") as wire:
            return await wire.get("/models")

    with HttpServer(lambda _: ServerResponse([b"{}"], fault=fault)) as server:
        assert asyncio.run(ask()) == {}
    assert replayed(f"replay:{file}") == {}
