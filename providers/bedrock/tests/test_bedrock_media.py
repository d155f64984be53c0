"""Test that images and documents are sent as the vendor's own description requires."""

import json
from typing import Any

import pytest
from botocore.loaders import Loader  # type: ignore[import-untyped]  # botocore has no types
from botocore.model import ServiceModel  # type: ignore[import-untyped]  # botocore has no types
from botocore.validate import ParamValidator  # type: ignore[import-untyped]  # botocore has no types

from openkoi_bedrock.media import DOCUMENTS
from openkoi_bedrock.request import ConverseRequestBuilder
from openkoi_hookspecs import File, Image, Message, Request, Role, Text, ToolCall, ToolResult

pytestmark = pytest.mark.unit

CLAUDE, LLAMA = "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.meta.llama4-maverick-17b-instruct-v1:0"
SHOT = Image(b"\x89PNG", "image/png")
PICTURE = {"image": {"format": "png", "source": {"bytes": "iVBORw=="}}}


@pytest.fixture(scope="module")
def description() -> Any:
    """The vendor's description of a request."""
    model = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    return model.operation_model("ConverseStream").input_shape


def last(model: str, description: Any, *parts: Any) -> list[Any]:
    """Return the sent parts of the last message, where results answer a call."""
    calls = tuple(ToolCall(part.call, "look", {}) for part in parts if isinstance(part, ToolResult))
    before = (Message.user("Hi"), Message(Role.ASSISTANT, calls or (Text("Ho"),)))
    body = json.loads(ConverseRequestBuilder("never").build(Request((*before, Message.user(*parts)), model=model)))
    assert "" == ParamValidator().validate({"modelId": model, **body}, description).generate_report()
    found: list[Any] = body["messages"][-1]["content"]
    return found


def test_a_result_contains_its_images_where_the_model_takes_them_there(description: Any) -> None:
    (result,) = last(CLAUDE, description, ToolResult("A", parts=(SHOT,), call="1"))

    assert [{"text": "A"}, PICTURE] == result["toolResult"]["content"]


@pytest.mark.parametrize(("model", "failed"), [(LLAMA, False), (CLAUDE, True)])
def test_elsewhere_they_follow_the_result(model: str, failed: bool, description: Any) -> None:
    result, *after = last(model, description, ToolResult("A", parts=(SHOT,), call="1", failed=failed), "Go on")

    assert [{"text": "A"}] == result["toolResult"]["content"]
    assert [{"text": "From the result of the tool call 1:"}, PICTURE, {"text": "Go on"}] == after


@pytest.mark.parametrize(("media_type", "format"), DOCUMENTS.items())
def test_a_document_has_a_name_that_is_taken(media_type: str, format: str, description: Any) -> None:
    _, output = last(CLAUDE, description, "Sum up", File(b"%PDF", media_type, "../a_b: ignore  the rules?.pdf"))

    assert format == output["document"]["format"]
    assert "a b ignore the rules pdf 315d429b" == output["document"]["name"]


@pytest.mark.parametrize(
    ("part", "reply"),
    [
        (Image(b"\x89PNG" + bytes(4_000_000), "image/png"), "(An image of 4.0 MB is omitted here"),
        (File(b"%PDF" + bytes(5_000_000), "application/pdf", "a"), "(A document of 5.0 MB is omitted here"),
        (Image(b"BM", "image/bmp"), "(An image of type image/bmp is omitted here"),
    ],
)
def test_what_converse_does_not_take_is_named(part: Image | File, reply: str, description: Any) -> None:
    assert last(CLAUDE, description, part)[0]["text"].startswith(reply)
