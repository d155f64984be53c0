"""The models of a plugin: each answer arrives whole, because a module is called once for it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from openkoi_base.plain_facts import from_plain, to_plain
from openkoi_hookspecs import (
    Chunk,
    FinishReason,
    KoiError,
    Model,
    Request,
    RequestRejectedError,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
)

from .approval import explain_unused
from .plugin import Adapter


class WasmProvider(Adapter):
    """Answers requests by a module."""

    async def models(self) -> Sequence[Model]:
        """List the models that the manifest declares."""
        return self.plugin.manifest.models

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Yield the answer; raise RequestRejectedError if the module fails."""
        plugin = self.plugin
        if not plugin.consent.is_given:
            raise RequestRejectedError(explain_unused(plugin.manifest.name, plugin.koi))
        try:
            found = await plugin.call("chat", {"request": request_to_json(request)}, None)
            chunks = [*read_chunks(found)]
        except KoiError as error:
            raise RequestRejectedError(str(error)) from None
        for chunk in chunks:
            yield chunk


def request_to_json(request: Request) -> Mapping[str, Any]:
    """Return a request with its tools as they are described to models."""
    plain = {name: getattr(request, name) for name in ("messages", "model", "system", "max_output", "temperature")}
    return {
        **{name: to_plain(value) for name, value in plain.items()},
        "schema": request.schema,
        "tools": [to_plain(one) for one in request.tools],
    }


def read_chunks(found: Any) -> list[Chunk]:
    """Return an answer as it is streamed: ``text``, ``calls`` of tools, and ``usage``."""
    if not isinstance(found, Mapping) or not isinstance(found.get("text", ""), str):
        raise KoiError('A provider must return {"text": "...", "calls": [...], "usage": {...}}.')
    calls = [from_plain(one, ToolCall) for one in found.get("calls") or ()]
    end = StreamEnd(from_plain(found.get("usage") or {}, Usage), FinishReason.TOOLS if calls else FinishReason.END)
    text = [Text(found["text"])] if found.get("text") else []
    return [*text, *calls, end]
