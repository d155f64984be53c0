"""Test every fault of the catalogue, and broken connections: never a crash, never half a tool call."""

import json
from collections.abc import Sequence
from typing import Any

from data_files import FAULTS

from openkoi_hookspecs import KoiError, Provider, Reasoning, ToolCall
from openkoi_openai import OpenAI
from openkoi_testing.contracts.fault_catalogue import (
    FAULTS_OF_STATUS,
    JSON,
    CatalogueCase,
    ResponsesContract,
    StreamsContract,
)
from openkoi_testing.contracts.faults import NOISE, FaultsContract
from openkoi_testing.contracts.provider_harness import ProviderHarness
from openkoi_testing.servers import OpenAIServer, Say, ServerFault, openai_completions, openai_responses_api

COUNTED: Any = {"model": "gpt-fake", "stream_options": {"include_usage": True}}
SEALED: Any = {"model": "m", "include": ["reasoning.encrypted_content"], "reasoning": {"summary": "auto"}}
READ = ToolCall("a", "read", {"path": "ä"})
REPLY = Say(["Héllo 😀", READ])
THOUGHT = Say([Reasoning("Hm.", "secret"), "Héllo 😀", READ], delta=50)


class ChatCompletions(ProviderHarness):
    server, model, answer = OpenAIServer, "gpt-fake", REPLY

    def provider(self, **settings: Any) -> Provider:
        return OpenAI(**{"api_key": "sk-test", "api": "chat", **settings})


class Responses(ProviderHarness):
    server, model, answer = OpenAIServer, "gpt-fake", THOUGHT

    def provider(self, **settings: Any) -> Provider:
        return OpenAI(**{"api_key": "sk-test", "api": "responses", **settings})


class TestStreams(ChatCompletions, StreamsContract):
    catalogue = FAULTS

    def provider(self, **settings: Any) -> Provider:
        return super().provider(**{"api": "auto", **settings})

    def calls_fault(self, calls: Sequence[ToolCall]) -> ServerFault:
        asked = [
            {"id": call.id, "function": {"name": call.tool, "arguments": json.dumps(dict(call.arguments))}}
            for call in calls
        ]
        answer = {"choices": [{"message": {"tool_calls": asked}, "finish_reason": "tool_calls"}]}
        return ServerFault(headers={"content-type": JSON}, body=json.dumps(answer).encode())


class TestAnswers(ChatCompletions, ResponsesContract):
    catalogue = FAULTS


class TestAnswersOfResponses(Responses, ResponsesContract):
    """Cases in a dialect, or without a counterpart elsewhere, apply only to Chat Completions."""

    catalogue = FAULTS

    def is_relevant(self, case: CatalogueCase) -> bool:
        return super().is_relevant(case) and case["given"]["status"] not in {200, *FAULTS_OF_STATUS}


class TestFaults(ChatCompletions, FaultsContract):
    spoken = (*openai_completions.stream_events(REPLY, COUNTED),)
    breaks = (0, 1, 150, 400, 900)

    def test_errors_are_sentences_about_a_host(self) -> None:
        body = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
        error = self.receive(ServerFault(status=529, body=body)).error

        assert isinstance(error, KoiError)
        assert str(error).startswith("127.0.0.1:")
        assert str(error).endswith("returned status 529: Overloaded.")


class TestFaultsOfResponses(Responses, FaultsContract):
    spoken = (*openai_responses_api.stream_events(THOUGHT, SEALED),)
    breaks = (0, 1, 700, 1500, 2500)
    slices = (1, 7)
    garbage = (*NOISE, b"", b"data: \xff{\n\n", b"data: " + b"x" * 500_000 + b"\n\n")
