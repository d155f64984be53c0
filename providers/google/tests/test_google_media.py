"""Test that images and files are sent as the vendor describes."""

import json
from typing import Any

import pytest
from data_files import schema_errors

from openkoi_google.request import GeminiRequestBuilder
from openkoi_hookspecs import File, Image, Message, Request, Role, Text, ToolCall, ToolResult

pytestmark = pytest.mark.unit

SHOT = Image(b"\x89PNG", "image/png")
PAPER = File(b"%PDF", "application/pdf", "paper.pdf")
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}
DOCUMENT = {"inlineData": {"mimeType": "application/pdf", "data": "JVBERg=="}}
STORY = (
    Message.user("Look", PAPER),
    Message(Role.ASSISTANT, (ToolCall("1", "look", {}),)),
    Message.user(ToolResult("A", parts=(Text("and"), SHOT), call="1"), "Go on"),
)


def parts(model: str, scribe: GeminiRequestBuilder) -> list[list[dict[str, Any]]]:
    """The encoded messages of a conversation."""
    body = json.loads(scribe.build(Request(STORY, model=model)))
    assert not schema_errors("gemini", "GenerateContentRequest", body)
    return [content["parts"] for content in body["contents"]]


def test_a_result_contains_its_images_since_gemini_3() -> None:
    first, _, last = parts("gemini-3-pro-preview", GeminiRequestBuilder())

    assert [{"text": "Look"}, DOCUMENT] == first
    response = {"id": "1", "name": "look", "response": {"output": "A\nand"}, "parts": [PICTURE]}
    assert [{"functionResponse": response}, {"text": "Go on"}] == last


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "models/gemini-2.0-flash", "gemma-3-27b-it"])
def test_earlier_models_are_shown_them_after_the_results(model: str) -> None:
    *_, last = parts(model, GeminiRequestBuilder())

    response = {"id": "1", "name": "look", "response": {"output": "A\nand"}}
    label = {"text": "From the result of the tool call 1:"}
    assert [{"functionResponse": response}, label, PICTURE, {"text": "Go on"}] == last


def test_one_provider_serves_models_of_both_kinds() -> None:
    scribe = GeminiRequestBuilder()
    before = [parts(model, scribe) for model in ("gemini-3-pro-preview", "gemini-2.5-flash")]

    assert before == [parts(model, scribe) for model in ("gemini-3-pro-preview", "gemini-2.5-flash")]
    assert before[0] != before[1]
