"""Write a request as the vendor reads it, without writing again what was written before.

What is steady comes first and the conversation after it, so that the beginning of each request is that of the one
before. Knows the format; knows no connection.
"""

import re
from collections.abc import Iterable, Mapping

from openkoi_hookspecs import Request, Tool
from openkoi_wire import Conversation, Serialised, written

from .door import resource
from .turns import Teller

FLAT = re.compile(r"(?!gemini)|gemini-[12]\b")  # Gemini 3 was the first that takes images inside of a tool's result


class Scribe:
    """Writes the requests of a provider. ``thoughts``: ask for what the model thinks, in its own summary."""

    def __init__(self, thoughts: bool = False) -> None:
        self._thoughts = thoughts
        self._tellers = {nested: Teller(nested=nested) for nested in (False, True)}
        self._stories = {nested: Conversation(teller.tell) for nested, teller in self._tellers.items()}
        self._tools: Serialised[Tool] = Serialised(written_tool)

    def write(self, request: Request) -> bytes:
        """Write a request; raises a KoiError when a tool call in it has no result."""
        return b"{" + b",".join(self._pieces(request)) + b"}"

    def write_counting(self, request: Request) -> bytes:
        """Write the question how many tokens a request is; raises a KoiError like ``write``."""
        named = b'"model":' + written_text(resource(request.model))
        return b'{"generateContentRequest":{' + b",".join((named, *self._pieces(request))) + b"}}"

    def _pieces(self, request: Request) -> Iterable[bytes]:
        nested = not FLAT.match(request.model.removeprefix("models/"))
        self._tellers[nested].follow(request.messages)
        messages = self._stories[nested].write(request.messages)
        system = [{"text": block} for block in request.system if block]
        if system:
            yield b'"systemInstruction":' + written({"parts": system})
        if request.tools:
            yield b'"tools":[{"functionDeclarations":[' + self._tools.join(request.tools) + b"]}]"
        yield b'"contents":[' + b",".join(messages) + b"]"
        if settings := self._settings(request):
            yield b'"generationConfig":' + written(settings)

    def _settings(self, request: Request) -> Mapping[str, object]:
        settings = {
            "maxOutputTokens": request.max_output,
            "temperature": request.temperature,
            "responseMimeType": None if request.schema is None else "application/json",
            "responseJsonSchema": None if request.schema is None else dict(request.schema),
            "thinkingConfig": {"includeThoughts": True} if self._thoughts else None,
        }
        return {key: value for key, value in settings.items() if value is not None}


def written_tool(tool: Tool) -> bytes:
    """Write what a model is told about a tool; its parameters as they are, whatever JSON Schema they are in."""
    return written({"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)})


def written_text(text: str) -> bytes:
    """Write one text as JSON."""
    return written({"": text})[4:-1]
