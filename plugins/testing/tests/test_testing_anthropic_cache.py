"""Test that the fake counts tokens as Anthropic does: earlier prefixes are read from the cache, marked ones written."""

import json
from typing import Any

import httpx2

from openkoi_hookspecs import Usage
from openkoi_testing.servers import AnthropicServer, Say

PLAIN: Any = {"verify": False, "trust_env": False}  # nothing is encrypted here, and reading certificates takes time
MODEL = "claude-fake"
HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
TOOLS: list[Any] = [{"name": "read", "description": "Read.", "input_schema": {"type": "object"}}]
MARK: Any = {"type": "ephemeral"}
HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01"}


def user(*blocks: Any) -> Any:
    return {"role": "user", "content": list(blocks)}


def usage(server: AnthropicServer, body: dict[str, Any]) -> dict[str, int]:
    """The usage of an answer."""
    asked = {"model": MODEL, "max_tokens": 9, "messages": HELLO, **body}
    answer: dict[str, Any] = httpx2.post(f"{server.url}/v1/messages", json=asked, headers=HEADERS, **PLAIN).json()
    counted: dict[str, int] = answer["usage"]
    return counted


def counted(*bodies: dict[str, Any], least: int = 0) -> list[tuple[int, int, int]]:
    """The tokens that are new, read from the cache and written to it, by request."""
    with AnthropicServer("x", count=True, least=least) as server:
        found = [usage(server, body) for body in bodies]
    return [(u["input_tokens"], u["cache_read_input_tokens"], u["cache_creation_input_tokens"]) for u in found]


def block(size: int, **more: Any) -> dict[str, Any]:
    """A text with a number of tokens, including its envelope."""
    around = len(json.dumps({"type": "text", "text": ""}))
    return {"type": "text", "text": "x" * (4 * size - around), **more}


def test_nothing_is_cached_without_a_mark() -> None:
    body = {"messages": [user(block(100))]}

    assert [(100, 0, 0)] * 2 == counted(body, body)


def test_what_is_marked_is_written_once_and_then_read() -> None:
    body = {"system": [block(100, cache_control=MARK)], "messages": [user(block(10))]}

    assert [(10, 0, 100), (10, 100, 0)] == counted(body, body)


def test_the_longest_prefix_is_read_and_the_rest_written() -> None:
    system = [block(100, cache_control=MARK)]
    story = [user(block(10))]
    grown = [*story, {"role": "assistant", "content": [block(20)]}, user(block(30))]
    first = {"system": system, "messages": story, "cache_control": MARK}
    second = {"system": system, "messages": grown, "cache_control": MARK}
    other = {"system": system, "messages": [user(block(11))], "cache_control": MARK}

    assert [(0, 0, 110), (0, 110, 50), (0, 100, 11)] == counted(first, second, other)


def test_any_change_before_it_makes_another_prefix() -> None:
    first = {"tools": TOOLS, "system": [block(50, cache_control=MARK)]}
    second = {"tools": [{**TOOLS[0], "description": "Other."}], "system": [block(50, cache_control=MARK)]}

    assert [0, 0] == [read for _, read, _ in counted(first, second)]


def test_a_mark_looks_back_twenty_blocks_and_no_more() -> None:
    def story(blocks: int) -> dict[str, Any]:
        return {"messages": [user(*[block(10)] * blocks)], "cache_control": MARK}

    assert [(0, 0, 10), (0, 10, 190)] == counted(story(1), story(20))
    assert [(0, 0, 10), (0, 0, 210)] == counted(story(1), story(21))


def test_what_is_too_small_is_not_cached() -> None:
    body = {"system": [block(100, cache_control=MARK)], "messages": [user(block(10))]}

    assert [(110, 0, 0)] * 2 == counted(body, body, least=1024)


def test_an_answer_with_a_usage_of_its_own_is_not_counted() -> None:
    with AnthropicServer(Say("x", usage=Usage(input=12)), count=True) as server:
        assert usage(server, {})["input_tokens"] == 12
