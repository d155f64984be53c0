"""Test Ollama with the contract of providers, over a real connection."""

from collections.abc import Iterator

import pytest

from openkoi_hookspecs import Provider, Reasoning, SupportsDescribe, ToolCall
from openkoi_ollama import Ollama
from openkoi_testing.contracts.provider import ProviderContract
from openkoi_testing.servers import OllamaServer

ANSWER: list[str | Reasoning | ToolCall] = [
    Reasoning("Hm."),
    "I look.",
    ToolCall("call_a", "read", {"path": "a"}),
    ToolCall("call_b", "read", {}),
]


@pytest.mark.row("PROV-05")
class TestContract(ProviderContract):
    model = "llama-fake:latest"

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        with OllamaServer(ANSWER, key="right") as server:
            yield Ollama(base_url=server.url, api_key="right")


def test_a_model_may_be_described_by_its_name_alone() -> None:
    assert isinstance(Ollama(), SupportsDescribe)
