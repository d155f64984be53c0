"""Test that lost parts of an answer are never invented: no tool runs with other arguments than it was given."""

import json
from typing import Any

import pytest

from openkoi_google.answer import GeminiResponseParser
from openkoi_google.messages import MessageEncoder
from openkoi_hookspecs import Buffered, Chunk, Message, ProviderUnavailableError, Role, ToolCall, ToolResult
from openkoi_http import Server


def read(*parts: Any, reason: str = "STOP", swap: str = "") -> list[Chunk]:
    answer = GeminiResponseParser(Server("models.example"))
    frame = {"candidates": [{"content": {"parts": list(parts)}, "finishReason": reason}]}
    chunks = [*(answer.event(json.dumps(frame).replace('"HERE"', swap)) or ()), *answer.finish()]
    return [chunk for chunk in chunks if not isinstance(chunk, Buffered)]


@pytest.mark.parametrize("args", ['{"path":"a","path":"b"}', '{"of":[{"n":1,"n":2}]}', '{"n":1e999}', '{"n":NaN}', "5"])
def test_arguments_that_come_as_an_object_are_as_strictly_read(args: str) -> None:
    call = read({"functionCall": {"name": "read", "args": "HERE"}}, swap=args)[0]

    assert isinstance(call, ToolCall)
    assert "not a valid JSON object" in call.parse_error


def test_an_empty_answer_is_none() -> None:
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read()
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read({"text": "Hm.", "thought": True})
    assert read(reason="MAX_TOKENS")
    assert read(reason="SAFETY")


def test_ids_and_names_are_such_as_the_server_takes() -> None:
    asked = Message(Role.ASSISTANT, (ToolCall("a b", "re ad", {}), ToolCall("a\nb", "7", {}), ToolCall("c", "a.b", {})))
    answered = Message.user(*(ToolResult("x", call=id) for id in ("a b", "a\nb", "c")))
    teller = MessageEncoder(nested=True)
    teller.follow([asked, answered])
    output: Any = [next(iter(teller.encode(message)))["parts"] for message in (asked, answered)]
    calls = [part["functionCall"] for part in output[0]]

    assert [(call["id"], call["name"]) for call in calls] == [
        (part["functionResponse"]["id"], part["functionResponse"]["name"]) for part in output[1]
    ]
    assert len({call["id"] for call in calls}) == 3
    assert calls[1]["name"].startswith("_7_")
    assert calls[2]["name"] == "a.b"
