"""Test Google with the contract of providers, over a real connection."""

from collections.abc import Iterator

import pytest

from openkoi_google import Google, GoogleEmbedder
from openkoi_hookspecs import Embedder, Provider, Reasoning, SupportsDescribe, ToolCall
from openkoi_testing.contracts.provider import ProviderContract
from openkoi_testing.servers import GoogleServer

ANSWER: list[str | Reasoning | ToolCall] = [
    Reasoning("Hm."),
    "I look.",
    Reasoning("Both.", "c2lnbmVk"),
    ToolCall("call_a", "read", {"path": "a"}),
    ToolCall("call_b", "read", {}),
]


class TestContract(ProviderContract):
    model = "gemini-fake"

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        with GoogleServer(ANSWER, key="AIza-right") as server:
            yield Google(api_key="AIza-right", base_url=server.url)


def test_it_can_tell_about_a_model_by_its_name() -> None:
    assert isinstance(Google(api_key="AIza-right"), SupportsDescribe)


def test_the_embedder_is_one() -> None:
    embedder: Embedder = GoogleEmbedder(api_key="AIza-right")

    assert embedder.id == "google/gemini-embedding-001:768"
