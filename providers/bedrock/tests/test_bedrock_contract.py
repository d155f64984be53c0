"""Test Bedrock with the contract of providers, over a real connection and with a signature."""

from collections.abc import Iterator

import pytest

from openkoi_bedrock import Bedrock
from openkoi_hookspecs import Provider, Reasoning, ToolCall
from openkoi_testing.contracts.provider import ProviderContract
from openkoi_testing.servers import BedrockServer
from openkoi_testing.servers.aws import KeyPair

PAIR = KeyPair("AKIAFAKE", "a-secret-of-forty-characters")
ANSWER: list[str | Reasoning | ToolCall] = [
    Reasoning("Hm.", "c2lnbmF0dXJl"),
    "I look.",
    ToolCall("call_a", "read", {"path": "a"}),
    ToolCall("call_b", "read", {}),
]


class TestContract(ProviderContract):
    model = "us.anthropic.claude-fake-v1:0"
    test_describes_the_model_by_its_name_alone = None  # type: ignore[assignment]  # it does not describe one

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        with BedrockServer(ANSWER, profiles=[cls.model], pair=PAIR) as server:
            yield Bedrock(
                access_key_id=PAIR.access, secret_access_key=PAIR.secret, region="eu-west-1", base_url=server.url
            )
