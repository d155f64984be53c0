"""Serve a model that answers at once, in the format of Chat Completions. Standard library only, in its own process.

    python -m benchmarks.model_server        prints its address

What it does stands in the request: ``run=a1 steps=50`` has the tool called fifty times, with ``said=25`` after 25 words
each time, ``chunks=200 pause=1000`` is answered with two hundred words, so many microseconds apart. It parses nothing,
so that it is never what is waited for.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterator

from .turns import spoken

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
STEPS = re.compile(rb"run=(\w+) steps=(\d+)(?: said=(\d+))?")
CHUNKS = re.compile(rb"chunks=(\d+) pause=(\d+)")
STREAMS = re.compile(rb'"stream": ?true')
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
REPLY: dict[str, object] = {"role": "assistant", "content": "done"}
LAST = "final_answer"


class Conversation(asyncio.Protocol):
    """One connection. ``turns`` counts, for all connections, how often each run has asked."""

    def __init__(self, turns: dict[bytes, int]) -> None:
        self.turns = turns
        self.read = bytearray()
        self.speaking: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for answers."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when the request is complete."""
        self.read += data
        head = self.read.find(b"\r\n\r\n") + 4
        length = LENGTH.search(self.read, 0, head)
        if head < 4 or (length and len(self.read) < head + int(length[1])):
            return
        body = bytes(self.read[head:])
        self.read.clear()
        if length is None:  # a list of models, which it has none of
            self.transport.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
        elif words := CHUNKS.search(body):
            self.speaking = asyncio.ensure_future(self.speak(int(words[1]), int(words[2])))
        else:
            self.transport.write(self.answer(body))

    def answer(self, body: bytes) -> bytes:
        """Return the next turn of a run: a call of the tool, or at the end a word."""
        match = STEPS.search(body)
        run, steps, said = (match[1], int(match[2]), int(match[3] or 0)) if match else (b"", 0, 0)
        turn = self.turns[run] = self.turns.get(run, 0) + 1
        if turn <= steps:
            reply = calling(turn, "add", {"n": turn}) | ({"content": spoken(turn, said)} if said else {})
        else:
            reply = calling(turn, LAST, {"answer": "done"}) if LAST.encode() in body else REPLY
        return streamed(reply) if STREAMS.search(body) else whole(reply)

    async def speak(self, chunks: int, pause: int) -> None:
        """Send each word separately."""
        self.transport.write(head_of("text/event-stream") + b"transfer-encoding: chunked\r\n\r\n")
        for number in range(chunks):
            self.transport.write(piece(event({"content": f"word{number} "})))
            await asyncio.sleep(pause / 1e6)
        self.transport.write(b"".join(map(piece, closing("stop"))) + b"0\r\n\r\n")


def calling(turn: int, tool: str, arguments: dict[str, object]) -> dict[str, object]:
    """Return a model's answer with a tool call."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "tool_calls": [{"index": 0, "id": f"c{turn}", "type": "function", "function": function}],
    }


def event(delta: dict[str, object], finish: str | None = None) -> bytes:
    """Return one event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return written({"object": "chat.completion.chunk", "choices": [choice]})


def written(fields: dict[str, object]) -> bytes:
    return b"data: " + json.dumps({"id": "c", "created": 1, "model": "m", **fields}).encode() + b"\n\n"


def closing(finish: str) -> Iterator[bytes]:
    """Yield the end of a stream."""
    yield event({}, finish)
    yield written({"object": "chat.completion.chunk", "choices": [], "usage": USAGE})
    yield b"data: [DONE]\n\n"


def streamed(reply: dict[str, object]) -> bytes:
    """Return an answer as a stream."""
    body = event(reply) + b"".join(closing("tool_calls" if "tool_calls" in reply else "stop"))
    return head_of("text/event-stream") + b"content-length: %d\r\n\r\n" % len(body) + body


def whole(reply: dict[str, object]) -> bytes:
    """Return an answer as one document."""
    finish = "tool_calls" if "tool_calls" in reply else "stop"
    choice = {"index": 0, "message": {"content": None, **reply}, "finish_reason": finish}
    fields = {"id": "c", "created": 1, "model": "m", "object": "chat.completion", "choices": [choice], "usage": USAGE}
    body = json.dumps(fields).encode()
    return head_of("application/json") + b"content-length: %d\r\n\r\n" % len(body) + body


def head_of(kind: str) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\n" % kind.encode()


def piece(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def serve() -> None:
    """Answer until the input ends."""
    turns: dict[bytes, int] = {}
    server = await asyncio.get_running_loop().create_server(lambda: Conversation(turns), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
