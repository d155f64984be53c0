"""Models: requests, messages, responses and their usage."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, field
from enum import StrEnum
from typing import Self, TypeAlias

from .content import File, Image, Text
from .lazy_dataclass import dataclass
from .price import Price, Usage
from .tool import Arguments, Tool, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The model's reasoning.

    ``signature`` is the vendor's opaque proof, returned unchanged on the next turn. ``model`` is the ``provider/model``
    that produced it; the kernel sets it, and sends it to no other model.
    """

    text: str
    signature: str = ""
    model: str = ""


Part: TypeAlias = Text | Reasoning | Image | File | ToolCall | ToolResult


class Role(StrEnum):
    """The author of a message. Tool results belong to the user's side."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. Each tool call of an assistant's turn has exactly one result in the turn after it."""

    role: Role
    parts: tuple[Part, ...]

    @classmethod
    def user(cls, *parts: Part | str) -> Self:
        """Return a message from the user's side; bare strings are text."""
        return cls(Role.USER, tuple(Text(part) if isinstance(part, str) else part for part in parts))


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a provider offers. ``price`` is None if it is unknown, which does not mean free.

    ``edit`` is how it edits files best: ``replace`` (search and replace), ``whole`` (whole files), or unknown. ``can``
    lists what it supports besides text: tools, images, thinking, schema, cache; empty if that is unknown.
    """

    name: str
    _: KW_ONLY
    context: int
    output: int
    price: Price | None = None
    edit: str = ""
    can: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderInfo:
    """A provider that can be chosen: its default model, and the variable for its key."""

    provider: str
    model: str
    _: KW_ONLY
    variable: str = ""
    title: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class DiscoveredProvider:
    """A provider that was found on this machine, and not configured.

    ``origin`` is shown to the user: ``from Claude CLI``, ``local``. ``consent`` is what the user is asked, once, before
    the key of another program is used.
    """

    provider: str
    model: str
    origin: str
    _: KW_ONLY
    key: str = field(default="", repr=False)
    consent: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One model call.

    ``model`` is a role (executor, evaluator, planner, small) or ``provider/model``; a provider gets the bare name.
    ``system`` is a list of blocks, the most stable first, and messages are only ever added: a provider that can cache
    marks the end of each block and of the last message.
    """

    messages: Sequence[Message]
    _: KW_ONLY
    model: str = "executor"
    system: Sequence[str] = ()
    tools: Sequence[Tool] = ()
    schema: Arguments | None = None
    max_output: int | None = None
    temperature: float | None = None


class FinishReason(StrEnum):
    """Why a model stopped."""

    END = "end"
    TOOLS = "tools"
    LENGTH = "length"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The last chunk of an answer. An answer without it was cut off, and is not acted on."""

    usage: Usage
    stop: FinishReason = FinishReason.END


@dataclass(frozen=True, slots=True)
class Buffered:
    """The number of characters received of an incomplete part: a tool call's arguments, which are yielded at the end.

    Yield it as they arrive, so that a response that exceeds its limit is cut off in time. Not part of the reply.
    """

    length: int


@dataclass(frozen=True, slots=True)
class Embedding:
    """One vector for each text, and what it cost."""

    vectors: Sequence[Sequence[float]]
    usage: Usage = Usage()


Chunk: TypeAlias = Text | Reasoning | ToolCall | Buffered | StreamEnd


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer."""

    parts: tuple[Part, ...]
    done: StreamEnd

    @property
    def text(self) -> str:
        """The text without other parts."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in it."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))
