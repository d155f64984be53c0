"""Make one run's calls to a server, only while the server is still what the user approved."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from openkoi_hookspecs import Arguments, Run, ToolError, ToolResult

from .active_call import ActiveCall, ActiveCalls
from .connection import Connection, first_error, reason_of
from .definitions import Definitions, describe_changes
from .server_config import ServerConfig

if TYPE_CHECKING:
    from mcp import Client

T = TypeVar("T")
RESOURCE_TOKENS = 8_000  # of one reading; estimate: twice a long source file
NO_SAMPLING = "Sampling not supported"  # what the SDK answers a server that wants to call our model
SAMPLING = "it asked to call a model (sampling), which OpenKoi does not allow"
CHANGED = (
    "The MCP server {0} is not what you approved: {1}. No call was made. To decide, run `openkoi mcp approve {0}`."
)


class Server(Protocol):
    """The part of a server that all runs share."""

    config: ServerConfig
    connection: Connection
    active: ActiveCalls

    async def list_definitions(self, client: "Client") -> Definitions:
        """Return the server's current definitions."""

    async def is_allowed(self, definitions: Definitions, run: Run) -> bool:
        """Whether the user allows these definitions."""


class RunCalls:
    """Calls a server's tools and resources for a run. ``approved`` are the definitions that the run got."""

    def __init__(self, server: Server, run: Run, approved: Definitions) -> None:
        self.server, self.run, self.approved = server, run, approved
        self.refused: set[str] = set()

    async def call_tool(self, name: str, arguments: Arguments) -> ToolResult:
        """Call a tool; while it runs its progress is shown."""

        async def call(client: "Client", active: ActiveCall) -> ToolResult:
            from .results import result_of_call

            return result_of_call(await client.call_tool(name, dict(arguments), progress_callback=active.show_progress))

        return await self.perform(call)

    async def read_resource(self, arguments: Arguments) -> ToolResult:
        """Read a resource, or list all."""

        async def read(client: "Client", active: ActiveCall) -> ToolResult:
            from .listing import list_resources
            from .results import CHARACTERS_PER_TOKEN, result_of_resource, shorten

            uri, offset = arguments.get("uri"), arguments.get("offset")
            start = offset if isinstance(offset, int) else 0
            if not uri:
                listed = await list_resources(client)
                return ToolResult(shorten(listed, RESOURCE_TOKENS * CHARACTERS_PER_TOKEN, offset=start))
            return result_of_resource(await client.read_resource(str(uri)), offset=start, tokens=RESOURCE_TOKENS)

        return await self.perform(read)

    async def get_prompt(self, arguments: Arguments) -> ToolResult:
        """Return the text of a prompt."""

        async def get(client: "Client", active: ActiveCall) -> ToolResult:
            from .results import result_of_prompt

            given = arguments.get("arguments")
            values = {name: str(value) for name, value in given.items()} if isinstance(given, dict) else {}
            return result_of_prompt(await client.get_prompt(str(arguments["name"]), values))

        return await self.perform(get)

    async def perform(self, work: "Callable[[Client, ActiveCall], Awaitable[ToolResult]]") -> ToolResult:
        """Call the server, once it is running and known to be what was approved; a call is never made twice."""
        client = await self.verified_client()
        name, connection = self.server.config.name, self.server.connection
        async with self.server.active.begin(self.run, name, self.server.config.table.timeout) as active:
            try:
                result = await work(client, active)
            except (ToolError, asyncio.CancelledError, TimeoutError):
                raise
            except Exception as error:  # a server may answer anything, and end at any time
                raise await self.failure(client, error) from error
        connection.delay.note_success()
        return result

    async def failure(self, client: "Client", error: Exception) -> ToolError:
        """Return the error for a call that failed; if the server has ended, the next call starts it again."""
        name, connection = self.server.config.name, self.server.connection
        if not is_closed(error):
            reason = reason_of(error)
            return ToolError(
                f"The MCP server {name} refused the call: {SAMPLING if reason == NO_SAMPLING else reason}."
            )
        await connection.drop(client)
        return ToolError(
            f"The MCP server {name} ended during the call, so what the call did is unknown; "
            f"the next call starts the server again.{connection.error_tail}"
        )

    async def verified_client(self) -> "Client":
        """Return the client of a running server that is what the user approved; raise ToolError otherwise."""
        client = await self.server.connection.client()
        try:
            now = await self.server.list_definitions(client)
        except ToolError:  # it has ended since the last call: to ask what it offers is safe to do again
            client = await self.server.connection.client()
            now = await self.server.list_definitions(client)
        if now != self.approved and not await self.accepts(now):
            changes = describe_changes(self.approved, now)
            raise ToolError(CHANGED.format(self.server.config.name, changes))
        return client

    async def accepts(self, now: Definitions) -> bool:
        """Return whether the user approves the changed server; ask once in a run."""
        digest = now.digest(self.server.config)
        if digest in self.refused:
            return False
        if await self.server.is_allowed(now, self.run):
            self.approved = now
            return True
        self.refused.add(digest)
        return False


def is_closed(error: BaseException) -> bool:
    """Whether an error says that the connection has ended."""
    from anyio import BrokenResourceError, ClosedResourceError, EndOfStream
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED

    first = first_error(error)
    if isinstance(first, MCPError):
        return first.error.code == CONNECTION_CLOSED
    return isinstance(first, BrokenResourceError | ClosedResourceError | EndOfStream | ConnectionError)
