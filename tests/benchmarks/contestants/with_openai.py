"""The vendor's own library, reading a streamed answer."""

import asyncio

from benchmarks.turns import address, take_turns, words
from openai import AsyncOpenAI


async def listen(client: AsyncOpenAI, asked: dict[str, int]) -> None:
    """Read a streamed call, and join its words."""
    reply = words(asked["chunks"], asked["pause"])
    stream = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": reply}], stream=True)
    text = ""
    async for chunk in stream:
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    assert asked["chunks"] == len(text.split())


def main() -> None:
    """Take turns."""
    client = AsyncOpenAI(base_url=address())
    with asyncio.Runner() as runner:
        take_turns("openai", lambda asked: runner.run(listen(client, asked)))


if __name__ == "__main__":
    main()
