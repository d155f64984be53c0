"""Convert the records of a run to what a frontend shows: progress lines, and the answer as it streams in.

Live records and those of the log are treated alike. A log without the pieces of an answer contains the whole answer.
"""

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from openkoi_hookspecs import Record, Response, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..run_views import executor_roles
from .progress import Progress


@dataclass(frozen=True, slots=True)
class Line:
    """A finished line of progress."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of the model's answer, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerEnd:
    """The whole ``text`` of a response. It is an answer unless it calls tools or ended early."""

    text: str
    is_answer: bool


Shown: TypeAlias = Line | AnswerPiece | AnswerEnd


@dataclass(slots=True)
class RunDisplay:
    """Shows one run, of which ``progress`` keeps the report; ``streamed`` is the part of an answer that has arrived."""

    progress: Progress = field(default_factory=Progress)
    streamed: str = ""

    def show_record(self, record: Record) -> Iterator[Shown]:
        """Yield what a record adds; a record of another run adds nothing."""
        lines = self.progress.format_record(record)
        if record.run == self.progress.report.run:
            yield from self.show_answer(record)
        yield from map(Line, lines)

    def show_answer(self, record: Record) -> Iterator[Shown]:
        """Yield what a record adds to the answer."""
        match record.event:
            case events.ModelDelta(text=text):
                self.streamed += text
                yield AnswerPiece(text)
            case events.ModelResponse(role=role, response=response) if role in executor_roles(
                self.progress.report.view
            ):
                yield from self.end_answer(response)
            case events.ModelResponseBroken(role=role) if (
                role in executor_roles(self.progress.report.view) and self.streamed
            ):
                yield AnswerEnd(self.streamed, is_answer=False)
                self.streamed = ""

    def end_answer(self, response: Response) -> Iterator[Shown]:
        """Yield the rest of an answer that was not streamed, and its end."""
        text, streamed, self.streamed = response.text, self.streamed, ""
        rest = text.removeprefix(streamed) if text.startswith(streamed) else ""
        if rest:
            yield AnswerPiece(rest)
        if streamed or rest:
            yield AnswerEnd(text, is_answer=not response.calls)
