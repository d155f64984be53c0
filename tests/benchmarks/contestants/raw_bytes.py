"""The floor of streaming: read the bytes of an answer with httpx2, without parsing them."""

import asyncio

import httpx2
from benchmarks.turns import address, key, take_turns, words


async def read(client: httpx2.AsyncClient, asked: dict[str, int]) -> None:
    """Read a streamed call."""
    reply = {"role": "user", "content": words(asked["chunks"], asked["pause"])}
    body = {"model": "m", "messages": [reply], "stream": True}
    async with client.stream("POST", "chat/completions", json=body) as response:
        async for _ in response.aiter_bytes():
            pass


def main() -> None:
    """Take turns."""
    client = httpx2.AsyncClient(base_url=address(), headers=key(), timeout=None)
    with asyncio.Runner() as runner:
        take_turns("httpx2", lambda asked: runner.run(read(client, asked)))


if __name__ == "__main__":
    main()
