"""Describe what a fake model answers, in the terms of the contract."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY
from itertools import cycle
from typing import TypeAlias

from openkoi_hookspecs import Json, Reasoning, Text, ToolCall, Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

from .faults import NO_FAULT, ServerFault

AnswerPart: TypeAlias = Text | Reasoning | ToolCall
Words: TypeAlias = str | AnswerPart | Sequence[str | AnswerPart]

DEFAULT_USAGE = Usage(input=9, output=5, cache_read=3)


@dataclass(frozen=True, slots=True)
class Say:
    """Describe one answer.

    ``usage`` may be None or invalid, ``finish`` any word of the vendor's, ``delta`` characters a piece. ``whole``: it
    comes in one piece although a stream was asked for. ``endless``: what streams in pieces is repeated forever,
    whatever length was asked for.
    """

    words: Words = ""
    _: KW_ONLY
    usage: "Usage | Json" = DEFAULT_USAGE
    finish: str = ""
    delta: int = 4
    whole: bool = False
    endless: bool = False
    fault: ServerFault = NO_FAULT

    @property
    def parts(self) -> tuple[AnswerPart, ...]:
        """The parts of the answer in order."""
        words = [self.words] if isinstance(self.words, str | AnswerPart) else self.words
        return tuple(Text(part) if isinstance(part, str) else part for part in words)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that are called."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def text(self) -> str:
        """The text alone."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def thoughts(self) -> str:
        """The thoughts alone."""
        return "".join(part.text for part in self.parts if isinstance(part, Reasoning))

    def pieces(self, text: str) -> Iterable[str]:
        """Return the pieces in which a text is streamed."""
        found = [text[start : start + self.delta] for start in range(0, len(text), self.delta)]
        return cycle(found) if self.endless else found


def to_answer(answer: "Say | Words") -> Say:
    """Return an answer with these words."""
    return answer if isinstance(answer, Say) else Say(answer)
