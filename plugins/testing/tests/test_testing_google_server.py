"""Test that the vendor's own client accepts the fake of the Gemini API, and that it is as strict as the real one."""

import ssl
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import errors, types

from openkoi_hookspecs import Reasoning, ToolCall, Usage
from openkoi_testing.servers import GoogleServer, Say, ServerFault
from openkoi_testing.servers.say import Words

PLAIN: Any = {"verify": False, "trust_env": False}  # nothing is encrypted here, and reading certificates takes time
BARE = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
CALLS = [ToolCall("call_a", "read", {"path": "ä"}), ToolCall("call_b", "read", {"path": "b"})]
COUNTED = Usage(input=10, output=7, cache_read=4)
READ: Any = {"name": "read", "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
TOOLS = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[types.FunctionDeclaration(**READ)])])


@pytest.fixture
def server() -> Iterator[GoogleServer]:
    words: Words = ["Héllo 😀", Reasoning("Hm.", "c2lnbmVk"), *CALLS]
    says = (Say(words, usage=COUNTED), "Done.")
    with GoogleServer(*says, models=["gemini-one", "gemini-two"], key="AIza-right") as server:
        yield server


@pytest.fixture(params=["v1", "v1beta"])
def sdk(server: GoogleServer, request: pytest.FixtureRequest) -> Iterator[genai.Client]:
    with client(server.url, version=request.param) as sdk:
        yield sdk


def client(url: str, key: str = "AIza-right", version: str = "v1beta") -> genai.Client:
    once = types.HttpRetryOptions(attempts=1)
    plain: Any = {"verify": BARE, "trust_env": False}
    later: Any = {**plain, "ssl": BARE}
    options = types.HttpOptions(
        base_url=url, api_version=version, retry_options=once, client_args=plain, async_client_args=later
    )
    return genai.Client(api_key=key, http_options=options)


def asked(response: Any) -> list[tuple[str, str, dict[str, Any]]]:
    return [(call.id, call.name, call.args) for call in response.function_calls]


def test_the_vendor_s_client_reads_a_stream(sdk: genai.Client) -> None:
    events: list[Any] = list(sdk.models.generate_content_stream(model="gemini-one", contents="Hello", config=TOOLS))
    parts = [part for event in events for part in event.candidates[0].content.parts]
    counted = events[-1].usage_metadata

    assert "".join(part.text or "" for part in parts if not part.thought) == "Héllo 😀"
    assert "".join(part.text or "" for part in parts if part.thought) == "Hm."
    assert [part.function_call.id for part in parts if part.function_call] == ["call_a", "call_b"]
    assert [part.thought_signature for part in parts if part.function_call] == [b"signed", None]
    assert [event.candidates[0].finish_reason for event in events][-2:] == [None, types.FinishReason.STOP]
    assert (counted.prompt_token_count, counted.cached_content_token_count, counted.total_token_count) == (14, 4, 21)
    assert (counted.candidates_token_count, counted.thoughts_token_count) == (4, 3)


def test_the_vendor_s_client_reads_an_answer_that_comes_whole(sdk: genai.Client) -> None:
    answer = sdk.models.generate_content(model="gemini-one", contents="Hello", config=TOOLS)

    assert asked(answer) == [(call.id, call.tool, dict(call.arguments)) for call in CALLS]
    assert answer.model_version == "gemini-one"


def test_the_vendor_s_client_calls_tools_and_sends_results_back(server: GoogleServer, sdk: genai.Client) -> None:
    chat = sdk.chats.create(model="gemini-one", config=TOOLS)
    calls = chat.send_message("Read a and b.").function_calls or []
    answers = [types.FunctionResponse(id=call.id, name=call.name, response={"output": "x"}) for call in calls]
    answer = chat.send_message([types.Part(function_response=answer) for answer in answers])
    report: Any = server.asked[-1]["contents"]

    assert answer.text == "Done."
    assert [turn["role"] for turn in report] == ["user", "model", "user"]


def test_the_vendor_s_client_lists_models_page_by_page(sdk: genai.Client) -> None:
    pages = sdk.models.list(config={"page_size": 2})

    assert [model.name for model in pages] == ["models/gemini-one", "models/gemini-two", "models/gemini-embedding-001"]


def test_the_vendor_s_client_asks_about_one_model_and_counts(sdk: genai.Client) -> None:
    found = sdk.models.get(model="gemini-two")

    assert (found.input_token_limit, found.output_token_limit) == (1_048_576, 65_536)
    assert (sdk.models.count_tokens(model="gemini-one", contents="Hello").total_tokens or 0) > 0


def test_the_vendor_s_client_embeds(sdk: genai.Client) -> None:
    def embedded() -> list[list[float]]:
        answer = sdk.models.embed_content(
            model="gemini-embedding-001", contents=["a", "b"], config={"output_dimensionality": 8}
        )
        return [one.values or [] for one in answer.embeddings or []]

    first = embedded()

    assert [len(vector) for vector in first] == [8, 8]
    assert first[0] != first[1]
    assert first == embedded()


def test_the_vendor_s_client_reads_refusals(server: GoogleServer, sdk: genai.Client) -> None:
    with client(server.url, key="AIza-wrong") as other, pytest.raises(errors.ClientError, match="API_KEY_INVALID"):
        other.models.get(model="gemini-one")
    with pytest.raises(errors.ClientError, match="models/gemini-none is not found"):
        sdk.models.generate_content(model="gemini-none", contents="Hello")


@pytest.mark.parametrize(
    ("status", "word", "error"),
    [(429, "RESOURCE_EXHAUSTED", errors.ClientError), (503, "UNAVAILABLE", errors.ServerError)],
)
def test_the_vendor_s_client_reads_failures(status: int, word: str, error: type[errors.APIError]) -> None:
    body = f'{{"error": {{"code": {status}, "message": "not now", "status": "{word}"}}}}'
    with (
        GoogleServer(Say(fault=ServerFault(status=status, body=body.encode()))) as server,
        client(server.url) as sdk,
        pytest.raises(error, match="not now") as caught,
    ):
        sdk.models.generate_content(model="gemini-fake", contents="Hello")
    assert caught.value.status == word


def test_answers_are_given_in_turn_and_the_last_again(sdk: genai.Client) -> None:
    content_of = [sdk.models.generate_content(model="gemini-two", contents="Hello").text for _ in range(3)]

    assert content_of[1:] == ["Done.", "Done."]


def test_a_stream_that_is_not_of_events_is_a_list(server: GoogleServer) -> None:
    body = {"contents": [{"parts": [{"text": "Hello"}]}]}
    path = "/v1beta/models/gemini-one:streamGenerateContent"
    found = httpx2.post(f"{server.url}{path}", json=body, headers={"x-goog-api-key": "AIza-right"}, **PLAIN).json()

    assert found[-1]["candidates"][0]["finishReason"] == "STOP"


@pytest.mark.parametrize("sdk", ["v1beta"], indirect=True)
def test_requests_are_kept(server: GoogleServer, sdk: genai.Client) -> None:
    sdk.models.generate_content(model="gemini-one", contents="Hello")

    assert [(request.method, request.path) for request in server.requests] == [
        ("POST", "/v1beta/models/gemini-one:generateContent")
    ]
    assert server.requests[0].headers["x-goog-api-key"] == "AIza-right"
    assert server.asked[0]["contents"] == [{"role": "user", "parts": [{"text": "Hello"}]}]


def call(id: str, **more: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"id": id, "name": "read", "args": {"path": "x"}}, **more}]}


def result(*ids: str, name: str = "read") -> dict[str, Any]:
    answers = [{"functionResponse": {"id": id, "name": name, "response": {"output": "x"}}} for id in ids]
    return {"role": "user", "parts": answers}


def content_of(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def refusal(url: str, body: Any) -> str:
    """The server's objection to a request; None if it accepts it."""
    path = "/v1beta/models/gemini-fake:generateContent"
    answer = httpx2.post(f"{url}{path}", json=body, **PLAIN).json()
    return str(answer.get("error", {}).get("message", ""))


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        ([], "contents is not specified"),
        ([content_of("x", role="wizard")], "valid role"),
        ([{"role": "user", "parts": []}], "must not be empty"),
        ([content_of("")], "must have one initialized field"),
        ([content_of("x"), call("a")], "number of function response parts"),
        ([content_of("x"), call("a"), content_of("y")], "number of function response parts"),
        ([content_of("x"), call("a"), result("a", "a")], "number of function response parts"),
        ([content_of("x"), call("a"), result("a", name="write")], "number of function response parts"),
        ([content_of("x"), result("a")], "immediately after a function call"),
    ],
    ids=["none", "role", "no part", "empty text", "no result", "too late", "twice", "other name", "no call"],
)
def test_it_is_as_strict_as_the_real_one(contents: list[Any], complaint: str) -> None:
    with GoogleServer() as server:
        assert complaint in refusal(server.url, {"contents": contents})


@pytest.mark.parametrize(
    "more",
    [
        {"model": "gemini-fake"},
        {"tools": [{"functionDeclarations": [{"name": "not a name"}]}]},
        {"tools": [{"functionDeclarations": [{"name": "a", "parameters": {}, "parametersJsonSchema": {}}]}]},
        {"generationConfig": {"responseJsonSchema": {}}},
    ],
    ids=["unknown field", "name", "two schemas", "no type"],
)
def test_settings_are_looked_at_too(more: dict[str, Any]) -> None:
    with GoogleServer() as server:
        assert refusal(server.url, {"contents": [content_of("x")], **more})


@pytest.mark.parametrize(
    ("turns", "accepted"),
    [
        ([call("a", thoughtSignature="c2ln"), result("a")], True),
        ([call("a"), result("a")], False),
        ([call("a", thoughtSignature="b3RoZXI="), result("a")], False),
        ([call("a"), result("a"), content_of("Yes.", "model"), content_of("And now?")], True),
    ],
    ids=["signed", "unsigned", "another signature", "an earlier turn"],
)
def test_the_signature_of_a_call_has_to_come_back_in_the_current_turn(turns: list[Any], accepted: bool) -> None:
    with GoogleServer([Reasoning("Hm.", "c2ln"), ToolCall("a", "read", {"path": "x"})]) as server:
        refusal(server.url, {"contents": [content_of("x")]})
        complaint = refusal(server.url, {"contents": [content_of("x"), *turns]})

    assert accepted is ("missing a thought_signature" not in complaint)


@pytest.mark.parametrize("count", [0, 101])
def test_a_batch_of_texts_is_neither_empty_nor_endless(count: int) -> None:
    request = {"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "x"}]}}
    path = "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    with GoogleServer() as server:
        answer = httpx2.post(f"{server.url}{path}", json={"requests": [request] * count}, **PLAIN)

    assert answer.status_code == 400
