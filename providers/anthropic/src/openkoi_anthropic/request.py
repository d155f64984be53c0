"""Write a request as the Messages API reads it, without writing again what was written before.

What is steady stands first (tools, system, messages) and what may differ from call to call stands last, so that the
bytes of one request, up to the end of its messages, begin the next one. Knows the format; knows no connection.
"""

import re
from collections.abc import Mapping, Sequence

from openkoi_hookspecs import Message, Request, Tool
from openkoi_wire import Conversation, Serialised, written

from .shape import held_to
from .thinking import Thinking, thinking_for
from .turns import MARK, marked, marked_turns, text, turns

TAKES_TEMPERATURE = re.compile(r"claude-(?:3|haiku-4|sonnet-4|opus-4-(?:[015]\b|20))")
HOTTEST = 1.0


class Scribe:
    """Writes the requests of a provider.

    Four marks say what is cached: after the first block of the system, or the tools where there is but one; after the
    last block; after the first message, which is the task; and one that the vendor moves along with the last message.
    """

    def __init__(self, thinking: Thinking = "off") -> None:
        self._thinking = thinking
        self._story = Conversation(turns)
        self._openings: Serialised[Message] = Serialised(written_opening)
        self._tools: Serialised[Tool] = Serialised(lambda tool: written(described(tool)))
        self._last_tools: Serialised[Tool] = Serialised(lambda tool: written(marked(described(tool))))

    def write(self, request: Request, output: int) -> bytes:
        """Write a request; ``output`` is the longest answer when it does not say.

        Raises a KoiError when a tool call in it has no result.
        """
        limit = request.max_output or output
        thinking = thinking_for(request, self._thinking, limit)
        settings = {
            "max_tokens": limit,
            "stream": True,
            "thinking": thinking,
            "temperature": None if thinking else temperature(request),
        }
        return self._written(request, settings)

    def write_to_count(self, request: Request, output: int) -> bytes:
        """Write a request that is to be counted, not answered."""
        thinking = thinking_for(request, self._thinking, request.max_output or output)
        return self._written(request, {"thinking": thinking})

    def _written(self, request: Request, settings: Mapping[str, object]) -> bytes:
        system = [block for block in request.system if block.strip()]
        shape = {"format": {"type": "json_schema", "schema": held_to(request.schema)}} if request.schema else None
        last = {**settings, "output_config": shape, "cache_control": MARK}
        lists = {
            "tools": self._written_tools(request.tools, mark=len(system) < 2),
            "system": b",".join(written_system(system)),
            "messages": b",".join(self._written_messages(request.messages)),
        }
        parts = [b'"%s":[%s]' % (name.encode(), inside) for name, inside in lists.items() if inside]
        tail = written({key: value for key, value in last.items() if value is not None})[1:]
        return b",".join((written({"model": request.model})[:-1], *parts, tail))

    def _written_tools(self, tools: Sequence[Tool], mark: bool) -> bytes:
        if not mark:
            return self._tools.join(tools)
        return b",".join(filter(None, (self._tools.join(tools[:-1]), self._last_tools.join(tools[-1:]))))

    def _written_messages(self, messages: Sequence[Message]) -> Sequence[bytes]:
        told = self._story.write(messages)
        opening = self._openings.join(messages[:1])
        return [opening, *told[1:]] if opening else told


def written_opening(message: Message) -> bytes:
    """Write the first message, marked."""
    return b",".join(map(written, marked_turns(message)))


def written_system(blocks: Sequence[str]) -> list[bytes]:
    """Write the system's blocks; the first and the last are marked."""
    ends = {0, len(blocks) - 1}
    told = [text(block) for block in blocks]
    return [written(marked(block) if place in ends else block) for place, block in enumerate(told)]


def described(tool: Tool) -> Mapping[str, object]:
    """Tell what a model is told about a tool."""
    words = {"description": tool.description} if tool.description.strip() else {}
    return {"name": tool.name, **words, "input_schema": {"type": "object", **tool.parameters}}


def temperature(request: Request) -> float | None:
    """Return the temperature where it may be set: the vendor's newer models refuse any."""
    if request.temperature is None or ("claude" in request.model and not TAKES_TEMPERATURE.search(request.model)):
        return None
    return min(request.temperature, HOTTEST)
