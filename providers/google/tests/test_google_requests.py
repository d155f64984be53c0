"""Test that requests match the vendor's own description."""

import asyncio
import json
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from data_files import schema_errors

from openkoi_google import Google, GoogleEmbedder
from openkoi_google.request import GeminiRequestBuilder
from openkoi_hookspecs import (
    Arguments,
    Buffered,
    Chunk,
    Env,
    Image,
    KoiError,
    Message,
    NoProviderError,
    Part,
    Reasoning,
    Request,
    RequestRejectedError,
    Role,
    StreamEnd,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_testing.servers import GoogleServer
from openkoi_testing.servers.say import Words

PATH: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


async def unused(arguments: Arguments) -> ToolResult:
    return ToolResult("")


READ = Tool("read", "Read a file.", PATH, unused)
CALLS = (ToolCall("1", "read", {"path": "ä"}), ToolCall("2", "list", {}))
RESULTS = (ToolResult("A", call="1"), ToolResult("no such folder", call="2", failed=True))
HELLO = Message.user("Hi")


def sent(*messages: Message, **settings: Any) -> dict[str, Any]:
    """The body of a request."""
    data: dict[str, Any] = json.loads(GeminiRequestBuilder().build(Request(messages, model="gemini-x", **settings)))
    return data


def assistant(*parts: Part) -> Message:
    return Message(Role.ASSISTANT, parts)


def sent_parts(*parts: Part) -> list[dict[str, Any]]:
    """The vendor's messages for its model's answer; calls get their results."""
    results = [ToolResult("x", call=part.id) for part in parts if isinstance(part, ToolCall)]
    found: list[dict[str, Any]] = sent(assistant(*parts), Message.user("go on", *results))["contents"][0]["parts"]
    return found


def test_the_smallest_request_is_what_is_said() -> None:
    assert sent(HELLO) == {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


def test_blocks_of_the_system_stand_apart() -> None:
    assert sent(HELLO, system=["Be careful.", "", "Be kind."])["systemInstruction"] == {
        "parts": [{"text": "Be careful."}, {"text": "Be kind."}]
    }


def test_results_are_told_under_the_names_of_their_tools_and_come_before_words() -> None:
    story = sent(HELLO, assistant(Text("Yes."), *CALLS), Message.user("and then?", *RESULTS))

    assert story["contents"][2]["parts"] == [
        {"functionResponse": {"id": "1", "name": "read", "response": {"output": "A"}}},
        {"functionResponse": {"id": "2", "name": "list", "response": {"error": "no such folder"}}},
        {"text": "and then?"},
    ]


def test_a_name_is_found_in_the_turn_before_although_another_has_the_same_id() -> None:
    turns = [
        turn
        for tool in ("read", "list", "read")
        for turn in (assistant(ToolCall("0", tool, {})), Message.user(ToolResult("x", call="0")))
    ]
    names = [turn["parts"][0]["functionResponse"]["name"] for turn in sent(*turns)["contents"][1::2]]

    assert names == ["read", "list", "read"]


def test_calls_are_told_as_they_were_asked_for() -> None:
    assert sent_parts(*CALLS) == [
        {"functionCall": {"id": "1", "name": "read", "args": {"path": "ä"}}},
        {"functionCall": {"id": "2", "name": "list", "args": {}}},
    ]


def test_a_seal_signs_the_part_that_follows_its_thought() -> None:
    hm = {"text": "Hm.", "thought": True}

    assert sent_parts(Reasoning("Hm.", "c2ln"), CALLS[0])[1]["thoughtSignature"] == "c2ln"
    assert sent_parts(Reasoning("Hm.", "c2ln"), Text("So.")) == [hm, {"text": "So.", "thoughtSignature": "c2ln"}]
    assert sent_parts(Reasoning("Hm.", "c2ln")) == [hm, {"text": "", "thoughtSignature": "c2ln"}]


def test_a_seal_may_sign_a_thought_and_what_follows() -> None:
    assert sent_parts(Reasoning("Hm.", "b3du|bmV4dA=="), Text("So.")) == [
        {"text": "Hm.", "thought": True, "thoughtSignature": "b3du"},
        {"text": "So.", "thoughtSignature": "bmV4dA=="},
    ]
    assert sent_parts(Text("So."), Reasoning("", "b3du|")) == [
        {"text": "So."},
        {"text": "", "thoughtSignature": "b3du"},
    ]


def test_pictures_are_sent_along() -> None:
    reply = sent(Message.user("What is this?", Image(b"\x89PNG", "image/png")))["contents"][0]["parts"]

    assert reply == [{"text": "What is this?"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}]


def test_what_says_nothing_is_not_sent() -> None:
    assert len(sent(HELLO, assistant(Text("")), Message.user(""), Message.user("Hi", ""))["contents"]) == 2


def test_settings_are_sent_when_they_are_given() -> None:
    body = sent(HELLO, temperature=0.0, max_output=5, schema=PATH, tools=[READ])

    assert body["generationConfig"] == {
        "maxOutputTokens": 5,
        "temperature": 0.0,
        "responseMimeType": "application/json",
        "responseJsonSchema": PATH,
    }
    assert body["tools"] == [
        {"functionDeclarations": [{"name": "read", "description": "Read a file.", "parametersJsonSchema": PATH}]}
    ]


def test_thoughts_are_asked_for_when_somebody_wants_them() -> None:
    body = json.loads(GeminiRequestBuilder(thoughts=True).build(Request([HELLO])))

    assert body["generationConfig"] == {"thinkingConfig": {"includeThoughts": True}}


def test_halves_of_characters_do_not_stop_a_request() -> None:
    assert sent(Message.user("caf\udce9"))["contents"][0]["parts"] == [{"text": "caf?"}]


@pytest.mark.parametrize(
    "messages",
    [
        [assistant(*CALLS)],
        [assistant(*CALLS), Message.user("never mind")],
        [assistant(*CALLS), Message.user(RESULTS[0])],
        [assistant(*CALLS), Message.user(*RESULTS, RESULTS[0])],
        [Message.user(RESULTS[0])],
        [assistant(*CALLS), Message.user("wait"), Message.user(*RESULTS)],
    ],
    ids=["no turn after", "no results", "one missing", "one twice", "no call", "too late"],
)
def test_a_call_without_its_one_result_is_not_sent(messages: list[Message]) -> None:
    with pytest.raises(KoiError, match="exactly one result"):
        sent(*messages)


def test_a_request_begins_as_the_one_before_it() -> None:
    scribe = GeminiRequestBuilder()
    story = [HELLO, assistant(Reasoning("", "c2ln"), *CALLS), Message.user(*RESULTS)]
    settings: dict[str, Any] = {"system": ["Be kind."], "tools": [READ], "max_output": 9}
    bodies = []
    for end in (1, 3):
        bodies.append(scribe.build(Request(story[:end], **settings)).partition(b'],"generationConfig"')[0])

    assert bodies[1].startswith(bodies[0])
    assert (
        bodies[1]
        == GeminiRequestBuilder().build(Request(list(story), **settings)).partition(b'],"generationConfig"')[0]
    )


def chatted(url: str, *messages: Message) -> list[Chunk]:
    async def ask() -> list[Chunk]:
        async with Google(api_key="AIza-right", base_url=url) as provider:
            return [chunk async for chunk in provider.chat(Request(messages, model="gemini-fake"))]

    return asyncio.run(ask())


def grown(chunks: list[Chunk]) -> Message:
    """The message that a run keeps: pieces of one kind are joined, and the last signature applies."""
    parts: list[Part] = []
    for chunk in chunks:
        last = parts[-1] if parts else None
        if isinstance(chunk, Buffered | StreamEnd):
            continue
        if isinstance(chunk, Reasoning) and isinstance(last, Reasoning):
            parts[-1] = Reasoning(last.text + chunk.text, chunk.signature or last.signature)
        elif isinstance(chunk, Text) and isinstance(last, Text):
            parts[-1] = Text(last.text + chunk.text)
        else:
            parts.append(chunk)
    return assistant(*parts)


def parts_told(server: GoogleServer) -> object:
    """The model's message as sent to the server in the second request."""
    contents: Any = server.asked[1]["contents"]
    return contents[1]["parts"]


def test_a_signed_call_comes_back_signed_to_a_server_that_insists() -> None:
    reply: Words = ["I look.", Reasoning("Both.", "c2lnbmVk"), *CALLS]
    with GoogleServer(reply, "Done.") as server:
        answer = grown(chatted(server.url, HELLO))
        again = chatted(server.url, HELLO, answer, Message.user(*RESULTS))
        unsigned = assistant(*(part for part in answer.parts if not isinstance(part, Reasoning)))
        with pytest.raises(RequestRejectedError, match="missing a thought_signature"):
            chatted(server.url, HELLO, unsigned, Message.user(*RESULTS))

    assert again[0] == Text("Done")
    assert parts_told(server) == [
        {"text": "I look."},
        {"text": "Both.", "thought": True},
        {"functionCall": {"id": "1", "name": "read", "args": {"path": "ä"}}, "thoughtSignature": "c2lnbmVk"},
        {"functionCall": {"id": "2", "name": "list", "args": {}}},
    ]


def test_signed_words_come_back_signed() -> None:
    with GoogleServer([Reasoning("Hm.", "c2ln"), "Yes.", Reasoning("", "ZW5k")], "Done.") as server:
        answer = grown(chatted(server.url, HELLO))
        chatted(server.url, HELLO, answer, Message.user("Why?"))

    assert parts_told(server) == [
        {"text": "Hm.", "thought": True},
        {"text": "Yes.", "thoughtSignature": "c2ln"},
        {"text": "", "thoughtSignature": "ZW5k"},
    ]


@pytest.mark.parametrize("end", ["", "/", "/v1beta", "/v1beta/", "/v1"])
def test_the_base_url_may_say_the_version_or_not(end: str) -> None:
    with GoogleServer() as server:
        chatted(f"{server.url}{end}", HELLO)

    version = "/v1/" if end == "/v1" else "/v1beta/"
    assert server.requests[0].path == f"{version}models/gemini-fake:streamGenerateContent?alt=sse"


def test_the_key_is_in_a_header_and_never_in_the_address() -> None:
    with GoogleServer() as server:
        chatted(server.url, HELLO)

    assert server.requests[0].headers["x-goog-api-key"] == "AIza-right"
    assert "AIza" not in server.requests[0].path


def test_a_key_is_sent_without_the_white_space_that_was_pasted_with_it() -> None:
    async def ask(key: str) -> str:
        async with Google(base_url=server.url, api_key=key) as provider:
            await provider.models()
        return server.requests[-1].headers.get("x-goog-api-key", "")

    with GoogleServer() as server:
        assert asyncio.run(ask(" AIza-one\n")) == "AIza-one"
        assert asyncio.run(ask("")) == ""


def test_either_variable_holds_the_key() -> None:
    marks = get_args(get_type_hints(Google.__init__, include_extras=True)["api_key"])[1:]

    assert (Env("GOOGLE_API_KEY", secret=True), Env("GEMINI_API_KEY", secret=True)) == marks


def test_without_a_key_it_says_which_variable_to_set() -> None:
    with pytest.raises(NoProviderError, match="GOOGLE_API_KEY or GEMINI_API_KEY"):
        Google()


def test_a_replay_needs_neither_key_nor_server(tmp_path: Path) -> None:
    async def ask(**settings: Any) -> list[Chunk]:
        async with Google(**settings) as provider:
            return [chunk async for chunk in provider.chat(Request([HELLO], model="gemini-fake"))]

    tape = tmp_path / "tape.jsonl"
    with GoogleServer("Hello there.") as server:
        live = asyncio.run(ask(api_key="AIza-right-and-secret", base_url=server.url, cassette=f"record:{tape}"))

    assert live == asyncio.run(ask(cassette=f"replay:{tape}"))
    assert "AIza" not in tape.read_text(encoding="utf-8")


BODIES = [
    sent(HELLO),
    sent(HELLO, system=["Be kind."], temperature=0.7, max_output=100),
    sent(HELLO, assistant(Reasoning("Hm.", "c2ln"), Text("Ho"), *CALLS), Message.user(*RESULTS, "go on"), tools=[READ]),
    sent(Message.user("What is this?", Image(b"\x89PNG", "image/png")), schema=PATH),
    sent(HELLO, assistant(Text("Ho"), Reasoning("", "c2ln")), Message.user("And?")),
    json.loads(GeminiRequestBuilder(thoughts=True).build(Request([HELLO]))),
]


@pytest.mark.parametrize("body", BODIES, ids=["small", "settings", "tools", "picture", "signature", "thoughts"])
def test_requests_are_what_the_vendor_describes(body: dict[str, Any]) -> None:
    assert not schema_errors("gemini", "GenerateContentRequest", body)


def test_the_question_how_long_a_request_is_is_what_the_vendor_describes() -> None:
    body = json.loads(GeminiRequestBuilder().build_count(Request([HELLO], model="gemini-x", system=["Be kind."])))
    named = body["generateContentRequest"].pop("model")

    assert named == "models/gemini-x"  # the description leaves out what the vendor insists on
    assert not schema_errors("gemini", "CountTokensRequest", body)


def test_batches_of_texts_are_what_the_vendor_describes() -> None:
    async def embed() -> None:
        async with GoogleEmbedder(api_key="AIza-right", base_url=server.url, task="CLUSTERING") as embedder:
            await embedder.embed(["a", "b"])

    with GoogleServer() as server:
        asyncio.run(embed())
    body = json.loads(server.requests[0].body)
    named = [request.pop("model") for request in body["requests"]]

    assert named == ["models/gemini-embedding-001"] * 2  # left out of the description as well
    assert not schema_errors("gemini", "BatchEmbedContentsRequest", body)
