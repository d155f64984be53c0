"""Events of model calls: request, response, fallback, cost. Part of the catalogue ``events``."""

from dataclasses import KW_ONLY
from typing import TypeAlias

from .events_base import Event
from .lazy_dataclass import dataclass
from .model import Response
from .price import Usage


@dataclass(frozen=True, slots=True)
class ModelDelta(Event):
    """A piece of an answer as it streams in."""

    name = "model.delta"
    durable = False
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest(Event):
    """A model is called: the request, and what is charged if no answer is ever recorded.

    ``reserved_usd`` is in dollars. Written before the request is sent, and again under the same ``lease`` while the
    answer grows, or with no cost if the request failed. A complete answer says which lease it ends.
    """

    name = "model.request"
    durable = False
    model: str
    reserved: Usage
    reserved_usd: float
    _: KW_ONLY
    role: str = "executor"
    lease: str = ""


@dataclass(frozen=True, slots=True)
class ModelResponse(Event):
    """A model call is complete, and charged.

    ``role`` is the role it was called for: executor, evaluator, small. ``messages`` is how long the conversation was,
    so that a resumed run knows which of its requests this answers.
    """

    name = "model.response"
    batched = True
    model: str
    response: Response
    usd: float
    _: KW_ONLY
    role: str = "executor"
    milliseconds: int = 0
    messages: int = 0
    lease: str = ""

    @property
    def usage(self) -> Usage:
        """The tokens, as the vendor counted them."""
        return self.response.done.usage


@dataclass(frozen=True, slots=True)
class ModelResponseBroken(Event):
    """An incomplete answer: its tokens are estimated and charged, and its content is discarded."""

    name = "model.broken"
    model: str
    usage: Usage
    usd: float
    _: KW_ONLY
    role: str = "executor"
    lease: str = ""


@dataclass(frozen=True, slots=True)
class ModelFallback(Event):
    """A model did not answer, so its fallback is called: the next one in its role's chain."""

    name = "model.switch"
    role: str
    model: str
    to: str
    reason: str


Paid: TypeAlias = ModelResponse | ModelResponseBroken
