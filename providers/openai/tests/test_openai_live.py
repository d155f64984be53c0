"""Test a real model, only with OPENKOI_LIVE_TEST=1, the vendor's key or address, and OPENKOI_LIVE_MODEL."""

import asyncio
import os

import pytest

from openkoi_hookspecs import Chunk, Message, Request, StreamEnd
from openkoi_openai import OpenAI


@pytest.mark.live
@pytest.mark.row("C37")
def test_a_real_model_answers_and_counts() -> None:
    async def ask() -> list[Chunk]:
        async with OpenAI(api_key=os.environ["OPENAI_API_KEY"]) as provider:
            request = Request([Message.user("Say hello.")], model=os.environ.get("OPENKOI_LIVE_MODEL", "gpt-5.2"))
            return [chunk async for chunk in provider.chat(request)]

    chunks = asyncio.run(ask())

    assert isinstance(chunks[-1], StreamEnd)
    assert chunks[-1].usage.total > 0
