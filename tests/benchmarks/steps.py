"""What a step costs: one call of a model and one tool call, everything switched on, beside a bare httpx2 loop.

    python tests/benchmarks/steps.py [ROUNDS]

The server answers at once, from a process of its own. Both loops stream and send their whole history each time; they
take turns, and the ratio is of processor time.
"""

import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx2

from openkoi_hookspecs import Limits, Run, Task, Tool, ToolResult
from openkoi_openai import OpenAI
from openkoi_testing import Stage

SIZES = (10, 50, 200)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


def event(delta: dict[str, object], finish: str | None = None) -> bytes:
    chunk = {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def answer(turn: int, steps: int) -> bytes:
    """A call of the tool, or at the end a word."""
    if turn < steps:
        call = {
            "index": 0,
            "id": f"c{turn}",
            "type": "function",
            "function": {"name": "add", "arguments": f'{{"n": {turn}}}'},
        }
        said = event({"role": "assistant", "tool_calls": [call]}) + event({}, "tool_calls")
    else:
        said = event({"role": "assistant", "content": "done"}) + event({}, "stop")
    usage = {"id": "c", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
    body = said + b"data: " + json.dumps(usage).encode() + b"\n\ndata: [DONE]\n\n"
    return HEAD + f"content-length: {len(body)}\r\n\r\n".encode() + body


def serve(port: Connection) -> None:
    """Answer as many requests as there are tool results in them, until the process ends."""

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(
                    next(
                        line.split(b":")[1]
                        for line in head.lower().split(b"\r\n")
                        if line.startswith(b"content-length")
                    )
                )
                body = await reader.readexactly(length)
                steps = int(body.split(b"steps=")[1].split(b".")[0])
                writer.write(answer(body.count(b'"role":"tool"') + body.count(b'"role": "tool"'), steps))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(client, "127.0.0.1", 0, limit=2**24)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


class Adding:
    """A toolbox with the one tool."""

    async def tools(self, run: Run) -> list[Tool]:
        """The tool."""

        async def add(arguments: Any) -> ToolResult:
            return ToolResult(str(arguments["n"] + 1))

        return [Tool("add", "Add one.", {"type": "object", "properties": {"n": {"type": "integer"}}}, add)]


async def bare(url: str, steps: int) -> None:
    """The floor: a loop over httpx2 that does nothing else."""
    messages: list[dict[str, object]] = [{"role": "user", "content": f"Go. steps={steps}."}]
    async with httpx2.AsyncClient() as client:
        while True:
            body = {"model": "m", "messages": messages, "stream": True}
            calls, words = [], ""
            async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
                async for line in response.aiter_lines():
                    if not line.startswith("data: {"):
                        continue
                    for choice in json.loads(line[6:])["choices"]:
                        calls += choice["delta"].get("tool_calls", [])
                        words += choice["delta"].get("content", "")
            if not calls:
                return
            messages.append({"role": "assistant", "content": words, "tool_calls": calls})
            arguments = json.loads(calls[0]["function"]["arguments"])
            messages.append({"role": "tool", "tool_call_id": calls[0]["id"], "content": str(arguments["n"] + 1)})


async def ours(url: str, steps: int) -> None:
    """A whole run: hooks, run log, budget, tool, provider."""
    with tempfile.TemporaryDirectory() as folder:
        limits = Limits(iterations=0, cycles=steps + 1, tokens=10**9, usd=10**6, seconds=3600, calls=10**6)
        stage = Stage(model=OpenAI(base_url=url), toolboxes={"adding": Adding()}, installed=frozenset())
        async with stage.assemble(Path(folder), Path(folder) / "home") as koi:
            result = await koi.solve(Task(f"Go. steps={steps}.", limits=limits))
            assert "done" == result.text, result.ruling


def timed(loop: Callable[..., Any], url: str, steps: int) -> float:
    started = time.process_time()
    asyncio.run(loop(url, steps))
    return (time.process_time() - started) / (steps + 1) * 1000


def main() -> None:
    """Print one line a size."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    timed(bare, url, 5), timed(ours, url, 5)
    for steps in SIZES:
        pairs = [(timed(ours, url, steps), timed(bare, url, steps)) for _ in range(rounds)]
        ratio = statistics.median(mine / floor for mine, floor in pairs)
        mine, floor = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{steps:4} steps: {ratio:5.2f} x bare httpx2 ({mine:.2f} and {floor:.2f} ms of CPU a step; goal 2.5)")
    server.terminate()


if __name__ == "__main__":
    main()
