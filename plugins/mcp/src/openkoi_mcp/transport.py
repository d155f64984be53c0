"""Open the way to a server: a child process, or a connection to an address. Imports the SDK."""

import asyncio
import os
import shutil
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Thread

import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from openkoi_hookspecs import ToolError

from .definitions import visible
from .launch import PROCESS_MARK
from .server_config import SSE, STDIO, ServerConfig, child_environment, expand, working_folder

LAUNCHER = Path(__file__).with_name("launch.py")
READ_SECONDS = 0.5  # for the last lines; a process that outlives the server may keep its output open
SHOWN_LINES = 3  # the last line is often a hint, and the error is before it
KEPT_LINES = 20  # of what a server writes to its standard error
HTTP_TIMEOUT = httpx2.Timeout(30.0, read=300.0)  # as the SDK has it: a stream may be silent for minutes


class ErrorOutput:
    """Keeps the last lines that a child writes to its standard error, for messages about its end.

    ``process`` is what the launcher writes first.
    """

    def __init__(self) -> None:
        self.process = 0
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)

    @asynccontextmanager
    async def pipe(self) -> AsyncIterator[int]:
        """Yield a descriptor for the child; what is written to it is read until the last process closes it."""
        reading, writing = os.pipe()
        reader = Thread(target=self.read, args=(reading,), daemon=True)
        reader.start()
        try:
            yield writing
        finally:
            os.close(writing)
            self.end_group()
            await asyncio.to_thread(reader.join, READ_SECONDS)

    def read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as file:
            while chunk := file.readline(10_000):
                line = chunk.decode(errors="replace").rstrip()
                if not self.process and line.startswith(PROCESS_MARK):
                    self.process = int(line.removeprefix(PROCESS_MARK))
                else:
                    self.lines.append(line)

    def end_group(self) -> None:
        """End what a server that has ended left behind: the processes that it started in its own group."""
        if self.process:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process, signal.SIGKILL)

    @property
    def tail(self) -> str:
        """The last lines that say something, for a sentence."""
        written = [visible(line).strip() for line in self.lines if line.strip()][-SHOWN_LINES:]
        return f" It wrote: {' / '.join(line[:300] for line in written).rstrip('.')}." if written else ""


@asynccontextmanager
async def open_transport(
    config: ServerConfig, workspace: Path, variables: Mapping[str, str], errors: ErrorOutput
) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a server that runs, or is connected to; at the end it is stopped, with its children."""
    if config.transport == STDIO:
        parameters = child_parameters(config, workspace, variables)
        async with errors.pipe() as descriptor, open_child(parameters, descriptor) as streams:
            yield streams
        return
    url = expand(config.table.url, variables)
    headers = {name: expand(text, variables) for name, text in config.table.headers.items()}
    if config.transport == SSE:
        async with sse_client(url, headers=headers) as streams:
            yield streams
        return
    async with (
        httpx2.AsyncClient(headers=headers, timeout=HTTP_TIMEOUT, follow_redirects=False) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def open_child(parameters: StdioServerParameters, descriptor: int) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a child whose standard error goes to a descriptor."""
    with os.fdopen(os.dup(descriptor), "w") as errors:
        async with stdio_client(parameters, errors) as streams:
            errors.close()
            yield streams


def child_parameters(config: ServerConfig, workspace: Path, variables: Mapping[str, str]) -> StdioServerParameters:
    """Return how a server is started; raise ToolError if its program is not there."""
    environment = child_environment(config.table, variables)
    command = expand(config.table.command, variables)
    arguments = [expand(one, variables) for one in config.table.args]
    folder = working_folder(config, workspace)
    if not folder.is_dir():
        raise ToolError(f"The MCP server {config.name} cannot be started: its folder {folder} does not exist.")
    named = Path(command).expanduser()
    plain = str(named) == named.name
    program = shutil.which(command, path=environment.get("PATH")) if plain else shutil.which(folder / named)
    if program is None:
        raise ToolError(
            f"The MCP server {config.name} cannot be started: {command!r} was not found. "
            f"Install it, or correct its command in {config.origin}."
        )
    if os.name == "nt":
        return StdioServerParameters(command=program, args=arguments, env=environment, cwd=folder)
    # The SDK adds variables of its own, and a child outlives a parent that is killed: the launcher changes both.
    launched = ["-I", "-S", str(LAUNCHER), str(os.getpid()), ",".join(environment), str(program), *arguments]
    return StdioServerParameters(command=sys.executable, args=launched, env=environment, cwd=folder)
