"""Models behind one wire, in one dialect: one request out, one answer in. The formats are its neighbours'."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Self

from openkoi_hookspecs import Chunk, Model, Request
from openkoi_wire import Wire

from .catalogue import Defaults, models_of
from .dialect import Dialect


class Compatible:
    """A provider, whatever it was configured by.

    A vendor that names models ``author/model`` may be an ``author`` itself: its own models are listed, and can be asked
    for, by the second part alone.
    """

    def __init__(self, wire: Wire, dialect: Dialect, defaults: Defaults, author: str = "") -> None:
        self._wire = wire
        self._dialect = dialect
        self._defaults = defaults
        self._own = f"{author}/" if author else ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    async def models(self) -> Sequence[Model]:
        """List what the server offers, with what it says of each."""
        listed = models_of(await self._wire.get("/models"), self._defaults, self._wire.server)
        return [replace(model, name=model.name.removeprefix(self._own)) for model in listed]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer."""
        answer = self._dialect.answer(self._wire.server)
        name = request.model if "/" in request.model else self._own + request.model
        body = self._dialect.write(replace(request, model=name))
        async with aclosing(self._wire.stream(self._dialect.path, body, answer)) as chunks:
            async for chunk in chunks:
                yield chunk
        for chunk in answer.finish():
            yield chunk
