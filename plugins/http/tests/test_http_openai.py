"""Test a provider with cassettes: a conversation with tools is recorded once, then replayed without a server."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Buffered,
    Chunk,
    Message,
    Request,
    RequestRejectedError,
    Role,
    StreamEnd,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_openai import OpenAI
from openkoi_testing.servers import OpenAIServer, Say

KEY = "sk-proj-canary0123456789abcdef"
UNREACHABLE = "http://127.0.0.1:9/v1"


async def never(_: object) -> ToolResult:
    raise AssertionError("tools are not called here")


TOOLS = [Tool("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}}, never)]


async def answer(provider: OpenAI, story: Sequence[Message]) -> list[Chunk]:
    return [chunk async for chunk in provider.chat(Request(story, model="gpt-fake", tools=TOOLS))]


async def converse(provider: OpenAI, result: str) -> list[list[Chunk]]:
    """Send requests and answer each tool call, until there is none."""
    story, rows = [Message.user("What is in a.txt? It is 2026-11-21.")], list[list[Chunk]]()
    async with provider:
        while not rows or any(isinstance(chunk, ToolCall) for chunk in rows[-1]):
            rows.append(await answer(provider, story))
            reply = tuple(chunk for chunk in rows[-1] if not isinstance(chunk, Buffered | StreamEnd))
            results = [ToolResult(result, call=part.id) for part in reply if isinstance(part, ToolCall)]
            story += [Message(Role.ASSISTANT, reply), Message.user(*results)]
    return rows


def recorded(file: Path, *ids: str) -> list[list[Chunk]]:
    calls = [Say(["Let me see… 😀", ToolCall(id, "read", {"path": f"a{n}"})]) for n, id in enumerate(ids)]
    with OpenAIServer(*calls, f"The key is {KEY}, no?", key=KEY) as server:
        provider = OpenAI(api_key=KEY, base_url=server.url, cassette=f"record:{file}")
        return asyncio.run(converse(provider, f"key = {KEY}"))


def replayed(file: Path, result: str) -> list[list[Chunk]]:
    return asyncio.run(converse(OpenAI(base_url=UNREACHABLE, cassette=f"replay:{file}"), result))


def text(chunks: Sequence[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def test_a_conversation_of_three_calls_is_had_again_chunk_by_chunk(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    then = recorded(file, "a", "b")
    now = replayed(file, "key = [redacted]")

    assert (3, then[:2]) == (len(then), now[:2])
    assert "The key is [redacted], no?" == text(now[2]) == text(then[2]).replace(KEY, "[redacted]")
    assert then[2][-1] == now[2][-1]


def test_the_key_is_nowhere_in_it(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, "a", "b")

    assert "canary" not in file.read_text(encoding="utf-8").lower()


def test_ids_that_we_make_up_do_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    then = recorded(file, "", "")
    now = replayed(file, "key = [redacted]")

    assert [text(chunks) for chunks in then[:2]] == [text(chunks) for chunks in now[:2]]
    assert 3 == len(now)


def test_a_tool_that_says_something_else_is_refused_and_named(tmp_path: Path) -> None:
    file = tmp_path / "cassette.jsonl"
    recorded(file, "a", "b")

    with pytest.raises(
        RequestRejectedError, match=r"POST /chat/completions \(model gpt-fake, 3 turns, .* was not recorded"
    ):
        replayed(file, "key = something else")
