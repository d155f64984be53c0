"""Write a request as Converse reads it, without writing again what was written before.

Knows the format; knows no connection.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from openkoi_hookspecs import Arguments, Request, Tool, ToolCall
from openkoi_wire import Conversation, Serialised, as_name, written

from .caching import POINT, Caching, marked, marks_for
from .shape import ANSWER, by_tool, output_config, tool_choice
from .turns import turns

USER = b'{"role":"user","content":['
ASSISTANT = b'{"role":"assistant","content":['
TAIL = b"]}"
NESTING = re.compile(r"anthropic\.|amazon\.nova")  # the models that take images inside of a tool's result


class Scribe:
    """Writes the requests of a provider."""

    def __init__(self, caching: Caching = "auto") -> None:
        self._caching = caching
        self._stories = {nested: Conversation(partial(turns, nested=nested)) for nested in (False, True)}
        self._tools: Serialised[Tool] = Serialised(written_tool)

    def write(self, request: Request) -> bytes:
        """Write a request, the steadiest first; raises a KoiError when a tool call in it has no result."""
        marks = marks_for(request.model, self._caching)
        story = marked(
            list(merged(self._stories[bool(NESTING.search(request.model))].write(request.messages))), marks, USER
        )
        fields = [
            (b"system", listed(written_system(request), marks.system)),
            (b"toolConfig", self._tool_config(request, marks.tools)),
            (b"messages", b"[" + b",".join(story) + b"]"),
            *settings(request),
        ]
        return b"{" + b",".join(b'"' + name + b'":' + value for name, value in fields if value) + b"}"

    def _tool_config(self, request: Request, mark: bool) -> bytes:
        """Write the tools, and the answer's own after the mark; nothing when there are none."""
        offered = self._tools.join(request.tools) or b",".join(map(written, mentioned(request)))
        if request.schema is None or not by_tool(request):
            return b'{"tools":' + listed(offered, mark) + b"}" if offered else b""
        answering = written(specified(ANSWER, "Give the answer, whole and once.", request.schema))
        tools = b",".join(filter(None, (listed(offered, mark)[1:-1], answering)))
        return b'{"tools":[' + tools + b'],"toolChoice":' + written(tool_choice(request)) + b"}"


def merged(turns: Sequence[bytes]) -> Iterator[bytes]:
    """Join turns of one speaker that follow each other: Converse wants them to alternate."""
    for head, group in groupby(turns, key=lambda turn: USER if turn.startswith(USER) else ASSISTANT):
        yield head + b",".join(turn[len(head) : -len(TAIL)] for turn in group) + TAIL


def listed(items: bytes, mark: bool) -> bytes:
    """Write an array of what is written, with the mark of the cache at its end; nothing when it is empty."""
    if not items:
        return b""
    return b"[" + items + (b"," + POINT if mark else b"") + b"]"


def settings(request: Request) -> Iterator[tuple[bytes, bytes]]:
    """Write what is set for one answer."""
    longest = {} if request.max_output is None else {"maxTokens": max(request.max_output, 1)}
    warmth = {} if request.temperature is None else {"temperature": min(request.temperature, 1.0)}
    if longest or warmth:
        yield b"inferenceConfig", written({**longest, **warmth})
    if request.schema is not None and not by_tool(request):
        yield b"outputConfig", written(output_config(request.schema))


def written_system(request: Request) -> bytes:
    """Write the system's blocks; blank ones are refused."""
    return b",".join(written({"text": block}) for block in request.system if block.strip())


def written_tool(tool: Tool) -> bytes:
    """Write what a model is told about a tool."""
    return written(specified(tool.name, tool.description, tool.parameters))


def specified(name: str, description: str, parameters: Arguments) -> Mapping[str, object]:
    """Tell of a tool; a blank description is refused."""
    described = {"description": description} if description.strip() else {}
    return {"toolSpec": {"name": name, **described, "inputSchema": {"json": dict(parameters)}}}


def mentioned(request: Request) -> Iterator[Mapping[str, object]]:
    """Tell of the tools that were called before: Converse wants to know them, although none is offered now."""
    parts = (part for message in request.messages for part in message.parts)
    for name in dict.fromkeys(as_name(part.tool) for part in parts if isinstance(part, ToolCall)):
        yield specified(name, "Was offered before; do not call it now.", {"type": "object"})
