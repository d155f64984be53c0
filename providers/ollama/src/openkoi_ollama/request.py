"""Write a request as Ollama reads it, without writing again what was written before. Knows the format; sends nothing.

What the model reads comes first, so that it stays the same from call to call; what may change comes last.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from openkoi_hookspecs import Image, Message, Request, Tool, ToolCall, ToolResult
from openkoi_wire import Conversation, Serialised, written

from .turns import Turn, turns
from .window import Size


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is to read, the beginning of a request, and how long it is."""

    written: bytes
    size: Size

    def asked(self, settings: Mapping[str, object]) -> bytes:
        """Complete the request with how it is to be answered."""
        return self.written + b"," + written(settings)[1:]


class Scribe:
    """Writes the requests of a provider."""

    def __init__(self) -> None:
        self._before: dict[int, Message] = {}
        self._story = Conversation(self._tell)
        self._tools: Serialised[Tool] = Serialised(written_tool)

    def prompt(self, request: Request) -> Prompt:
        """Write what is to be read; raises a KoiError when a tool call in it has no result."""
        self._before = {id(after): before for before, after in pairwise(request.messages)}
        messages = b",".join(filter(None, (written_system(request), *self._story.write(request.messages))))
        parts = [written({"model": request.model})[:-1]]
        if request.tools:
            parts += [b',"tools":[', self._tools.join(request.tools), b"]"]
        text = b"".join((*parts, b',"messages":[', messages, b"]"))
        pictures = list(picture_sizes(request))
        return Prompt(text, Size(len(text) - sum(pictures), len(pictures)))

    def _tell(self, message: Message) -> Iterator[Turn]:
        before = self._before.get(id(message))
        asked = before.parts if before else ()
        return turns(message, {part.id: part.tool for part in asked if isinstance(part, ToolCall)})


def settings(request: Request, *, window: int, answer: int, think: bool | None) -> Mapping[str, object]:
    """Say how a request is to be answered. A server that knows the words refuses what does not fit and cuts nothing."""
    options = {"num_ctx": window, "num_predict": answer, "temperature": request.temperature}
    said = {
        "format": None if request.schema is None else dict(request.schema),
        "think": think,
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {key: value for key, value in options.items() if value is not None},
    }
    return {key: value for key, value in said.items() if value is not None}


def picture_sizes(request: Request) -> Iterator[int]:
    """How many bytes each picture takes as it is written."""
    for part in (part for message in request.messages for part in message.parts):
        for one in part.parts if isinstance(part, ToolResult) else (part,):
            if isinstance(one, Image):
                yield (one.size + 2) // 3 * 4


def written_system(request: Request) -> bytes:
    """Write the system's blocks as one message: many a template takes no second one."""
    text = "\n\n".join(block for block in request.system if block)
    return written({"role": "system", "content": text}) if text else b""


def written_tool(tool: Tool) -> bytes:
    """Write what a model is told about a tool."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return written({"type": "function", "function": function})
