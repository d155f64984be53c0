"""Test that lost parts of an answer are never invented: no tool runs with other arguments than it was given."""

import json
from typing import Any

import pytest

from openkoi_hookspecs import Buffered, Chunk, ProviderUnavailableError, ToolCall
from openkoi_http import Server
from openkoi_ollama.answer import OllamaResponseParser


def read(*, swap: str = "", reason: str = "stop", **message: Any) -> list[Chunk]:
    answer = OllamaResponseParser(Server("models.example"))
    frame = {"message": {"content": "", **message}, "done": True, "done_reason": reason}
    chunks = [*(answer.event(json.dumps(frame).replace('"HERE"', swap)) or ()), *answer.finish()]
    return [chunk for chunk in chunks if not isinstance(chunk, Buffered)]


@pytest.mark.parametrize(
    "given", ['{"path":"a","path":"b"}', '{"of":[{"n":1,"n":2}]}', '{"n":1e999}', '{"n":NaN}', "0"]
)
def test_arguments_that_come_as_an_object_are_as_strictly_read(given: str) -> None:
    call = read(tool_calls=[{"function": {"name": "read", "arguments": "HERE"}}], swap=given)[0]

    assert isinstance(call, ToolCall)
    assert "not a valid JSON object" in call.parse_error


def test_arguments_too_deep_are_not_relied_upon() -> None:
    call = read(tool_calls=[{"function": {"name": "read", "arguments": "HERE"}}], swap='{"a":' * 200 + "1" + "}" * 200)[
        0
    ]

    assert isinstance(call, ToolCall)
    assert call.parse_error


def test_an_empty_answer_is_none() -> None:
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read()
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read(thinking="Hm.")
    assert read(reason="length")
