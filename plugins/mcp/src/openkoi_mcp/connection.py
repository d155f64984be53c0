"""Keep one MCP server running: start it when needed, restart it with back-off if it ended or crashed, and stop it."""

import asyncio
import contextvars
import logging
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.restart_delay import RestartDelay
from openkoi_hookspecs import KoiError, ToolError

from .server_config import ServerConfig

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client.session import ElicitationFnT
    from mcp_types import CallToolResult

MAX_LINES = 3  # of an error: a wrong answer may have a hundred faults, and then advice for programmers
ADVICE = "For more information check:"  # of httpx2, a page about the status
START_SECONDS = 60.0  # estimate: npx and uvx may have to download a server first
HANDSHAKE, DISCOVERY = "legacy", "auto"  # of the SDK; with the newest protocol a server cannot ask while it works
VARIABLES_HINT = " It gets only the variables {0}; to pass more, set mcp.servers.{1}.env_names."
UNAUTHORIZED = (
    "It requires authentication (401 Unauthorized). Check `headers` in the server's table [mcp.servers.{}], such as "
    'Authorization = "Bearer ${{TOKEN}}"; OpenKoi does not support OAuth for MCP servers'
)
PATIENCE_SECONDS = 5.0  # that a call waits for such a delay; for a longer one it fails at once (estimate)


class Connection:
    """A server and the task that keeps it open. All calls of all runs share it."""

    def __init__(
        self, config: ServerConfig, workspace: Path, elicit: "ElicitationFnT", variables: Mapping[str, str]
    ) -> None:
        self.config, self.workspace, self.elicit, self.variables = config, workspace, elicit, variables
        self.context = contextvars.copy_context()
        self.task: asyncio.Task[None] | None = None
        self.ready: asyncio.Future[Client]
        self.stop = asyncio.Event()
        self.delay = RestartDelay()
        self.error_tail = ""
        self.mode = HANDSHAKE

    def begin(self) -> None:
        """Start the server in the background, unless it runs or is being started."""
        if self.task is None or self.task.done():
            self.stop = asyncio.Event()
            self.ready = asyncio.get_running_loop().create_future()
            self.ready.add_done_callback(
                lambda ready: ready.cancelled() or ready.exception()
            )  # an unused failure is not a warning
            self.task = asyncio.create_task(self.live(self.ready, self.stop), context=self.context)

    async def client(self) -> "Client":
        """Return the client of the running server; raise ToolError if it cannot be started."""
        if (self.task is None or self.task.done()) and self.delay.seconds_left > PATIENCE_SECONDS:
            raise ToolError(
                f"The MCP server {self.config.name} failed {self.delay.failures} times in a row and restarts "
                f"in {self.delay.seconds_left:.0f} s.{self.error_tail}"
            )
        self.begin()
        try:
            return await asyncio.shield(self.ready)
        except HandshakeRefusedError:
            self.mode = DISCOVERY
            self.begin()
            return await asyncio.shield(self.ready)

    async def live(self, ready: "asyncio.Future[Client]", stop: asyncio.Event) -> None:
        """Start the server, and keep it until it is stopped; any failure becomes the error of ``ready``."""
        await asyncio.to_thread(import_module, "openkoi_mcp.transport")  # importing the SDK takes 0.6 s; runs continue
        silence_sdk()
        from mcp import Client

        from .error_output import ErrorOutput
        from .transport import open_transport

        await asyncio.sleep(self.delay.seconds_left)
        errors = ErrorOutput()
        try:
            async with asyncio.timeout(START_SECONDS) as deadline:
                transport = open_transport(self.config, self.workspace, self.variables, errors)
                async with Client(transport, elicitation_callback=self.elicit, cache=None, mode=self.mode) as client:
                    deadline.reschedule(None)
                    client.session.validate_tool_result = accept_result  # type: ignore[method-assign]  # see there
                    ready.set_result(client)
                    await stop.wait()
        except Exception as error:
            if not ready.done():
                if errors.is_unauthorized:
                    errors.fault = errors.fault or UNAUTHORIZED.format(self.config.name)
                refused = self.mode == HANDSHAKE and refuses_handshake(error)
                if not refused:
                    self.note_failure(errors.tail)
                ready.set_exception(HandshakeRefusedError() if refused else self.start_error(error))
        finally:
            if not ready.done():
                ready.cancel()
            self.error_tail = errors.tail

    def start_error(self, error: Exception) -> KoiError:
        """Return the message about a server that did not start."""
        if isinstance(error, KoiError):
            return error
        why = f"it did not answer within {START_SECONDS:g} s" if isinstance(error, TimeoutError) else reason_of(error)
        verb = "reached" if self.config.table.url else "started"
        return ToolError(
            f"The MCP server {self.config.name} cannot be {verb}: {why}.{self.error_tail}{self.variables_hint}"
        )

    @property
    def variables_hint(self) -> str:
        """The variables that a program got, since a missing variable often makes a program exit at once."""
        if self.config.table.url or self.config.table.inherit_env:
            return ""
        more = "".join(f", {name}" for name in sorted({*self.config.given_variables, *self.config.table.env}))
        return VARIABLES_HINT.format(f"PATH, HOME, LANG, TMPDIR{more}", self.config.name)

    def note_failure(self, error_tail: str = "") -> None:
        """Let the next start wait, longer with each failure in a row."""
        self.error_tail = error_tail or self.error_tail
        self.delay.note_failure()

    @property
    def running(self) -> "Client | None":
        """The client of the server, once it has started."""
        failed = self.task is None or not self.ready.done() or self.ready.cancelled() or self.ready.exception()
        return None if failed else self.ready.result()

    async def drop(self, client: "Client") -> None:
        """Give up a server that has ended; the next call starts it again. One that replaced it is kept."""
        if self.running is client:
            await self.close()
            self.note_failure()

    async def close(self) -> None:
        """Stop the server and wait for its end: its input is closed, then it is asked to end, then killed."""
        if self.task is None:
            return
        self.stop.set()
        if not self.ready.done():
            self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def accept_result(name: str, result: "CallToolResult") -> None:
    """Accept a server's response without the SDK's check against the server's own schema.

    A pattern or references in such a schema can take years to check, and nothing could cut that off.
    """


def silence_sdk() -> None:
    """Keep the SDK from logging tracebacks to the terminal if no logging is set up; its errors become results."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


class HandshakeRefusedError(Exception):
    """The server speaks only the newest protocol, which begins without a handshake."""


def first_error(error: BaseException) -> BaseException:
    """Return the first error of a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def refuses_handshake(error: Exception) -> bool:
    """Whether a server does not support the first request of older protocols."""
    from mcp import MCPError
    from mcp_types import METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION

    first = first_error(error)
    return isinstance(first, MCPError) and first.error.code in (METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION)


def reason_of(error: BaseException) -> str:
    """Return an error's message as a line: the first of a group of errors, the first problem of an invalid answer."""
    first = first_error(error)
    lines = [line.strip() for line in str(first).splitlines()[:MAX_LINES] if line.strip() and ADVICE not in line]
    return ": ".join(lines).rstrip(".") or type(first).__name__


def process_variables() -> Mapping[str, str]:
    """Return the variables of OpenKoi, of which servers get those that they are allowed."""
    return dict(os.environ)
