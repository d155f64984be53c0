"""Test a real model, only with OPENKOI_LIVE_TEST=1, the vendor's key or address, and OPENKOI_LIVE_MODEL."""

import asyncio
import os

import pytest

from openkoi_hookspecs import Chunk, Message, Request, StreamEnd
from openkoi_ollama import Ollama


@pytest.mark.live
@pytest.mark.row("C37")
def test_a_real_model_answers_and_counts() -> None:
    async def ask() -> list[Chunk]:
        async with Ollama(base_url=os.environ.get("OLLAMA_HOST", "")) as provider:
            request = Request([Message.user("Say hello.")], model=os.environ.get("OPENKOI_LIVE_MODEL", "llama3.3"))
            return [chunk async for chunk in provider.chat(request)]

    chunks = asyncio.run(ask())

    assert isinstance(chunks[-1], StreamEnd)
    assert chunks[-1].usage.total > 0
