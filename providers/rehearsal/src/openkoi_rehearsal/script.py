"""What a script is made of: turns, when each fits, what goes wrong on purpose. Knows no files and no prompts."""

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import TypeAlias

from openkoi_hookspecs import FinishReason, Price, Reasoning, Text, ToolCall, Usage

CONTEXT = 128_000
OUTPUT = 8_192
FREE = Price(0.0, 0.0)

Said: TypeAlias = Text | Reasoning | ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What a request has to look like for a turn to fit; what is left out fits any.

    ``contains`` is looked for in the whole prompt, ``last`` in the newest message; ``after`` counts the assistant's
    turns so far in this conversation; ``tools`` says whether tools are offered, which judges do not do; ``images``
    counts the images in the whole prompt.
    """

    contains: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    after: int | None = None
    tools: bool | None = None
    images: int | None = None

    def __str__(self) -> str:
        told = [f"contains {text!r}" for text in self.contains] + [f"last {text!r}" for text in self.last]
        told += [] if self.after is None else [f"after {self.after}"]
        told += [] if self.tools is None else [f"tools {str(self.tools).lower()}"]
        told += [] if self.images is None else [f"images {self.images}"]
        return ", ".join(told) or "always"


class Mishap(StrEnum):
    """How a turn goes wrong once its words are said; ``cut`` is a stream that ends without a word of why."""

    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong on purpose, so that tests can see what happens then."""

    mishap: Mishap
    text: str = ""
    _: KW_ONLY
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer. Calls without an id are given one; usage and stop, when left out, are worked out from the rest."""

    parts: tuple[Said, ...] = ()
    _: KW_ONLY
    when: When = When()
    usage: Usage | None = None
    stop: FinishReason | None = None
    fails: Fault | None = None
    delay: float = 0.0
    repeat: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A model's whole part, and what the model pretends to be. ``file`` is where it was read."""

    turns: tuple[Turn, ...]
    file: str = ""
    context: int = CONTEXT
    output: int = OUTPUT
    price: Price = FREE
    can: tuple[str, ...] = ()
