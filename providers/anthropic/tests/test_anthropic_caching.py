"""Test that a growing conversation is read from the vendor's cache: earlier bytes are sent again unchanged."""

import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from openkoi_anthropic import Anthropic
from openkoi_anthropic.request import MessagesRequestBuilder
from openkoi_hookspecs import (
    Arguments,
    Limits,
    Message,
    Reasoning,
    Request,
    Role,
    StreamEnd,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from openkoi_hookspecs.events import ModelResponse
from openkoi_testing.scenario import FinishedRun, Scenario, run_scenario
from openkoi_testing.servers import AnthropicServer

SYSTEM = ("You are careful. " * 200, "The project is small. " * 40)
SCHEMA: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}}
CALLS = 6


async def unused(arguments: Arguments) -> ToolResult:
    return ToolResult("")


TOOLS = tuple(Tool(f"tool_{n}", "Does something useful. " * 10, SCHEMA, unused) for n in range(6))


def answer(n: int) -> list[str | Reasoning | ToolCall]:
    """The parts of a cycle: two thoughts, text, two calls."""
    calls = [ToolCall(f"toolu_{n}{part}", "read_file", {"path": "a.txt"}) for part in "ab"]
    return [Reasoning(f"I wonder, {n}."), Reasoning("", signature=f"ZGF0YQ{n}"), f"I look, {n}.", *calls]


async def converse(provider: Anthropic) -> list[Usage]:
    """Call tools and send their results back; return the usage of each call."""
    story, costs = [Message.user("Tell me what is in a.txt.")], []
    async with provider:
        for n in range(CALLS):
            request = Request(tuple(story), model="claude-fake", system=SYSTEM, tools=TOOLS, max_output=4000 + n)
            *reply, done = [chunk async for chunk in provider.chat(request)]
            assert isinstance(done, StreamEnd)
            costs.append(done.usage)
            calls = [chunk for chunk in reply if isinstance(chunk, ToolCall)]
            results = [ToolResult("hello " * 50, call=call.id) for call in calls]
            words = "".join(chunk.text for chunk in reply if isinstance(chunk, Text))
            story += [Message(Role.ASSISTANT, (Text(words), *calls)), Message.user(*results)]
    return costs


@pytest.fixture(scope="module")
def conversed() -> tuple[list[Usage], AnthropicServer]:
    with AnthropicServer(*map(answer, range(CALLS)), count=True) as server:
        return asyncio.run(converse(Anthropic(api_key="k", base_url=server.url))), server


@pytest.mark.row("PROV-11")
def test_from_the_third_call_on_most_of_the_input_is_read_from_the_cache(
    conversed: tuple[list[Usage], AnthropicServer],
) -> None:
    costs, _ = conversed
    shares = [cost.cache_read / (cost.input + cost.cache_read + cost.cache_write) for cost in costs]

    assert CALLS == len(shares)
    assert min(shares[2:]) >= 0.8, shares


def test_each_call_reads_all_that_the_one_before_sent(conversed: tuple[list[Usage], AnthropicServer]) -> None:
    costs, _ = conversed
    sent = [cost.input + cost.cache_read + cost.cache_write for cost in costs]

    assert sent[:-1] == [cost.cache_read for cost in costs[1:]]


@pytest.mark.row("PROV-11")
def test_each_request_begins_with_the_bytes_of_the_one_before(conversed: tuple[list[Usage], AnthropicServer]) -> None:
    _, server = conversed
    beginnings = [request.body.partition(b'],"max_tokens"')[0] for request in server.requests]

    assert all(after.startswith(before) for before, after in pairwise(beginnings))
    assert all(b'"tools":' in one and b'"system":' in one and b'"messages":' in one for one in beginnings)


def marked(body: dict[str, Any]) -> list[str]:
    """The positions of the cache marks."""
    lists = {"tools": body.get("tools", []), "system": body.get("system", [])}
    lists |= {f"message {n}": message["content"] for n, message in enumerate(body["messages"])}
    found = [f"{name} {n}" for name, blocks in lists.items() for n, one in enumerate(blocks) if "cache_control" in one]
    return found + ["moving"] * ("cache_control" in body)


@pytest.mark.parametrize(
    ("system", "tools", "marks"),
    [
        ((), (), ["message 0 0", "moving"]),
        ((), TOOLS, ["tools 5", "message 0 0", "moving"]),
        (SYSTEM[:1], TOOLS, ["tools 5", "system 0", "message 0 0", "moving"]),
        (SYSTEM, TOOLS, ["system 0", "system 1", "message 0 0", "moving"]),
        ((*SYSTEM, "a", "b"), TOOLS, ["system 0", "system 3", "message 0 0", "moving"]),
        (SYSTEM, (), ["system 0", "system 1", "message 0 0", "moving"]),
    ],
)
def test_four_marks_at_most_stand_where_layers_end(
    system: Sequence[str], tools: Sequence[Tool], marks: list[str]
) -> None:
    request = Request([Message.user("Hi"), Message.user("there")], model="m", system=system, tools=tools)

    assert marks == marked(json.loads(MessagesRequestBuilder().build(request, 100)))


def test_what_was_written_once_is_not_written_again() -> None:
    scribe, story = MessagesRequestBuilder(), [Message.user(f"Message {n}") for n in range(50)]
    first = scribe.build(Request(story, model="m"), 100)

    assert (
        first
        == scribe.build(Request(story, model="m"), 100)
        == MessagesRequestBuilder().build(Request(tuple(story), model="m"), 100)
    )


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[FinishedRun, AnthropicServer]:
    """A real run with a thinking model, which reads a file and continues."""
    folder: Path = tmp_path_factory.mktemp("work")
    (folder / "a.txt").write_text("hello\n" * 20)
    task = Task("What does a.txt say?", limits=Limits(iterations=0))
    with AnthropicServer(*map(answer, range(CALLS - 1)), "It says hello.", models=("script",), count=True) as server:
        stage = Scenario(model=Anthropic(api_key="k", base_url=server.url, thinking=2000))
        return run_scenario(task, stage, folder), server


def test_a_run_hands_every_thought_back_as_it_was(worked: tuple[FinishedRun, AnthropicServer]) -> None:
    rehearsed, server = worked

    assert rehearsed.result.text == "It says hello."
    assert all(body["thinking"] == {"type": "enabled", "budget_tokens": 2000} for body in server.asked)


def test_a_run_reads_most_of_its_input_from_the_cache(worked: tuple[FinishedRun, AnthropicServer]) -> None:
    rehearsed, _ = worked
    costs = [one.event.response.done.usage for one in rehearsed.records if isinstance(one.event, ModelResponse)]

    assert CALLS == len(costs)
    assert all(cost.cache_read > cost.input + cost.cache_write for cost in costs[2:])
