"""A provider that replays the responses of a recorded task, as long as the requests are the same."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from typing import Protocol

from openkoi_hookspecs import (
    Chunk,
    Model,
    Price,
    Provider,
    Request,
    RequestRejectedError,
    Response,
    StreamEnd,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

TIMES = lazy_pattern(r"milliseconds=\d+")  # of tool results, which no model sees
NOT_RECORDED = "The request differs from the recorded ones."
NO_PRICE = Price(0.0, 0.0)


class Models(Protocol):
    """The part of the configured OpenKoi that is used here; its providers have the user's keys."""

    async def load(self, kind: str, name: str) -> object:
        """Load a plugin."""

    async def describe_model(self, name: str) -> Model:
        """Return what is known about a model."""


@dataclass(slots=True)
class Recording:
    """The responses of a recorded task. ``models`` are the original models of the roles, as ``provider/model``.

    The first replay uses them in order, and its requests become the recorded ones: everything except the plugins is the
    same in all replays. ``may_call`` allows calling the real models for other requests; their responses are recorded as
    well.
    """

    models: Mapping[str, str]
    responses: list[events.ModelResponse]
    koi: Models
    may_call: bool = False
    is_first: bool = True
    known: dict[str, Response] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)
    usd: float = 0.0

    async def answer(self, request: Request) -> Response:
        """Return the response to a request; raise RequestRejectedError if a model would have to be called."""
        role, _, model = request.model.partition("/")
        digest = digest_of(request)
        if self.is_first and digest not in self.known and (recorded := self.pop_recorded(role, request)):
            self.known[digest] = recorded
        if digest not in self.known:
            self.differing.append(role)
            if not self.may_call:
                raise RequestRejectedError(NOT_RECORDED)
            self.known[digest] = await self.call_model(request, model)
        return self.known[digest]

    def pop_recorded(self, role: str, request: Request) -> Response | None:
        """Return the next response to this role at this length of the conversation, and remove it."""
        length = len(request.messages)
        for place, one in enumerate(self.responses):
            if one.role == role and one.messages in (0, length):
                return self.responses.pop(place).response
        return None

    async def call_model(self, request: Request, model: str) -> Response:
        """Call the real model of a role, and count what it costs."""
        provider, _, name = model.partition("/")
        chat = cast_provider(await self.koi.load("providers", provider)).chat
        chunks = [chunk async for chunk in chat(replace(request, model=name))]
        response = join_chunks(chunks)
        price = (await self.koi.describe_model(model)).price or NO_PRICE
        self.usd += price.cost(response.done.usage)
        return response


def cast_provider(plugin: object) -> Provider:
    provider: Provider = plugin  # type: ignore[assignment]  # the kernel has checked its methods
    return provider


class RecordedProvider:
    """The models ``ROLE/PROVIDER/MODEL`` of a recording, which ``openkoi bisect`` passes as a setting."""

    def __init__(self, *, recording: Recording) -> None:
        self.recording = recording

    async def models(self) -> Sequence[Model]:
        """List no models: each is described by its name."""
        return []

    async def describe(self, name: str) -> Model:
        """Return the recorded model of a role, with the name that this provider gives it."""
        return replace(await self.recording.koi.describe_model(name.partition("/")[2]), name=name)

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Yield the recorded response."""
        response = await self.recording.answer(request)
        for part in response.parts:
            yield part  # type: ignore[misc]  # a model's response has no other parts
        yield response.done


def digest_of(request: Request) -> str:
    """Return the digest of everything in a request that a model sees."""
    tools = [(one.name, one.description, one.parameters) for one in request.tools]
    rest = (request.model, request.system, request.schema, request.max_output, request.temperature)
    messages = TIMES.sub("", repr(request.messages))
    text = json.dumps([rest, tools], default=repr, sort_keys=True) + messages
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def join_chunks(chunks: Sequence[Chunk]) -> Response:
    """Return the whole response of a stream, with neighbouring texts joined."""
    from openkoi_hookspecs import Text

    parts: list[Chunk] = []
    for chunk in chunks:
        if isinstance(chunk, Text) and parts and isinstance(parts[-1], Text):
            parts[-1] = Text(parts[-1].text + chunk.text)
        elif not isinstance(chunk, StreamEnd) and not hasattr(chunk, "length"):
            parts.append(chunk)
    end = next((one for one in chunks if isinstance(one, StreamEnd)), None)
    if end is None:
        raise RequestRejectedError("The answer ended early.")
    return Response(tuple(parts), end)  # type: ignore[arg-type]  # what is left are parts
