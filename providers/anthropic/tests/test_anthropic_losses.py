"""Test that lost parts of an answer are never invented: no tool runs with other arguments than it was given."""

import json
from typing import Any

import pytest

from openkoi_anthropic.answer import MessagesResponseParser
from openkoi_anthropic.messages import encode_message
from openkoi_hookspecs import Chunk, Message, ProviderUnavailableError, Role, ToolCall, ToolResult
from openkoi_http import Server

TEXT = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "x"}}
STOP = {"type": "message_stop"}


def read(*frames: Any, reason: str = "tool_use") -> list[Chunk]:
    answer = MessagesResponseParser(Server("models.example"))
    ended = {"type": "message_delta", "delta": {"stop_reason": reason}}
    heard = [answer.event(frame if isinstance(frame, str) else json.dumps(frame)) for frame in (*frames, ended, STOP)]
    return [*(chunk for chunks in heard for chunk in chunks or ()), *answer.finish()]


def use(input: Any = None, id: str = "a", **index: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": id, "name": "read", "input": {} if input is None else input}
    return {"type": "content_block_start", "content_block": block, **(index or {"index": 1})}


def piece(json: Any, index: int = 1) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": json}}


def end(index: int = 1) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def calls(chunks: list[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


@pytest.mark.parametrize(
    "frames",
    [
        (use(), piece({"path": "x"})),
        (use([1]),),
        (use(5),),
        (use("path"),),
        (use({"n": [{"a": [[[]] * 2]}]}), piece("{")),
    ],
)
def test_a_call_whose_arguments_were_lost_says_so(frames: tuple[Any, ...]) -> None:
    (call,) = calls(read(*frames))

    assert call.arguments == {}
    assert "not a valid JSON object" in call.parse_error


@pytest.mark.parametrize("twice", ['{"path":"a","path":"b"}', '{"of":[{"n":1,"n":2}]}', '{"n":1e999}', '{"n":NaN}'])
def test_arguments_that_come_at_once_are_as_strictly_read(twice: str) -> None:
    start = json.dumps(use("HERE")).replace('"HERE"', twice)

    (call,) = calls(read(start))

    assert "not a valid JSON object" in call.parse_error


@pytest.mark.parametrize(
    "frames",
    [
        (use(), piece('{"path":"x"}', 2)),
        (use(index=None), piece('{"path":"x"}')),
        (use(), use(id="b"), piece('{"path":'), piece('"x"}')),
        (TEXT, piece("{}", 0)),
        (use(), piece('{"path"'), end(), piece(':"x"}')),
    ],
    ids=["another number", "no number", "two of one number", "no start", "after its end"],
)
def test_pieces_that_went_astray_break_off_the_answer(frames: tuple[Any, ...]) -> None:
    with pytest.raises(ProviderUnavailableError, match="sent arguments without a tool call"):
        read(*frames)


def test_a_number_may_be_used_again_when_its_block_has_ended() -> None:
    assert len(calls(read(use(), piece("{}"), end(), use(id="b"), piece("{}"), end()))) == 2


def test_an_empty_answer_is_none() -> None:
    thought = {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}

    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read(reason="end_turn")
    with pytest.raises(ProviderUnavailableError, match="sent an empty response"):
        read(thought, reason="end_turn")
    with pytest.raises(ProviderUnavailableError, match="announced tool calls but sent none"):
        read(TEXT)
    assert read(reason="max_tokens")
    assert read(reason="refusal")


def test_ids_stay_apart_and_their_results_with_them() -> None:
    ids = ("a b", "a/b", "x" * 5000)
    asked = Message(Role.ASSISTANT, tuple(ToolCall(id, "re ad", {}) for id in ids))
    answered = Message.user(*(ToolResult("x", call=id) for id in ids))
    output: Any = [next(iter(encode_message(message)))["content"] for message in (asked, answered)]

    assert len({block["id"] for block in output[0]}) == 3
    assert max(len(block["id"]) for block in output[0]) <= 64
    assert [block["id"] for block in output[0]] == [block["tool_use_id"] for block in output[1]]
