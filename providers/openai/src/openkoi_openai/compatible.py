"""A provider for any server with an OpenAI-compatible API."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Self

from openkoi_hookspecs import Chunk, Model, Request
from openkoi_http import ApiClient

from .api_choice import ApiFormat
from .model_list import OpenAIDefaults, parse_models


class Compatible:
    """A provider that uses one client and one API.

    On a vendor that names models ``author/model`` and is an ``author`` itself, its own models are listed and requested
    without
    the author.
    """

    def __init__(self, wire: ApiClient, dialect: ApiFormat, defaults: OpenAIDefaults, author: str = "") -> None:
        self._client = wire
        self._dialect = dialect
        self._defaults = defaults
        self._own = f"{author}/" if author else ""

    @property
    def media_types(self) -> Collection[str]:
        """The kinds of content it sends besides text."""
        return self._dialect.media_types

    async def __aenter__(self) -> Self:  # as ApiPlugin has it, which costs the start a class
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List the server's models."""
        listed = parse_models(await self._client.get("/models"), self._defaults, self._client.server)
        return [replace(model, name=model.name.removeprefix(self._own)) for model in listed]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one response."""
        answer = self._dialect.make_parser(self._client.server)
        name = request.model if "/" in request.model else self._own + request.model
        body = self._dialect.build(replace(request, model=name))
        async with aclosing(self._client.stream(self._dialect.path, body, answer)) as chunks:
            async for chunk in chunks:
                yield chunk
        for chunk in answer.finish():
            yield chunk
