"""Test that requests to the Responses API match the vendor's own description."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from data_files import schema_errors

from openkoi_hookspecs import (
    Arguments,
    Image,
    KoiError,
    Message,
    Part,
    Reasoning,
    Request,
    Role,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_openai.responses import ResponsesRequestBuilder
from openkoi_openai.responses.reasoning_signatures import join_items

pytestmark = pytest.mark.unit

SENT: list[dict[str, Any]] = []
PATH: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
STRICT: Arguments = {**PATH, "additionalProperties": False}
ITEM: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "secret"}
THOUGHT = Reasoning("Hm.", join_items([ITEM]))
CALLS = (ToolCall("1", "read", {"path": "ä"}), ToolCall("2", "read", {"path": "b"}))
RESULTS = Message.user(ToolResult("A", call="1"), ToolResult("no such file", call="2", failed=True))


async def unused(arguments: Arguments) -> ToolResult:
    return ToolResult("")


READ = Tool("read", "Read a file.", PATH, unused)


@pytest.fixture(autouse=True)
def written_as_described() -> Iterator[None]:
    """Check that every request of a test matches the vendor's description."""
    SENT.clear()
    yield
    for body in SENT:
        assert not schema_errors("openai", "CreateResponse", body, overlapping=True)


def sent(*messages: Message, model: str = "gpt-5.2", summary: str = "", **settings: Any) -> dict[str, Any]:
    """The body of a request."""
    data: dict[str, Any] = json.loads(
        ResponsesRequestBuilder(summary).build(Request(messages, model=model, **settings))
    )
    SENT.append(data)
    return data


def assistant(*parts: Part) -> Message:
    return Message(Role.ASSISTANT, parts)


def test_the_smallest_request_is_stored_nowhere_and_asks_for_sealed_thoughts() -> None:
    assert sent(Message.user("Hi")) == {
        "model": "gpt-5.2",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "input": [{"type": "message", "role": "user", "content": "Hi"}],
    }


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1-mini", "gpt-3.5-turbo", "gpt-5-chat-latest", "ft:gpt-4o:acme"])
def test_a_model_that_does_not_reason_takes_a_temperature_and_has_nothing_to_seal(model: str) -> None:
    body = sent(Message.user("Hi"), model=model, temperature=0.1, summary="auto")

    assert (0.1, {"include", "reasoning"}) == (body["temperature"], {"include", "reasoning"} - body.keys())


@pytest.mark.parametrize("model", ["o3", "o4-mini", "gpt-5", "gpt-5.2-codex", "something-new"])
def test_a_model_that_reasons_takes_none(model: str) -> None:
    body = sent(Message.user("Hi"), model=model, temperature=0.1, summary="detailed")

    assert "temperature" not in body
    assert {"summary": "detailed"} == body["reasoning"]


def test_the_system_is_the_instructions() -> None:
    assert sent(Message.user("Hi"), system=["Be careful.", "", "Be kind."])["instructions"] == "Be careful.\n\nBe kind."


def test_results_are_items_in_order_and_come_before_words() -> None:
    results = Message.user("and then?", *RESULTS.parts)
    items = sent(Message.user("Read both"), assistant(Text("Yes."), *CALLS), results)["input"]

    assert items[1:] == [
        {"type": "message", "role": "assistant", "content": "Yes."},
        {"type": "function_call", "call_id": "1", "name": "read", "arguments": '{"path": "ä"}'},
        {"type": "function_call", "call_id": "2", "name": "read", "arguments": '{"path": "b"}'},
        {"type": "function_call_output", "call_id": "1", "output": "A"},
        {"type": "function_call_output", "call_id": "2", "output": "no such file"},
        {"type": "message", "role": "user", "content": "and then?"},
    ]


def test_thoughts_are_handed_back_as_they_came_and_where_they_were() -> None:
    items = sent(Message.user("Go"), assistant(THOUGHT, *CALLS), RESULTS)["input"]

    assert ITEM == items[1]
    assert items[2]["type"] == "function_call"


@pytest.mark.parametrize("seal", ["", "ErUBCkYIARgC", "[]", "{}", "5", '[{"type":"thinking"}]', "[5]", "[" * 5000])
def test_thoughts_of_another_vendor_are_not_handed_back(seal: str) -> None:
    kinds = [item["type"] for item in sent(assistant(Reasoning("Hm.", seal), Text("Yes.")), Message.user("x"))["input"]]

    assert kinds == ["message", "message"]


def test_thoughts_that_nothing_came_of_are_left_out() -> None:
    kinds = [item["type"] for item in sent(assistant(Text("Yes."), THOUGHT), Message.user("x"))["input"]]

    assert kinds == ["message", "message"]
    assert len(sent(assistant(THOUGHT), Message.user("x"))["input"]) == 1


def test_thoughts_without_their_content_are_sealed_with_nothing() -> None:
    assert join_items([{"type": "reasoning", "id": "rs_1", "summary": []}]) == ""


def test_pictures_are_sent_along() -> None:
    reply = sent(Message.user("What is this?", Image(b"\x89PNG", "image/png")))["input"][0]["content"]

    assert reply == [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"},
    ]


def test_settings_are_sent_when_they_are_given() -> None:
    body = sent(Message.user("Hi"), max_output=500, schema=STRICT, tools=[READ])

    assert body["max_output_tokens"] == 500
    assert body["text"] == {"format": {"type": "json_schema", "name": "answer", "schema": STRICT, "strict": True}}
    assert body["tools"] == [
        {"type": "function", "name": "read", "description": "Read a file.", "parameters": PATH, "strict": False}
    ]


def test_a_schema_that_cannot_be_strict_is_sent_as_it_is() -> None:
    assert sent(Message.user("Hi"), schema=PATH)["text"]["format"] == {
        "type": "json_schema",
        "name": "answer",
        "schema": PATH,
    }


def test_no_answer_is_asked_for_that_is_shorter_than_the_vendor_allows() -> None:
    assert sent(Message.user("Hi"), max_output=5)["max_output_tokens"] == 16


def test_what_was_written_stays_as_it_is_when_a_conversation_grows() -> None:
    scribe = ResponsesRequestBuilder()
    story = [Message.user("Go"), assistant(THOUGHT, *CALLS), RESULTS]
    first = scribe.build(Request(story, model="m"))
    second = scribe.build(Request([*story, assistant(Text("Done.")), Message.user("more")], model="m"))

    assert second.startswith(first[:-2])


def test_a_call_without_its_one_result_is_not_sent() -> None:
    with pytest.raises(KoiError, match="exactly one result"):
        sent(assistant(*CALLS), Message.user("never mind"))


def test_a_call_that_could_not_be_read_is_handed_back_as_one() -> None:
    broken = ToolCall("1", "unnamed", {}, parse_error="The call came with no tool name.")
    items = sent(assistant(broken), Message.user(ToolResult("No name.", call="1", failed=True)))["input"]

    assert ["function_call", "function_call_output"] == [item["type"] for item in items]
