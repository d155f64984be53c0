"""The tools of one MCP server, for any number of runs: list them, and make calls."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from openkoi_base.grants import CHANGED
from openkoi_base.printable import visible
from openkoi_hookspecs import Effect, Json, Koi, Question, Run, Tool, ToolError, is_yes

from .active_call import MAX_QUESTIONS, ActiveCalls
from .connection import Connection, process_variables, reason_of
from .definitions import Definition, Definitions, count, tool_name, visible_json
from .events import ToolsOffered
from .given_secrets import given_secrets
from .run_calls import RunCalls
from .server_config import STDIO, ServerConfig
from .snapshots import Snapshots, explain_why, start_question

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client import ClientRequestContext
    from mcp_types import ElicitRequestParams, ElicitResult

REFUSED_KEYS = ("$schema", "oneOf", "anyOf", "allOf")  # Anthropic takes no combination at the top of a schema
NOT_APPROVED = "The MCP server {0} {1}, so {2}. To decide, run `openkoi mcp approve {0}`."


class ServerTools:
    """Brings the tools of a server. It is started when they are first wanted, and stopped with OpenKoi."""

    def __init__(
        self, config: ServerConfig, snapshots: Snapshots, koi: Koi, workspace: Path, *, many: Callable[[], bool]
    ) -> None:
        self.config, self.snapshots, self.koi, self.many = config, snapshots, koi, many
        self.active = ActiveCalls()
        self.questions = 0
        self.deciding = asyncio.Lock()
        variables = process_variables()
        for name, secret in given_secrets(config.table, variables):
            koi.conceal(secret, f"{name} of the MCP server {config.name}")
        self.connection = Connection(config, workspace, self.elicit, variables)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.connection.close()

    async def tools(self, run: Run) -> Sequence[Tool]:
        """List the approved tools at once, while the server starts; those of a new server when the user allows them."""
        known = self.snapshots.find_approved(self.config)
        if known is None:
            known = await self.introduce(run)
        if known is None:
            return []
        name, table = self.config.name, self.config.table
        deferred = self.many() if table.deferred is None else table.deferred
        if not deferred:
            self.connection.begin()
        await run.emit(ToolsOffered(name, len(known.tools), len(known.prompts), deferred))
        return build_tools(name, known, RunCalls(self, run, known), deferred=deferred)

    async def introduce(self, run: Run) -> Definitions | None:
        """Ask whether a new server may be started, and then whether its tools may be used; None if they may not."""
        if not is_yes(answer := await run.ask(start_question(self.config))):
            consequence = "it is not started" if self.config.transport == STDIO else "OpenKoi does not connect to it"
            if answer is None:  # one who refused knows it
                self.koi.warn(self.explain_unused(consequence))
            return None
        found = await self.list_definitions(await self.connection.client())
        if await self.is_allowed(found, run):
            return found
        await self.connection.close()
        if self.koi.consent(found.digest(self.config)) is None:
            self.koi.warn(self.explain_refused(found, "cannot be used"))
        return None

    def explain_unused(self, consequence: str) -> str:
        """Return the message about a server that may not be started with its current configuration."""
        return NOT_APPROVED.format(self.config.name, explain_why(self.config, self.koi), consequence)

    def explain_refused(self, found: Definitions, consequence: str) -> str:
        """Return the message about a started server whose current tools are not approved."""
        why = CHANGED if self.snapshots.read_other(self.config, found) else "offers tools that are not approved"
        return NOT_APPROVED.format(self.config.name, why, f"its {count(len(found.tools), 'tool')} {consequence}")

    async def is_allowed(self, definitions: Definitions, run: Run) -> bool:
        """Ask whether the user allows these definitions, at most once for all waiting calls; return the answer."""
        async with self.deciding:
            if self.snapshots.allows(self.config, definitions):
                self.snapshots.keep(self.config, definitions)
                return True
            if self.snapshots.refuses(self.config, definitions):
                return False
            if not is_yes(await run.ask(self.snapshots.question(self.config, definitions))):
                return False
            self.snapshots.keep(self.config, definitions)
            return True

    async def list_definitions(self, client: "Client") -> Definitions:
        """Return the server's current definitions."""
        from .listing import list_definitions

        seconds = self.config.table.timeout
        try:
            async with asyncio.timeout(seconds):
                return await list_definitions(client)
        except Exception as error:  # a server may answer anything
            await self.connection.drop(client)
            why = f"no answer within {seconds:g} s" if isinstance(error, TimeoutError) else reason_of(error)
            raise ToolError(
                f"The MCP server {self.config.name} cannot list its tools: {why}.{self.connection.error_tail}"
            ) from error

    async def elicit(self, context: "ClientRequestContext", params: "ElicitRequestParams") -> "ElicitResult":
        """Forward a question of the server to the user of the run that made the call."""
        from .elicitation import elicit

        call = self.active.asking
        return await elicit(self.config.name, params, call.ask if call else self.ask)

    async def ask(self, question: Question) -> str | None:
        """Ask the user a question that belongs to no call; None if the server asks too many questions."""
        self.questions += 1
        return await self.koi.ask(question) if self.questions <= MAX_QUESTIONS else None

    async def health(self) -> Mapping[str, str]:
        """Start the server if it may be started, and report how many tools it has."""
        if self.config.project and not is_yes(self.koi.consent(start_question(self.config).digest)):
            raise ToolError(self.explain_unused("it was not started"))
        found = await self.list_definitions(await self.connection.client())
        if not self.snapshots.allows(self.config, found):
            raise ToolError(self.explain_refused(found, "cannot be used"))
        return {"ok,": count(len(found.tools), "tool")}


def build_tools(server: str, definitions: Definitions, calls: RunCalls, *, deferred: bool) -> list[Tool]:
    """Return a tool for each of a server, and those that read its resources and prompts."""
    tools = [build_tool(server, one, calls, deferred=deferred) for one in definitions.tools]
    if definitions.resources:
        tools.append(
            Tool(
                tool_name(server, "read_resource"),
                f"Read a resource of the MCP server {server} by its URI; omit the URI to list all resources.",
                parameters({"uri": {"type": "string"}, "offset": {"type": "integer", "minimum": 0}}),
                calls.read_resource,
                effect=Effect.READS,
                progress_text=f"Reading {{uri}} of {server}",
                deferred=deferred,
            )
        )
    if definitions.prompts:
        tools.append(
            Tool(
                tool_name(server, "get_prompt"),
                f"Return the text of a prompt of the MCP server {server}.",
                parameters({"name": {"type": "string"}, "arguments": {"type": "object"}}, "name"),
                calls.get_prompt,
                effect=Effect.READS,
                deferred=deferred,
            )
        )
    return tools


def build_tool(server: str, definition: Definition, calls: RunCalls, *, deferred: bool) -> Tool:
    """Return a tool of a server, without characters in its texts that only models would see."""
    name = str(definition["name"])
    description = visible(str(definition.get("description") or definition.get("title") or name))
    return Tool(
        tool_name(server, name),
        description,
        input_schema(definition),
        partial(calls.call_tool, name),
        effect=effect_of(definition.get("annotations") or {}),
        progress_text=f"Calling {visible(name)} of {server}",
        deferred=deferred,
    )


def input_schema(definition: Definition) -> dict[str, Json]:
    """Return the schema of a tool's arguments, without top-level keywords that some vendors reject."""
    schema = visible_json(definition.get("inputSchema") or {})
    kept = {key: value for key, value in schema.items() if key not in REFUSED_KEYS}
    return {"properties": {}, **kept, "type": "object"}


def effect_of(hints: Mapping[str, object]) -> Effect:
    """Return the effect of a call by the approved description; by default, it changes something."""
    if hints.get("readOnlyHint") is True:
        return Effect.READS
    return Effect.IRREVERSIBLE if hints.get("destructiveHint") is True else Effect.WRITES


def parameters(properties: dict[str, Json], *required: str) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": [*required]}
