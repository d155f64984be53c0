"""Test that lost parts of an answer are never invented: no tool runs with other arguments than it was given."""

import json
from typing import Any

import pytest

from openkoi_bedrock.answer import ConverseResponseParser
from openkoi_hookspecs import Chunk, ProviderUnavailableError, ToolCall
from openkoi_http import Server


def frame(kind: str, **payload: Any) -> str:
    return json.dumps({"headers": {":event-type": kind}, "payload": payload})


def read(*frames: str, reason: str = "tool_use") -> list[Chunk]:
    answer = ConverseResponseParser(Server("models.example"))
    heard = [answer.event(data) for data in (*frames, frame("messageStop", stopReason=reason))]
    return [*(chunk for chunks in heard for chunk in chunks or ()), *answer.finish()]


def start(id: str = "a", at: int = 0) -> str:
    return frame("contentBlockStart", contentBlockIndex=at, start={"toolUse": {"toolUseId": id, "name": "read"}})


def piece(input: Any, at: int = 0) -> str:
    return frame("contentBlockDelta", contentBlockIndex=at, delta={"toolUse": {"input": input}})


def text(words: str, at: int = 0) -> str:
    return frame("contentBlockDelta", contentBlockIndex=at, delta={"text": words})


def stop(at: int = 0) -> str:
    return frame("contentBlockStop", contentBlockIndex=at)


@pytest.mark.parametrize("input", [{"path": "x"}, ["x"], 5])
def test_a_call_whose_arguments_were_lost_says_so(input: Any) -> None:
    call = read(start(), piece(input), stop())[0]

    assert isinstance(call, ToolCall)
    assert "not a valid JSON object" in call.parse_error


@pytest.mark.parametrize(
    "frames",
    [
        (start(), piece('{"path":"x"}', 1), stop(), stop(1)),
        (start(), start("b"), piece("{}"), stop()),
        (start(), stop(), piece('{"path":"x"}')),
    ],
    ids=["another number", "two of one number", "after its end"],
)
def test_pieces_that_went_astray_break_off_the_answer(frames: tuple[str, ...]) -> None:
    with pytest.raises(ProviderUnavailableError, match="in the middle of a tool call"):
        read(*frames)


def test_an_empty_answer_is_none() -> None:
    thought = frame("contentBlockDelta", contentBlockIndex=0, delta={"reasoningContent": {"text": "Hm."}})

    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read(reason="end_turn")
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read(thought, reason="end_turn")
    with pytest.raises(ProviderUnavailableError, match="announced tool calls but sent none"):
        read(text("x"))
    assert read(reason="max_tokens")
    assert read(reason="guardrail_intervened")
