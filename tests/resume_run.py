"""Do a three-iteration run with an unrepeatable effect: ``resume_run.py HOME WORKSPACE STEP [RUN]``.

It kills itself after so many records; with the id of a run it goes on with that one. The model refuses, as strict
vendors do, a conversation in which a call has no result. Each call of it is a line in ``HOME/calls``.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from openkoi_hookspecs import (
    Arguments,
    Check,
    Chunk,
    Evaluation,
    ExecutionResult,
    Finding,
    FinishReason,
    Model,
    Price,
    Record,
    Request,
    RequestRejectedError,
    Run,
    Severity,
    StreamEnd,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from openkoi_testing import Scenario

TURNS: list[list[ToolCall] | str] = [
    [ToolCall("a", "write_file", {"path": "a.txt", "content": "one\n"}), ToolCall("b", "post", {"text": "first"})],
    "A first draft.",
    [ToolCall("a", "edit_file", {"path": "a.txt", "search": "one", "replace": "two"})],
    [ToolCall("c", "post", {"text": "second"})],
    "A second draft.",
    [ToolCall("a", "edit_file", {"path": "a.txt", "search": "two", "replace": "three"})],
    "A third draft.",
]


class Strict:
    """A model that plays turns by their number in the conversation, and rejects invalid conversations."""

    def __init__(self, home: Path) -> None:
        self.calls = home / "calls"

    async def models(self) -> Sequence[Model]:
        """Return one model."""
        return [Model("script", context=100_000, output=1_000, price=Price(1.0, 1.0))]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Yield the next turn."""
        waiting: set[str] = set()
        for message in request.messages:
            answered = {part.call for part in message.parts if isinstance(part, ToolResult)}
            if answered != waiting:
                raise RequestRejectedError(f"400: calls {waiting} and results {answered} do not fit.")
            waiting = {part.id for part in message.parts if isinstance(part, ToolCall)}
        turn = sum(message.role == "assistant" for message in request.messages)
        with self.calls.open("a") as file:
            file.write(f"{turn}\n")
        reply = TURNS[turn]
        for chunk in [Text(reply)] if isinstance(reply, str) else reply:
            yield chunk
        yield StreamEnd(Usage(input=100, output=10), FinishReason.END if isinstance(reply, str) else FinishReason.TOOLS)


class Posting:
    """A tool whose effect stands for a message that was sent: a line in ``HOME/posts``."""

    def __init__(self, home: Path) -> None:
        self.posts = home / "posts"

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tool."""

        async def post(arguments: Arguments) -> ToolResult:
            with self.posts.open("a") as file:
                file.write(f"{arguments['text']}\n")
            return ToolResult("sent")

        schema: Arguments = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return [Tool("post", "Send a message.", schema, post)]


class Counting:
    """An evaluator that wants a third draft."""

    async def evaluate(self, run_until: ExecutionResult, run: Run) -> Evaluation:
        """Accept work that counts to three."""
        number = len(run.iterations)
        checks = tuple(Check(f"step {n}", passed=n <= number) for n in range(3))
        missing = Finding(f"It does not count to {number + 1}", Severity.IMPORTANT, fix="Count on.")
        return Evaluation(checks=checks, findings=() if number == 2 else (missing,))


async def run_until(home: Path, workspace: Path, step: int, run: str) -> None:
    """Start or resume the task, and kill this process at the step."""
    stage = Scenario(model=Strict(home), evaluators={"counting": Counting()}, tool_providers={"posting": Posting(home)})
    koi, left = stage.build_app(workspace, home), step

    def tell(record: Record) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    koi.listen(tell)
    async with koi:
        if run:
            await koi.resume(run).result()
        else:
            await koi.solve(Task("Write three steps into a.txt"))


if __name__ == "__main__":
    asyncio.run(run_until(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
