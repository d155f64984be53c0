"""Test that requests match the vendor's own description."""

import json
from typing import Any

import pytest
from botocore.loaders import Loader  # type: ignore[import-untyped]  # it carries no types
from botocore.model import ServiceModel  # type: ignore[import-untyped]  # it carries no types
from botocore.validate import ParamValidator  # type: ignore[import-untyped]  # it carries no types

from openkoi_bedrock.output_schema import ANSWER_TOOL
from openkoi_bedrock.prompt_caching import CACHE_POINT
from openkoi_bedrock.request import ConverseRequestBuilder
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

pytestmark = pytest.mark.unit

CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "eu.amazon.nova-pro-v1:0"
LLAMA = "meta.llama3-70b-instruct-v1:0"
MARK = {"cachePoint": {"type": "default"}}
PATH: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
CALLS = (ToolCall("1", "read", {"path": "ä"}), ToolCall("2", "read", {"path": "b"}))
RESULTS = (ToolResult("A", call="1"), ToolResult("no such file", call="2", failed=True))


async def unused(arguments: Arguments) -> ToolResult:
    return ToolResult("")


READ = Tool("read", "Read a file.", PATH, unused)


@pytest.fixture(scope="module")
def description() -> Any:
    """The vendor's description of a request."""
    model = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    return model.operation_model("ConverseStream").input_shape


def written(*messages: Message, model: str = LLAMA, **settings: Any) -> bytes:
    return ConverseRequestBuilder().build(Request(messages, model=model, **settings))


def sent(*messages: Message, model: str = LLAMA, **settings: Any) -> dict[str, Any]:
    """The body of a request."""
    body: dict[str, Any] = json.loads(written(*messages, model=model, **settings))
    return body


def contents(*messages: Message, **settings: Any) -> list[Any]:
    return [turn["content"] for turn in sent(*messages, **settings)["messages"]]


def assistant(*parts: Part) -> Message:
    return Message(Role.ASSISTANT, parts)


def marks(*messages: Message, **settings: Any) -> list[int]:
    """The turns that are marked."""
    return [n for n, content in enumerate(contents(*messages, **settings)) if content[-1] == MARK]


STORY = (Message.user("Read both"), assistant(Text("Yes."), *CALLS), Message.user("and then?", *RESULTS))


def test_the_smallest_request_says_nothing_else() -> None:
    assert sent(Message.user("Hi")) == {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}


def test_blocks_of_the_system_stay_blocks_and_blank_ones_are_left_out() -> None:
    assert sent(Message.user("Hi"), system=["Be kind.", " ", "Be brief."])["system"] == [
        {"text": "Be kind."},
        {"text": "Be brief."},
    ]


def test_results_come_before_words_and_failed_ones_say_so() -> None:
    assert contents(*STORY)[2] == [
        {"toolResult": {"toolUseId": "1", "content": [{"text": "A"}]}},
        {"toolResult": {"toolUseId": "2", "content": [{"text": "no such file"}], "status": "error"}},
        {"text": "and then?"},
    ]


def test_calls_are_told_as_they_were_asked_for() -> None:
    assert contents(*STORY)[1] == [
        {"text": "Yes."},
        {"toolUse": {"toolUseId": "1", "name": "read", "input": {"path": "ä"}}},
        {"toolUse": {"toolUseId": "2", "name": "read", "input": {"path": "b"}}},
    ]


def test_thoughts_are_handed_back_as_they_were_sealed() -> None:
    thoughts = assistant(
        Reasoning("Hm.", "bedrock:c2ln"),
        Reasoning("", "bedrock-redacted:AAEC"),
        Reasoning("no seal"),
        Reasoning("Hm.", "acme:c2ln"),
        Text("Yes."),
    )

    assert contents(Message.user("Hi"), thoughts, Message.user("Go on"))[1] == [
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
        {"reasoningContent": {"redactedContent": "AAEC"}},
        {"text": "Yes."},
    ]


@pytest.mark.parametrize(("kind", "format"), [("image/png", "png"), ("image/jpeg", "jpeg"), ("image/JPG", "jpeg")])
def test_pictures_are_sent_along(kind: str, format: str) -> None:
    output = contents(Message.user("What is this?", Image(b"\x89PNG", kind)))[0][1]

    assert output == {"image": {"format": format, "source": {"bytes": "iVBORw=="}}}


def test_a_picture_that_cannot_be_shown_is_told_of() -> None:
    assert "cannot read it" in contents(Message.user(Image(b"BM", "image/bmp")))[0][0]["text"]


def test_settings_are_sent_when_they_are_given() -> None:
    body = sent(Message.user("Hi"), temperature=1.5, max_output=5, tools=[READ])

    assert body["inferenceConfig"] == {"maxTokens": 5, "temperature": 1.0}
    assert body["toolConfig"] == {
        "tools": [{"toolSpec": {"name": "read", "description": "Read a file.", "inputSchema": {"json": PATH}}}]
    }


def test_an_answer_of_a_shape_is_asked_for_as_the_vendor_takes_it() -> None:
    inner: Any = {"type": "object", "properties": {"minimum": {"type": "number", "minimum": 0, "enum": [0, 1]}}}
    schema: Arguments = {
        "title": "My answer!",
        "type": "object",
        "properties": {"of": {"type": "array", "items": inner}},
    }
    asked = sent(Message.user("Hi"), schema=schema)["outputConfig"]["textFormat"]
    shape = json.loads(asked["structure"]["jsonSchema"]["schema"])

    assert (asked["type"], asked["structure"]["jsonSchema"]["name"]) == ("json_schema", "My_answer_")
    assert shape["additionalProperties"] is False
    assert shape["properties"]["of"]["items"] == {
        "type": "object",
        "properties": {"minimum": {"type": "number", "enum": [0, 1]}},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("model", "by_tool"),
    [
        (CLAUDE, False),
        (LLAMA, False),
        (NOVA, True),
        ("anthropic.claude-3-7-sonnet-20250219-v1:0", True),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", True),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", True),
        ("global.anthropic.claude-opus-4-5-20251101-v1:0", False),
    ],
)
def test_models_without_structured_output_answer_with_a_tool(model: str, by_tool: bool) -> None:
    body = sent(Message.user("Hi"), schema=PATH, model=model)

    assert by_tool is not ("outputConfig" in body)
    assert by_tool is ("toolConfig" in body)


def test_the_answer_s_tool_must_be_called_unless_there_are_others() -> None:
    alone, among = (
        sent(Message.user("Hi"), schema=PATH, model=NOVA, tools=tools)["toolConfig"] for tools in ([], [READ])
    )

    assert alone["toolChoice"] == {"tool": {"name": ANSWER_TOOL}}
    assert [tool["toolSpec"]["name"] for tool in among["tools"]] == ["read", ANSWER_TOOL]
    assert among["toolChoice"] == {"any": {}}


def test_tools_of_the_story_are_told_of_although_none_is_offered() -> None:
    (tool,) = sent(*STORY)["toolConfig"]["tools"]

    assert tool["toolSpec"]["name"] == "read"
    assert tool["toolSpec"]["inputSchema"] == {"json": {"type": "object"}}


def test_turns_of_one_speaker_are_one_turn_and_blank_ones_none() -> None:
    messages = [Message.user("a"), Message.user("b"), assistant(Text(" ")), Message.user("c"), assistant(Text("d"))]

    assert contents(*messages) == [[{"text": "a"}, {"text": "b"}, {"text": "c"}], [{"text": "d"}]]


def test_ids_and_names_of_other_vendors_are_made_such_as_converse_takes() -> None:
    call = ToolCall("fc|ä/1" * 20, "functions.read it", {})
    asked, answered = contents(Message.user("Hi"), assistant(call), Message.user(ToolResult("", call=call.id)))[1:]
    use, result = asked[0]["toolUse"], answered[0]["toolResult"]

    assert use["toolUseId"] == result["toolUseId"]
    assert len(use["toolUseId"]) <= 64
    assert use["name"].startswith("functions_read_it_")
    assert result["content"] == [{"text": "(nothing)"}]


def test_halves_of_characters_do_not_stop_a_request() -> None:
    assert contents(Message.user("caf\udce9")) == [[{"text": "caf?"}]]


@pytest.mark.parametrize("messages", [STORY[:2], [*STORY[:2], Message.user(RESULTS[0])], [Message.user(RESULTS[0])]])
def test_a_call_without_its_one_result_is_not_sent(messages: list[Message]) -> None:
    with pytest.raises(KoiError, match="exactly one result"):
        sent(*messages)


@pytest.mark.parametrize(
    ("model", "marked"),
    [
        (CLAUDE, True),
        (f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/{CLAUDE}", True),
        ("anthropic.claude-3-haiku-20240307-v1:0", False),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", True),
        (NOVA, True),
        (LLAMA, False),
        ("arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123def456", False),
    ],
)
def test_the_cache_is_marked_where_the_model_is_known_to_take_it(model: str, marked: bool) -> None:
    body = sent(Message.user("Hi"), model=model, system=["Be kind."])

    assert marked is (body["system"][-1] == MARK)
    assert marked is (body["messages"][0]["content"][-1] == MARK)


@pytest.mark.parametrize(("caching", "model", "marked"), [("never", CLAUDE, False), ("always", LLAMA, True)])
def test_marks_may_be_chosen(caching: Any, model: str, marked: bool) -> None:
    request = Request([Message.user("Hi")], model=model, system=["Be kind."], tools=[READ])

    assert marked is (CACHE_POINT in ConverseRequestBuilder(caching).build(request))


def test_the_system_the_tools_and_the_last_two_turns_of_the_user_are_marked() -> None:
    body = sent(
        *STORY, assistant(Text("Done.")), Message.user("Thanks"), model=CLAUDE, system=["Be kind."], tools=[READ]
    )

    assert body["system"][-1] == MARK
    assert body["toolConfig"]["tools"][-1] == MARK
    assert [turn["content"][-1] == MARK for turn in body["messages"]] == [False, False, True, False, True]


def test_nova_is_marked_after_words_only() -> None:
    body = sent(*STORY, model=NOVA, system=["Be kind."], tools=[READ])

    assert MARK not in body["toolConfig"]["tools"]
    assert body["system"][-1] == MARK
    assert marks(*STORY, model=NOVA) == [0]


@pytest.mark.parametrize("model", [CLAUDE, NOVA, LLAMA])
def test_what_was_sent_is_sent_again_to_the_byte_but_for_the_marks(model: str) -> None:
    story = [Message.user("0")]
    scribe = ConverseRequestBuilder()
    before = b""
    for n in range(1, 9):
        whole = scribe.build(Request(story, model=model, system=["Be kind."], tools=[READ], max_output=n))
        bare = whole.replace(b"," + CACHE_POINT, b"")
        assert bare.startswith(before)
        before = bare[: bare.index(b']}],"inferenceConfig"')]
        call = ToolCall(str(n), "read", {"path": "ä"})
        story += [assistant(call), Message.user(ToolResult("A", call=call.id), f"{n}")]


def test_a_mark_is_left_where_the_next_request_reads_it() -> None:
    story = (*STORY, assistant(Text("Done.")), Message.user("Thanks"))
    first, second = marks(*STORY, model=CLAUDE), marks(*story, model=CLAUDE)

    assert first[-1] in second


@pytest.mark.parametrize("model", [CLAUDE, NOVA, LLAMA])
@pytest.mark.parametrize(
    "settings",
    [
        {"messages": (Message.user("Hi"),)},
        {"messages": STORY, "tools": [READ], "system": ["Be kind."], "temperature": 0.7, "max_output": 100},
        {"messages": STORY},
        {"messages": (Message.user("What?", Image(b"\x89PNG", "image/png")),), "schema": PATH},
        {"messages": STORY, "tools": [READ], "schema": PATH},
        {
            "messages": (
                STORY[0],
                assistant(Reasoning("Hm.", "bedrock:c2ln"), Reasoning("", "bedrock-redacted:AAEC"), *CALLS),
                STORY[2],
            )
        },
    ],
    ids=["small", "everything", "no tools now", "a picture and a schema", "tools and a schema", "thoughts"],
)
def test_requests_are_what_the_vendor_describes(model: str, settings: dict[str, Any], description: Any) -> None:
    body = {
        "modelId": model,
        **sent(*settings["messages"], model=model, **{k: v for k, v in settings.items() if k != "messages"}),
    }

    assert ParamValidator().validate(body, description).generate_report() == ""
