"""Test a real model, only with OPENKOI_LIVE_TEST=1, the vendor's key or address, and OPENKOI_LIVE_MODEL."""

import asyncio
import os

import pytest

from openkoi_anthropic import Anthropic
from openkoi_hookspecs import Chunk, Message, Request, StreamEnd


@pytest.mark.live
@pytest.mark.row("C37")
def test_a_real_model_answers_and_counts() -> None:
    async def ask() -> list[Chunk]:
        async with Anthropic(api_key=os.environ["ANTHROPIC_API_KEY"]) as provider:
            request = Request(
                [Message.user("Say hello.")], model=os.environ.get("OPENKOI_LIVE_MODEL", "claude-haiku-4-5")
            )
            return [chunk async for chunk in provider.chat(request)]

    chunks = asyncio.run(ask())

    assert isinstance(chunks[-1], StreamEnd)
    assert chunks[-1].usage.total > 0
