"""Build requests for Ollama's chat API, reusing the bytes of unchanged parts.

The prompt comes first and settings last, so that each request starts with the bytes of the one before it.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from openkoi_hookspecs import Image, Message, Request, Tool, ToolCall, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_http import ConversationEncoder, ToolEncoder, encode_json

from .messages import Turn, encode_message
from .window import PromptSize


@dataclass(frozen=True, slots=True)
class EncodedPrompt:
    """The start of a request body, and the size of the prompt in it."""

    body: bytes
    size: PromptSize

    def complete(self, settings: Mapping[str, object]) -> bytes:
        """Return the request body with these settings."""
        return self.body + b"," + encode_json(settings)[1:]


class OllamaRequestBuilder:
    """Build the request bodies of one provider."""

    def __init__(self) -> None:
        self._before: dict[int, Message] = {}
        self._story = ConversationEncoder(self._encode_message)
        self._tools = ToolEncoder(encode_tool)

    def encode_prompt(self, request: Request) -> EncodedPrompt:
        """Encode the prompt of a request; raise KoiError when a tool call has no result."""
        self._before = {id(after): before for before, after in pairwise(request.messages)}
        messages = b",".join(filter(None, (encode_system(request), *self._story.encode(request.messages))))
        parts = [encode_json({"model": request.model})[:-1]]
        if request.tools:
            parts += [b',"tools":[', self._tools.join(request.tools), b"]"]
        text = b"".join((*parts, b',"messages":[', messages, b"]"))
        pictures = list(image_sizes(request))
        return EncodedPrompt(text, PromptSize(len(text) - sum(pictures), len(pictures)))

    def _encode_message(self, message: Message) -> Iterator[Turn]:
        before = self._before.get(id(message))
        asked = before.parts if before else ()
        return encode_message(message, {part.id: part.tool for part in asked if isinstance(part, ToolCall)})


def response_settings(request: Request, *, window: int, answer: int, think: bool | None) -> Mapping[str, object]:
    """Return the settings of a response; servers that support ``truncate`` and ``shift`` reject an overlong prompt."""
    options = {"num_ctx": window, "num_predict": answer, "temperature": request.temperature}
    fields = {
        "format": None if request.schema is None else dict(request.schema),
        "think": think,
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {key: value for key, value in options.items() if value is not None},
    }
    return {key: value for key, value in fields.items() if value is not None}


def image_sizes(request: Request) -> Iterator[int]:
    """Return how many bytes each image takes in the request."""
    for part in (part for message in request.messages for part in message.parts):
        for one in part.parts if isinstance(part, ToolResult) else (part,):
            if isinstance(one, Image):
                yield (one.size + 2) // 3 * 4


def encode_system(request: Request) -> bytes:
    """Encode the system blocks as one message, because many templates accept only one."""
    text = "\n\n".join(block for block in request.system if block)
    return encode_json({"role": "system", "content": text}) if text else b""


def encode_tool(tool: Tool) -> bytes:
    """Encode a tool definition."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return encode_json({"type": "function", "function": function})
