"""Tools whose schemas are not sent with every request: found when they are needed, and called by name. Pure.

The tools that a model is offered never change within a run, so that its prompt stays cached.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from openkoi_hookspecs import Arguments, Effect, Json, Tool, ToolCall, ToolError, ToolResult

FIND, CALL = "find_tool", "call_tool"
SHOWN = 5
NEAR = 0.5
WORD = re.compile(r"[a-z0-9]+")


def offered(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools that are sent with every request: those in frequent use, and the two that reach the others."""
    rare = [tool for tool in tools if tool.deferred]
    return (*(tool for tool in tools if not tool.deferred), *((finder(rare), caller(rare)) if rare else ()))


def finder(rare: Sequence[Tool]) -> Tool:
    """The tool that shows how others are called."""

    async def call(arguments: Arguments) -> ToolResult:
        found = sorted(rare, key=lambda tool: likeness(str(arguments["query"]), tool), reverse=True)[:SHOWN]
        return ToolResult("\n".join(json.dumps(shown(tool), ensure_ascii=False) for tool in found))

    return Tool(
        FIND,
        f"Find further tools and how to call them. There are {len(rare)}: {names(rare)}.",
        schema({"query": {"type": "string"}}),
        call,
        effect=Effect.READS,
        progress_text="Looking for a tool: {query}",
    )


def caller(rare: Sequence[Tool]) -> Tool:
    """The tool that stands for all others; a call of it is taken as a call of the one that it names."""

    async def call(arguments: Arguments) -> ToolResult:
        raise ToolError(f"There is no further tool {arguments.get('name')!r}. Call one of: {names(rare)}.")

    return Tool(
        CALL,
        "Call a further tool with the arguments that find_tool shows.",
        schema({"name": {"type": "string"}, "arguments": {"type": "object"}}),
        call,
        effect=Effect.READS,
    )


def meant(call: ToolCall, tools: Sequence[Tool]) -> ToolCall:
    """The call that is meant: that of the further tool, where it is called through the one that stands for them."""
    name, arguments = call.arguments.get("name"), call.arguments.get("arguments", {})
    if call.tool != CALL or not any(tool.deferred and tool.name == name for tool in tools):
        return call
    if isinstance(arguments, str):
        arguments = read(arguments)
    if not isinstance(arguments, dict):
        return replace(call, parse_error=f"The arguments of {name} must be an object, not {type(arguments).__name__}.")
    return replace(call, tool=str(name), arguments=arguments)


def read(text: str) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found


def likeness(query: str, tool: Tool) -> float:
    """How well a tool fits what is looked for: words that are shared, and names that are alike."""
    words, said = set(WORD.findall(query.lower())), set(WORD.findall(f"{tool.name} {tool.description}".lower()))
    alike = SequenceMatcher(None, query.lower(), tool.name.lower()).ratio()
    return len(words & said) + (alike if alike > NEAR else 0)


def shown(tool: Tool) -> dict[str, Json]:
    return {"name": tool.name, "description": tool.description, "arguments": dict(tool.parameters)}


def names(tools: Sequence[Tool]) -> str:
    """Their names, as many as are worth their place in every request."""
    some = [tool.name for tool in tools[:20]]
    return ", ".join([*some, "..."] if len(tools) > len(some) else some)


def schema(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": [next(iter(properties))]}
