"""Test OpenAI with the contract of providers, over a real connection."""

from collections.abc import Iterator

import pytest

from openkoi_hookspecs import Provider, Reasoning, ToolCall
from openkoi_openai import OpenAI
from openkoi_testing.contracts.provider import ProviderContract
from openkoi_testing.servers import OpenAIServer

ANSWER: list[str | Reasoning | ToolCall] = [
    Reasoning("Hm."),
    "I look.",
    ToolCall("call_a", "read", {"path": "a"}),
    ToolCall("call_b", "read", {}),
]


class TestContract(ProviderContract):
    model = "gpt-fake"
    test_describes_the_model_by_its_name_alone = None  # type: ignore[assignment]  # it does not describe one

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        with OpenAIServer(ANSWER, key="sk-right") as server:
            yield OpenAI(api_key="sk-right", base_url=server.url)


class TestContractOfResponses(ProviderContract):
    model = "gpt-fake"
    test_describes_the_model_by_its_name_alone = None  # type: ignore[assignment]  # it does not describe one

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        with OpenAIServer(ANSWER, key="sk-right") as server:
            yield OpenAI(api_key="sk-right", base_url=server.url, api="responses", summary="auto")
