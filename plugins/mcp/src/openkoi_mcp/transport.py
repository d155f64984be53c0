"""Connect to an MCP server by stdio, HTTP or SSE, with the configured headers but no OAuth login. Imports the SDK."""

import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import mcp.client.sse
from mcp import StdioServerParameters, stdio_client
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from openkoi_hookspecs import ToolError

from .endpoint import open_events
from .error_output import ErrorOutput
from .message_limits import limit_response
from .server_config import SSE, STDIO, ServerConfig, child_environment, expand, working_folder
from .stdio import open_child

LAUNCHER = Path(__file__).with_name("launch.py")
mcp.client.sse.sse_within_origin = open_events  # type: ignore[assignment, attr-defined]
HTTP_TIMEOUT = httpx2.Timeout(30.0, read=300.0)  # as the SDK has it: a stream may be silent for minutes


@asynccontextmanager
async def open_transport(
    config: ServerConfig, workspace: Path, variables: Mapping[str, str], errors: ErrorOutput
) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a server that runs, or is connected to; at the end it is stopped, with its children."""
    if config.transport == STDIO:
        parameters = child_parameters(config, workspace, variables)
        async with errors.pipe() as descriptor, open_stdio(parameters, errors, descriptor) as streams:
            yield streams
        return
    url = expand(config.table.url, variables)
    headers = {name: expand(text, variables) for name, text in config.table.headers.items()}
    if config.transport == SSE:
        async with sse_client(url, headers=headers, httpx_client_factory=partial(make_client, errors)) as streams:
            yield streams
        return
    async with (
        make_client(errors, headers) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=None) as streams,
    ):
        yield streams


def make_client(
    errors: ErrorOutput,
    headers: Mapping[str, str] | None = None,
    timeout: httpx2.Timeout = HTTP_TIMEOUT,
    auth: httpx2.Auth | None = None,
) -> httpx2.AsyncClient:
    """Return a client that follows no redirect, and reads no more than a message may have."""
    hooks: Mapping[str, list[Callable[..., Any]]] = {"response": [partial(limit_response, errors)]}
    client = httpx2.AsyncClient(headers=headers, timeout=timeout, auth=auth, follow_redirects=False, event_hooks=hooks)
    client.headers["Accept-Encoding"] = "identity"
    return client


@asynccontextmanager
async def open_stdio(
    parameters: StdioServerParameters, errors: ErrorOutput, descriptor: int
) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a child whose standard error goes to a descriptor."""
    if os.name != "nt":
        async with open_child(parameters, errors, descriptor) as streams:
            yield streams
        return
    with os.fdopen(os.dup(descriptor), "w") as file:  # the SDK ends what a server started as Windows needs it
        async with stdio_client(parameters, file) as streams:
            file.close()
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
    # The launcher's Python may add variables, and a child outlives a parent that is killed: it changes both.
    launched = ["-I", "-S", str(LAUNCHER), str(os.getpid()), ",".join(environment), str(program), *arguments]
    return StdioServerParameters(command=sys.executable, args=launched, env=environment, cwd=folder)
