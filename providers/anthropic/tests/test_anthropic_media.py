"""Test that images and files are sent as the vendor's own types describe."""

import json
from typing import Any

import pytest
from anthropic.types import message_create_params
from pydantic import TypeAdapter

from openkoi_anthropic.request import MessagesRequestBuilder
from openkoi_hookspecs import File, Image, Message, Request, Role, Text, ToolCall, ToolResult

pytestmark = pytest.mark.unit

CREATED: TypeAdapter[Any] = TypeAdapter(message_create_params.MessageCreateParamsStreaming)
SHOT = Image(b"\x89PNG", "image/png")
PAPER = File(b"%PDF", "application/pdf", "paper.pdf")
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}
DOCUMENT = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="},
    "title": "paper.pdf",
}


def blocks(*parts: Any) -> list[dict[str, Any]]:
    """Return the sent parts of the last message, where results answer a call."""
    calls = tuple(ToolCall(part.call, "look", {}) for part in parts if isinstance(part, ToolResult))
    before = (Message.user("Hi"), Message(Role.ASSISTANT, calls or (Text("Ho"),)))
    data = json.loads(MessagesRequestBuilder().build(Request((*before, Message.user(*parts)), model="claude-x"), 4096))
    CREATED.validate_python(data)
    found: list[dict[str, Any]] = data["messages"][-1]["content"]
    return found


def test_a_file_of_a_user_is_a_document_with_its_name() -> None:
    assert [{"type": "text", "text": "Sum up"}, DOCUMENT] == blocks("Sum up", PAPER)


def test_a_result_contains_its_images_and_files_after_its_words() -> None:
    (result,) = blocks(ToolResult("Two things.", parts=(SHOT, Text("and"), PAPER), call="1"))

    text = [{"type": "text", "text": words} for words in ("Two things.", "and")]
    assert [text[0], PICTURE, text[1], DOCUMENT] == result["content"]


def test_a_result_may_be_an_image_alone() -> None:
    assert [PICTURE] == blocks(ToolResult("", parts=(SHOT,), call="1"))[0]["content"]


def test_what_failed_says_words_alone_and_its_images_follow() -> None:
    reply = blocks(ToolResult("It broke.", parts=(Text("Log"), SHOT), call="1", failed=True), "Go on")

    assert {"type": "tool_result", "tool_use_id": "1", "content": "It broke.\nLog", "is_error": True} == reply[0]
    assert [{"type": "text", "text": "From the result of the tool call 1:"}, PICTURE] == reply[1:3]
