"""Defer rarely used tools: they are hidden until the model searches for them (tool search).

Their schemas are not sent with every request, but found when needed, and they are called by name.

The tools that a model is offered never change within a run, so that its prompt stays cached.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from openkoi_hookspecs import Arguments, Effect, Json, Tool, ToolCall, ToolError, ToolResult
from openkoi_hookspecs.lazy_pattern import lazy_pattern

FIND_TOOL, CALL_TOOL = "find_tool", "call_tool"
MAX_SHOWN_TOOLS = 5
MIN_SIMILARITY = 0.5  # a query this similar to a tool's name (difflib's ratio) finds the tool (estimate)
WORD = lazy_pattern(r"[a-z0-9]+")


def visible_tools(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the tools that are sent with every request: those in frequent use, and the two that reach the others."""
    rare = [tool for tool in tools if tool.deferred]
    return (
        *(tool for tool in tools if not tool.deferred),
        *((build_find_tool(rare), build_call_tool(rare)) if rare else ()),
    )


def build_find_tool(rare: Sequence[Tool]) -> Tool:
    """Return the tool that shows how to call deferred tools."""

    async def call(arguments: Arguments) -> ToolResult:
        found = sorted(rare, key=lambda tool: score_match(str(arguments["query"]), tool), reverse=True)[
            :MAX_SHOWN_TOOLS
        ]
        return ToolResult("\n".join(json.dumps(describe_tool(tool), ensure_ascii=False) for tool in found))

    return Tool(
        FIND_TOOL,
        f"Find more tools and how to call them. There are {len(rare)}: {join_names(rare)}.",
        object_schema({"query": {"type": "string"}}),
        call,
        effect=Effect.READS,
        progress_text="Looking for a tool: {query}",
    )


def build_call_tool(rare: Sequence[Tool]) -> Tool:
    """Return the tool that calls any deferred tool; its call is handled as a call of the tool that it names."""

    async def call(arguments: Arguments) -> ToolResult:
        raise ToolError(f"Unknown tool {arguments.get('name')!r}. Call one of: {join_names(rare)}.")

    return Tool(
        CALL_TOOL,
        "Call a tool that find_tool lists, with the arguments that it describes.",
        object_schema({"name": {"type": "string"}, "arguments": {"type": "object"}}),
        call,
        effect=Effect.READS,
    )


def resolve_call(call: ToolCall, tools: Sequence[Tool]) -> ToolCall:
    """Return the actual call: that of the deferred tool if it is called through ``call_tool``."""
    name, arguments = call.arguments.get("name"), call.arguments.get("arguments", {})
    if call.tool != CALL_TOOL or not any(tool.deferred and tool.name == name for tool in tools):
        return call
    if isinstance(arguments, str):
        arguments = parse_json(arguments)
    if not isinstance(arguments, dict):
        return replace(call, parse_error=f"The arguments of {name} must be an object, not {type(arguments).__name__}.")
    return replace(call, tool=str(name), arguments=arguments)


def parse_json(text: str) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found


def score_match(query: str, tool: Tool) -> float:
    """Return how well a tool matches a query, by shared words and similar names."""
    words, tool_words = set(WORD.findall(query.lower())), set(WORD.findall(f"{tool.name} {tool.description}".lower()))
    alike = SequenceMatcher(None, query.lower(), tool.name.lower()).ratio()
    return len(words & tool_words) + (alike if alike > MIN_SIMILARITY else 0)


def describe_tool(tool: Tool) -> dict[str, Json]:
    return {"name": tool.name, "description": tool.description, "arguments": dict(tool.parameters)}


def join_names(tools: Sequence[Tool]) -> str:
    """Return the tools' names, but not so many that they would take up too much of every request."""
    some = [tool.name for tool in tools[:20]]
    return ", ".join([*some, "..."] if len(tools) > len(some) else some)


def object_schema(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": [next(iter(properties))]}
