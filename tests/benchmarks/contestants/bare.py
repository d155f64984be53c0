"""The floor: a loop over httpx2. Streams as ours does, or asks for whole answers as peers do.

It does nothing else, or also appends a line a step to a file and syncs it, as whoever wants to resume a run has to.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from tempfile import TemporaryFile
from typing import Any

import httpx2
from benchmarks.turns import add, address, done, key, take_turns, task

TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add one.",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    },
}
Said = dict[str, Any]  # a message as JSON has it


async def converse(client: httpx2.AsyncClient, steps: int, *, stream: bool, file: int = -1) -> None:
    """Ask the model, do its calls, and send everything again; log the answers to a file if there is one."""
    messages: list[Said] = [{"role": "user", "content": task(steps)}]
    while True:
        body = {"model": "m", "messages": messages, "tools": [TOOL], "stream": stream}
        reply = await (streamed if stream else whole)(client, body)
        if not reply.get("tool_calls"):
            return done(reply["content"])
        messages.append(reply)
        if file >= 0:
            os.write(file, json.dumps(reply).encode() + b"\n")
            os.fdatasync(file)
        for call in reply["tool_calls"]:
            result = add(**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


async def streamed(client: httpx2.AsyncClient, body: Said) -> Said:
    """Return an answer put together from its stream."""
    text = ""
    calls: list[Said] = []
    async for delta in deltas(client, body):
        text += delta.get("content") or ""
        calls += delta.get("tool_calls") or []
    return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}


async def deltas(client: httpx2.AsyncClient, body: Said) -> AsyncIterator[Said]:
    async with client.stream("POST", "chat/completions", json=body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    yield choice["delta"]


async def whole(client: httpx2.AsyncClient, body: Said) -> Said:
    """Return an answer that arrives as a whole."""
    reply: Said = (await client.post("chat/completions", json=body)).json()["choices"][0]["message"]
    return reply


async def turn(client: httpx2.AsyncClient, asked: dict[str, int], *, stream: bool, file: int) -> None:
    """Do a number of runs at once."""
    runs = range(asked.get("runs", 1))
    await asyncio.gather(*(converse(client, asked["steps"], stream=stream, file=file) for _ in runs))


def main(*, stream: bool, logged: bool = False) -> None:
    """Take turns."""
    pool = httpx2.Limits(max_connections=None, max_keepalive_connections=64)
    client = httpx2.AsyncClient(base_url=address(), headers=key(), limits=pool, timeout=None)
    with asyncio.Runner() as runner, TemporaryFile() as log:
        file = log.fileno() if logged else -1
        take_turns("httpx2", lambda asked: runner.run(turn(client, asked, stream=stream, file=file)))


if __name__ == "__main__":
    main(stream=True)
