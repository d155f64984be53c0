"""Ours: whole runs by the kernel, with hooks, budget, loop breaker and run log; that on a ramdisk if there is one."""

import asyncio
import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.turns import add, address, done, take_turns, task, words

from openkoi.app import App
from openkoi_hookspecs import (
    Arguments,
    Deny,
    Effect,
    Event,
    Limits,
    Message,
    Permission,
    Request,
    Run,
    Task,
    Tool,
    ToolCall,
    ToolResult,
    hookimpl,
)
from openkoi_openai import OpenAI
from openkoi_testing import Scenario

RAMDISK = Path("/dev/shm")
SCHEMA: Arguments = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
PLENTY = Limits(iterations=0, cycles=10**6, tokens=10**12, usd=10**6, seconds=10**6, calls=10**9)


class Watching:
    """A plugin that has a look at each call, each result and each event, and finds nothing to object to."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool) -> Permission | None:
        """Refuse what is plainly wrong."""
        self.seen[tool.name] += 1
        return Deny("It is below zero.") if str(call.arguments.get("n")).startswith("-") else None

    @hookimpl
    def after_tool(self, result: ToolResult) -> ToolResult | None:
        """Shorten what is too long."""
        return ToolResult(result.text[:10_000]) if len(result.text) > 10_000 else None

    @hookimpl
    def on_event(self, event: Event) -> None:
        """Count."""
        self.seen[event.name] += 1


class Adding:
    """A toolbox with the one tool."""

    async def tools(self, run: Run) -> list[Tool]:
        """Return the tool."""

        async def call(arguments: Arguments) -> ToolResult:
            return ToolResult(add(int(str(arguments["n"]))))

        return [Tool("add", "Add one.", SCHEMA, call, effect=Effect.READS)]


def assembled(folder: Path) -> App:
    """Return an OpenKoi that asks the contest's model; what it writes down is not in its workspace."""
    workspace = folder / "workspace"
    workspace.mkdir()
    model = OpenAI(base_url=address(), api_key=os.environ["OPENAI_API_KEY"])
    boxes, plugins = {"adding": Adding()}, {"watching": Watching()}
    stage = Scenario(model=model, toolboxes=boxes, plugins=plugins, installed=frozenset())
    return stage.build_app(workspace, folder / "home")


async def turn(koi: App, asked: dict[str, int]) -> None:
    """So many runs at once."""
    results = await asyncio.gather(
        *(koi.solve(Task(task(asked["steps"]), limits=PLENTY)) for _ in range(asked.get("runs", 1)))
    )
    for result in results:
        done(result.text)
    await koi.drain()


async def listen(koi: App, asked: dict[str, int]) -> None:
    """A call that is streamed."""
    run = await koi.runs_of_tasks.make_run(Task("Speak.", limits=PLENTY))
    said = Message.user(words(asked["chunks"], asked["pause"]))
    reply = await run.chat(Request((said,), model="executor"))
    assert asked["chunks"] == len(reply.text.split())


def main() -> None:
    """Take turns."""
    ramdisk = RAMDISK if RAMDISK.is_dir() else None
    with TemporaryDirectory(dir=ramdisk, ignore_cleanup_errors=True) as folder, asyncio.Runner() as runner:
        koi = assembled(Path(folder))
        runner.run(koi.__aenter__())
        take_turns("openkoi-kernel", lambda asked: runner.run((listen if "chunks" in asked else turn)(koi, asked)))


if __name__ == "__main__":
    main()
