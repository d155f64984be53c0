"""Test the provider with a third-party server."""

import asyncio
import math

import pytest

from openkoi_hookspecs import Embedding, Provider
from openkoi_openai import OpenAI, OpenAIEmbedder
from openkoi_testing.contracts.foreign_server import ForeignServerContract


class TestPeer(ForeignServerContract):
    model = "gpt-4o"

    def provider(self, address: str) -> Provider:
        return OpenAI(api_key="sk-test", base_url=f"{address}/v1")


class TestPeerOfResponses(TestPeer):
    def provider(self, address: str) -> Provider:
        return OpenAI(api_key="sk-test", base_url=f"{address}/v1", api="responses")


def test_it_embeds(foreign_server: str) -> None:
    async def ask() -> Embedding:
        async with OpenAIEmbedder(api_key="sk-test", base_url=f"{foreign_server}/v1") as embedder:
            return await embedder.embed(["hello", "wörld"])

    lengths = [math.hypot(*vector) for vector in asyncio.run(ask()).vectors]

    assert [pytest.approx(1), pytest.approx(1)] == lengths
