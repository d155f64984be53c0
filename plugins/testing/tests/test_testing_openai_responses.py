"""Test that the vendor's client and published description accept the fake of the Responses API and embeddings."""

import json
import math
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from data_files import schema_errors

from openkoi_hookspecs import Reasoning, ToolCall, Usage
from openkoi_testing.servers import OpenAIServer, Say, openai_completions
from openkoi_testing.servers.openai_responses_api import named_events, response_object

PLAIN: Any = {"verify": False, "trust_env": False}  # nothing is encrypted here, and reading certificates takes time

COUNTED = Usage(input=10, output=7, cache_read=4, cache_write=2)
CALLS = [ToolCall("call_a", "read", {"path": "ä"}), ToolCall("call_b", "read", {"path": "b"})]
SAYS = Say([Reasoning("Hm.", "secret"), "Héllo 😀", *CALLS], usage=COUNTED)
THINKING: Any = {"include": ["reasoning.encrypted_content"], "reasoning": {"summary": "auto"}, "store": False}
PARAMETERS = {"type": "object", "properties": {}}
TOOLS: Any = [{"type": "function", "name": "read", "parameters": PARAMETERS, "strict": False}]


def described(name: str, value: Any) -> None:
    """Check a value against the schema of this name that the vendor publishes."""
    assert not schema_errors("openai", name, value)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(SAYS, "Done.") as server:
        yield server


def client(server: OpenAIServer) -> openai.OpenAI:
    """The vendor's own client, which reads no certificates for what is not encrypted."""
    plain = httpx2.Client(verify=False, trust_env=False)
    return openai.OpenAI(api_key="sk-any", base_url=server.url, max_retries=0, http_client=plain)


@pytest.fixture
def sdk(server: OpenAIServer) -> Iterator[openai.OpenAI]:
    with client(server) as sdk:
        yield sdk


def item_contents(answer: Any) -> list[Any]:
    """The relevant parts of an answer's items."""
    kinds = {"reasoning": "encrypted_content", "message": "content", "function_call": "arguments"}
    return [getattr(item, kinds[item.type]) for item in answer.output]


def test_the_vendor_s_client_reads_a_stream(sdk: openai.OpenAI) -> None:
    with sdk.responses.stream(model="fake", input="Hi", tools=TOOLS, **THINKING) as heard:
        kinds = [event.type for event in heard]
        answer = heard.get_final_response()

    assert answer.output_text == "Héllo 😀"
    assert ["call_a", "call_b"] == [item.call_id for item in answer.output if item.type == "function_call"]
    assert ["secret"] == [item.encrypted_content for item in answer.output if item.type == "reasoning"]
    assert ("response.created", "response.completed") == (kinds[0], kinds[-1])
    assert answer.usage is not None
    counted = answer.usage.input_tokens_details
    assert (16, 4, 7) == (answer.usage.input_tokens, counted.cached_tokens, answer.usage.output_tokens)


def test_pieces_of_a_stream_are_numbered_and_add_up_to_its_items(sdk: openai.OpenAI) -> None:
    events: Any = list(sdk.responses.create(model="fake", input="Hi", stream=True, **THINKING))
    by_kind = {kind: [e for e in events if e.type == f"response.{kind}"] for kind in ("output_text.delta", "completed")}
    arguments = [event.delta for event in events if event.type == "response.function_call_arguments.delta"]

    assert list(range(len(events))) == [event.sequence_number for event in events]
    assert "".join(event.delta for event in by_kind["output_text.delta"]) == "Héllo 😀"
    assert "".join(arguments) == '{"path": "ä"}{"path": "b"}'
    assert by_kind["completed"][0].response.output_text == "Héllo 😀"


def test_the_vendor_s_client_reads_an_answer_that_comes_whole(sdk: openai.OpenAI) -> None:
    answer = sdk.responses.create(model="fake", input="Hi", **THINKING)
    sealed, reply, *asked = item_contents(answer)

    assert ("secret", "Héllo 😀") == (sealed, reply[0].text)
    assert [json.loads(arguments) for arguments in asked] == [{"path": "ä"}, {"path": "b"}]


def test_the_vendor_s_client_hands_everything_back(sdk: openai.OpenAI) -> None:
    answer = sdk.responses.create(model="fake", input="Hi", **THINKING)
    results: Any = [{"type": "function_call_output", "call_id": call.id, "output": "x"} for call in CALLS]
    back: Any = [{"role": "user", "content": "Hi"}, *answer.output, *results]

    assert sdk.responses.create(model="fake", input=back, **THINKING).output_text == "Done."


def test_thoughts_are_shown_and_sealed_only_when_that_is_asked_for(sdk: openai.OpenAI) -> None:
    thought: Any = sdk.responses.create(model="fake", input="Hi").output[0]

    assert ([], None) == (thought.summary, thought.encrypted_content)


@pytest.mark.parametrize(
    ("finish", "status", "reason"),
    [
        ("length", "incomplete", "max_output_tokens"),
        ("content_filter", "incomplete", "content_filter"),
        ("failed", "failed", None),
        ("", "completed", None),
    ],
)
def test_answers_end_as_the_vendor_s_do(finish: str, status: str, reason: str | None) -> None:
    with OpenAIServer(Say("x", finish=finish)) as server, client(server) as sdk:
        whole = sdk.responses.create(model="fake", input="Hi")
        last: Any = list(sdk.responses.create(model="fake", input="Hi", stream=True))[-1]

    assert (status, f"response.{status}") == (whole.status, last.type)
    assert reason == (whole.incomplete_details and whole.incomplete_details.reason)
    assert (status == "failed") is (last.response.error is not None)


def test_a_refusal_is_one() -> None:
    with OpenAIServer(Say("No.", finish="refusal")) as server, client(server) as sdk:
        [reply] = item_contents(sdk.responses.create(model="fake", input="Hi"))
        kinds = [event.type for event in sdk.responses.create(model="fake", input="Hi", stream=True)]

    assert reply[0].refusal == "No."
    assert "response.refusal.delta" in kinds


CALL: dict[str, Any] = {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"}
RESULT: dict[str, Any] = {"type": "function_call_output", "call_id": "a", "output": "x"}
USER: dict[str, Any] = {"role": "user", "content": "x"}
SEALED: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "secret"}
UNSEALED = {key: value for key, value in SEALED.items() if key != "encrypted_content"}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"input": [USER, CALL]}, "No tool output found for function call a"),
        ({"input": [USER, CALL, RESULT, RESULT]}, "No tool output"),
        ({"input": [RESULT]}, "No tool call found for function call output with call_id a"),
        ({"input": [{**CALL, "arguments": {}}, RESULT]}, "arguments"),
        ({"input": [{"type": "tool_use"}]}, "Invalid value: 'tool_use'"),
        ({"input": [{"role": "tool", "content": "x"}]}, "Invalid value: 'tool'"),
        ({"input": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}, "Invalid value: 'text'"),
        ({"input": [{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}]}, "input_text"),
        ({"input": [{"role": "user"}]}, "Invalid type"),
        ({"input": [USER, UNSEALED, CALL, RESULT], "store": False}, "Items are not persisted"),
        ({"input": [USER, SEALED], "store": False}, "without its following item"),
        ({"input": []}, "Missing required parameter: 'input'"),
        ({"input": "x", "model": ""}, "Missing required parameter: 'model'"),
        ({"input": "x", "extra_body": {"max_tokens": 5}}, "Unknown parameter: 'max_tokens'"),
        ({"input": "x", "max_output_tokens": 5}, "max_output_tokens"),
        ({"input": "x", "model": "gpt-5.2", "temperature": 0.1}, "temperature"),
        ({"input": "x", "model": "gpt-4o", "include": ["reasoning.encrypted_content"]}, "Encrypted content"),
        ({"input": "x", "tools": [{"type": "function", "function": {"name": "read"}}]}, r"tools\[0\].name"),
        (
            {
                "input": "x",
                "text": {"format": {"type": "json_schema", "name": "a", "strict": True, "schema": PARAMETERS}},
            },
            "Invalid schema",
        ),
    ],
)
def test_it_is_as_strict_as_the_real_one(sdk: openai.OpenAI, asked: Any, why: str) -> None:
    with pytest.raises((openai.BadRequestError, openai.NotFoundError), match=why):
        sdk.responses.create(**{"model": "fake", **asked})


def test_a_whole_conversation_is_accepted(sdk: openai.OpenAI) -> None:
    items: Any = [USER, SEALED, CALL, RESULT, {"role": "assistant", "content": "Done."}, USER]

    assert sdk.responses.create(model="fake", input=items, store=False).output


@pytest.mark.parametrize("finish", ["", "length", "content_filter", "failed", "refusal"])
def test_answers_are_what_the_vendor_describes(finish: str) -> None:
    says = Say(SAYS.words, finish=finish, usage=COUNTED)
    asked = {"model": "gpt-5.2", "tools": TOOLS, **THINKING}
    described("Response", response_object(says, asked))

    for number, (kind, event) in enumerate(named_events(says, asked)):
        described("ResponseStreamEvent", {"type": kind, **event, "sequence_number": number})


@pytest.mark.parametrize("finish", ["", "length", "content_filter"])
def test_chat_completions_are_what_the_vendor_describes(finish: str) -> None:
    says = Say(SAYS.words, finish=finish, usage=COUNTED)
    asked = {"model": "m", "stream_options": {"include_usage": True}}
    described("CreateChatCompletionResponse", json.loads(json.dumps(openai_completions.complete_response(says, asked))))

    for event in openai_completions.stream_events(says, asked):
        if event != b"data: [DONE]\n\n":
            described("CreateChatCompletionStreamResponse", json.loads(event.removeprefix(b"data: ")))


@pytest.mark.parametrize("form", ["float", openai.omit])
def test_the_vendor_s_client_embeds(sdk: openai.OpenAI, form: Any) -> None:
    texts = ["a", "ä" * 100, "a"]
    answer = sdk.embeddings.create(model="text-embedding-3-small", input=texts, dimensions=4, encoding_format=form)
    first, second, third = [entry.embedding for entry in answer.data]

    assert first == third != second
    assert math.isclose(1, math.hypot(*first), rel_tol=1e-6)
    assert (4, 27) == (len(first), answer.usage.prompt_tokens)


def test_embeddings_are_what_the_vendor_describes(server: OpenAIServer) -> None:
    import httpx2

    asked = {"model": "text-embedding-3-large", "input": ["a", "b"]}
    answer = httpx2.post(f"{server.url}/embeddings", json=asked, **PLAIN).json()
    described("CreateEmbeddingRequest", asked)
    described("CreateEmbeddingResponse", answer)

    assert [3072, 3072] == [len(entry["embedding"]) for entry in answer["data"]]


@pytest.mark.parametrize(
    "asked",
    [
        {"input": []},
        {"input": [""]},
        {"input": ""},
        {"input": ["x"] * 2049},
        {"input": ["x" * 1_000_000] * 2},
        {"input": "x", "model": ""},
        {"input": "x", "dimensions": 0},
        {"input": "x", "dimensions": 2000},
        {"input": "x", "dimensions": 8, "model": "text-embedding-ada-002"},
    ],
    ids=["none", "empty", "nothing", "too many", "too long", "no model", "no length", "too wide", "old"],
)
def test_embeddings_that_the_real_one_refuses_are_refused(sdk: openai.OpenAI, asked: Any) -> None:
    with pytest.raises(openai.BadRequestError):
        sdk.embeddings.create(**{"model": "text-embedding-3-small", **asked})
