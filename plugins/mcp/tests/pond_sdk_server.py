"""An MCP server for tests, built with the SDK: over HTTP, or with the newest protocol. It writes each call to a file.

python pond_sdk_server.py CALLS (--modern | --http PORT | --sse PORT)
"""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import anyio
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import (
    METHOD_NOT_FOUND,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ToolAnnotations,
)
from pydantic import BaseModel

READS = ToolAnnotations(read_only_hint=True)
parser = ArgumentParser()
parser.add_argument("calls", type=Path)
parser.add_argument("--modern", action="store_true")
parser.add_argument("--http", type=int)
parser.add_argument("--sse", type=int)
options = parser.parse_args()


async def refuse_handshake(ctx: Any, call_next: Any) -> Any:
    """Behave like a server that supports only the newest protocol."""
    if ctx.method == "initialize":
        raise MCPError(METHOD_NOT_FOUND, "Method not found")
    return await call_next(ctx)


server = MCPServer("pond", log_level="CRITICAL", middleware=[refuse_handshake] if options.modern else [])


def note(call: str) -> None:
    with options.calls.open("a") as file:
        file.write(f"{call}\n")


class Answer(BaseModel):
    """The form for the user."""

    sure: bool
    fish: int


@server.tool(annotations=READS)
def count_fish(pond: str = "koi") -> str:
    """Count the fish of a pond."""
    note(f"count_fish {pond}")
    return f"42 fish in {pond}"


@server.tool(annotations=READS)
def crash() -> str:
    """End the server."""
    note("crash")
    os._exit(3)


@server.tool(annotations=READS)
async def wait(seconds: float, ctx: Context) -> str:
    """Wait, and report progress."""
    note("wait")
    try:
        for step in range(10):
            await ctx.report_progress(step, 10, "waiting")
            await anyio.sleep(seconds / 10)
    except anyio.get_cancelled_exc_class():
        note("wait was cancelled")
        raise
    return "waited"


@server.tool(annotations=READS)
async def ask(ctx: Context) -> str:
    """Ask the user."""
    answer = await ctx.elicit("Drain the pond?", Answer)
    return f"{answer.action} {getattr(answer, 'data', None)}"


if options.modern:

    @server.tool(annotations=READS, structured_output=False)
    async def ask_back(ctx: Context) -> str | InputRequiredResult:
        """Ask the user by the newest protocol: by a result that requests input."""
        if not ctx.input_responses:
            schema = {"type": "object", "properties": {"fish": {"type": "integer"}}, "required": ["fish"]}
            form = ElicitRequestFormParams(message="How many?", requested_schema=schema)
            return InputRequiredResult(input_requests={"fish": ElicitRequest(params=form)})
        return repr(ctx.input_responses["fish"])


note(f"started {os.getpid()}")
if options.http:
    server.run("streamable-http", port=options.http)
elif options.sse:
    server.run("sse", port=options.sse)
else:
    server.run("stdio")
