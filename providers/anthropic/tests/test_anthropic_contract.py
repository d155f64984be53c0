"""Test Anthropic with the contract of providers, over a real connection, with and without thinking."""

from collections.abc import Iterator
from typing import ClassVar

import pytest

from openkoi_anthropic import Anthropic
from openkoi_anthropic.thinking import Thinking
from openkoi_hookspecs import Provider, Reasoning, ToolCall
from openkoi_testing.contracts.provider import ProviderContract
from openkoi_testing.servers import AnthropicServer

ANSWER: list[str | Reasoning | ToolCall] = [
    Reasoning("Hm."),
    Reasoning("", signature="c2VjcmV0"),
    "I look.",
    ToolCall("toolu_a", "read", {"path": "a"}),
    ToolCall("toolu_b", "read", {}),
]


class TestContract(ProviderContract):
    model = "claude-fake"
    test_describes_the_model_by_its_name_alone = None  # type: ignore[assignment]  # it does not describe one
    thinking: ClassVar[Thinking] = "off"

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        with AnthropicServer(ANSWER, key="sk-ant-right") as server:
            yield Anthropic(api_key="sk-ant-right", base_url=server.url, thinking=cls.thinking)


class TestThinkingContract(TestContract):
    thinking = 2048


class TestAdaptiveContract(TestContract):
    thinking = "adaptive"
