"""Define the parts of a script: turns, their conditions, deliberate failures."""

from dataclasses import KW_ONLY
from enum import StrEnum
from typing import TypeAlias

from openkoi_hookspecs import FinishReason, Price, Reasoning, Text, ToolCall, Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

DEFAULT_CONTEXT_TOKENS = 128_000
DEFAULT_OUTPUT_TOKENS = 8_192
FREE = Price(0.0, 0.0)

ScriptedPart: TypeAlias = Text | Reasoning | ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCondition:
    """The conditions of a turn; an omitted one matches any request.

    ``contains`` is looked for in the whole prompt, ``last`` in the newest message; ``after`` counts the assistant's
    turns so far in this conversation; ``tools`` says whether tools are offered, which judges never do; ``images``
    counts the images in the whole prompt.
    """

    contains: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    after: int | None = None
    tools: bool | None = None
    images: int | None = None

    def __str__(self) -> str:
        conditions = [f"contains {text!r}" for text in self.contains] + [f"last {text!r}" for text in self.last]
        conditions += [] if self.after is None else [f"after {self.after}"]
        conditions += [] if self.tools is None else [f"tools {str(self.tools).lower()}"]
        conditions += [] if self.images is None else [f"images {self.images}"]
        return ", ".join(conditions) or "always"


class ScriptedFailureKind(StrEnum):
    """How a turn fails after its content; ``cut`` ends the stream without an error."""

    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class ScriptedFailure:
    """A deliberate failure."""

    kind: ScriptedFailureKind
    text: str = ""
    _: KW_ONLY
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class ScriptedTurn:
    """A scripted response; missing call ids, usage and finish reason are derived."""

    parts: tuple[ScriptedPart, ...] = ()
    _: KW_ONLY
    when: TurnCondition = TurnCondition()
    usage: Usage | None = None
    stop: FinishReason | None = None
    fails: ScriptedFailure | None = None
    delay: float = 0.0
    repeat: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A sequence of turns and the properties of the model; ``file`` is its origin."""

    turns: tuple[ScriptedTurn, ...]
    file: str = ""
    context: int = DEFAULT_CONTEXT_TOKENS
    output: int = DEFAULT_OUTPUT_TOKENS
    price: Price = FREE
    can: tuple[str, ...] = ()
