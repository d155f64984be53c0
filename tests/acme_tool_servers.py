"""Define a plugin with the tools of servers: child processes that exchange lines of JSON, like MCP servers.

It knows the contract and click alone. Servers are configured, or listed by the workspace, which needs consent.
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import click

from openkoi_hookspecs import (
    Arguments,
    Effect,
    Event,
    Koi,
    PluginEntry,
    Question,
    Run,
    Task,
    Tool,
    ToolError,
    ToolResult,
    is_yes,
)

EFFECTS = {"read": Effect.READS, "write": Effect.WRITES, "destroy": Effect.IRREVERSIBLE}


@dataclass(frozen=True, slots=True)
class Progressed(Event):
    """A server's progress; shown, but not kept."""

    name = "acme.progress"
    durable = False
    text: str

    @property
    def line(self) -> str:
        """The text that the user reads."""
        return self.text


@dataclass(frozen=True)
class Server:
    """``[sources.acme.servers.NAME]``."""

    command: str
    args: tuple[str, ...] = ()
    trusted: bool = True

    @property
    def digest(self) -> str:
        """What the user consents to."""
        return sha256(json.dumps(["acme server", self.command, *self.args]).encode()).hexdigest()


class ToolProvider:
    """The tools of one server, which is started when a run first wants them and ended with OpenKoi."""

    def __init__(self, name: str, server: Server) -> None:
        self.name, self.server = name, server
        self.child: Process | None = None
        self.lock = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        if self.child is not None:
            self.child.kill()
            await self.child.wait()

    async def tools(self, run: Run) -> list[Tool]:
        """List them, if the user allows the server."""
        if not self.server.trusted and not await self.allowed(run):
            return []
        listed = await self.exchange(run, {"list": True})
        return [self.tool(one, run, deferred=len(listed) > 5) for one in listed]

    async def allowed(self, run: Run) -> bool:
        text = f"Start the tool server {self.name}?"
        question = Question(text, choices=("yes", "no"), keep=True, digest=self.server.digest)
        return is_yes(await run.ask(question))

    def tool(self, one: Mapping[str, Any], run: Run, *, deferred: bool) -> Tool:
        async def call(arguments: Arguments) -> ToolResult:
            found = await self.exchange(run, {"call": one["name"], "arguments": dict(arguments)})
            return ToolResult(str(found["text"]), failed=found.get("failed", False))

        effect = EFFECTS[one["effect"]]
        name = f"{self.name}_{one['name']}"
        return Tool(name, one["description"], one["parameters"], call, effect=effect, deferred=deferred)

    async def exchange(self, run: Run, request: Mapping[str, object]) -> Any:
        """Call the server; meanwhile it may ask the user, and report progress."""
        async with self.lock:
            child = await self.started()
            write(child, request)
            while line := await read(child):
                if "ask" in line:
                    write(child, {"answer": await run.ask(Question(line["ask"], choices=("yes", "no")))})
                elif "progress" in line:
                    await run.emit(Progressed(f"[{self.name}] {line['progress']}"))
                else:
                    return line["result"]
        raise ToolError(f"The tool server {self.name} has ended.")

    async def started(self) -> Process:
        if self.child is None or self.child.returncode is not None:
            command = [self.server.command, *self.server.args]
            self.child = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        return self.child


def write(child: Process, line: Mapping[str, object]) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps(line).encode() + b"\n")


async def read(child: Process) -> dict[str, Any]:
    assert child.stdout is not None
    line = await child.stdout.readline()
    return dict(json.loads(line)) if line else {}


class Servers:
    """A tool provider for each server of the configuration and of ``.servers.json`` in the workspace."""

    def __init__(self, *, servers: Mapping[str, Server] | None = None) -> None:
        self.servers = servers or {}

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry]:
        """List those that are configured, and those of the workspace."""
        file = workspace / ".servers.json"
        brought = json.loads(file.read_text()) if file.exists() else {}
        found = {name: Server(sys.executable, tuple(args), trusted=False) for name, args in brought.items()}
        for name, server in {**found, **self.servers}.items():
            yield PluginEntry("tools", name, "acme", partial(tool_provider, name, server), version=server.digest)


async def tool_provider(name: str, server: Server) -> ToolProvider:
    return ToolProvider(name, server)


@click.command()
@click.argument("text")
@click.option("--answer", default="yes")
@click.pass_obj
async def do(koi: Koi, text: str, answer: str) -> None:
    """Do a task with a user who always gives the same answer."""
    texts: list[str] = []

    async def user(question: Question) -> str:
        texts.append(question.text)
        return answer

    koi.attend(user)
    result = await koi.solve(Task(text))
    click.echo(json.dumps({"text": result.text, "asked": texts}))
