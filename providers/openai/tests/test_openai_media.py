"""Test that images and files are sent, in both APIs, as the vendor describes."""

import json
from typing import Any

import pytest
from data_files import schema_errors

from openkoi_hookspecs import File, Image, Message, Request, Role, Text, ToolCall, ToolResult
from openkoi_openai import OpenAI, chat, responses

pytestmark = pytest.mark.unit

SHOT = Image(b"\x89PNG", "image/png")
PAPER = File(b"%PDF", "application/pdf", "paper.pdf")
URL, PDF_URL = "data:image/png;base64,iVBORw==", "data:application/pdf;base64,JVBERg=="
STORY = (
    Message.user("Look", PAPER),
    Message(Role.ASSISTANT, (ToolCall("1", "look", {}), ToolCall("2", "look", {}))),
    Message.user(
        ToolResult("A", parts=(Text("and"), SHOT), call="1"), ToolResult("", parts=(PAPER,), call="2"), "Go on"
    ),
)


def written(scribe: chat.ChatRequestBuilder | responses.ResponsesRequestBuilder, schema: str) -> dict[str, Any]:
    """The encoded messages of a conversation."""
    body: dict[str, Any] = json.loads(scribe.build(Request(STORY, model="gpt-5.2")))
    assert not schema_errors("openai", schema, body, overlapping=True)
    return body


def test_chat_completions_shows_images_of_results_after_all_results() -> None:
    first, _, *results, shown = written(chat.ChatRequestBuilder(), "CreateChatCompletionRequest")["messages"]
    file = {"type": "file", "file": {"filename": "paper.pdf", "file_data": PDF_URL}}

    assert [{"type": "text", "text": "Look"}, file] == first["content"]
    assert [("tool", "A\nand"), ("tool", "")] == [(one["role"], one["content"]) for one in results]
    assert "user" == shown["role"]
    assert [
        {"type": "text", "text": "From the result of the tool call 1:"},
        {"type": "image_url", "image_url": {"url": URL}},
        {"type": "text", "text": "From the result of the tool call 2:"},
        file,
        {"type": "text", "text": "Go on"},
    ] == shown["content"]


def test_responses_show_images_inside_of_results() -> None:
    first, *_, one, two, last = written(responses.ResponsesRequestBuilder(), "CreateResponse")["input"]
    file = {"type": "input_file", "filename": "paper.pdf", "file_data": PDF_URL}

    assert [{"type": "input_text", "text": "Look"}, file] == first["content"]
    assert [
        {"type": "input_text", "text": "A"},
        {"type": "input_text", "text": "and"},
        {"type": "input_image", "image_url": URL, "detail": "auto"},
    ] == one["output"]
    assert [file] == two["output"]
    assert "Go on" == last["content"]


@pytest.mark.parametrize(("base_url", "sends"), [("https://api.openai.com/v1", True), ("http://127.0.0.1:9/v1", False)])
def test_only_openai_itself_is_sent_files(base_url: str, sends: bool) -> None:
    provider = OpenAI(api_key="sk-x", base_url=base_url)

    assert sends is ("application/pdf" in provider.media_types)
    assert "image/png" in provider.media_types
