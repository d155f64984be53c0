"""How a run is shown: words, one JSON object, or a line an event. Knows records; computes nothing of its own."""

import json
import sys
from typing import TYPE_CHECKING

import click

from openkoi.progress import Progress, plural
from openkoi.redact import masked
from openkoi.transcript import write_line
from openkoi_hookspecs import Record

from .live import Live
from .tips import tip

if TYPE_CHECKING:
    from openkoi.assembly import Assembly


class Face:
    """Shows one run. ``show`` prints the result, ``afterwards`` says what came of it."""

    def __init__(self, koi: "Assembly") -> None:
        self.koi = koi
        self.progress = Progress()
        self.shown = False
        self.live = Live(sys.stderr)

    @property
    def status(self) -> int:
        """The exit status."""
        return self.progress.report.status

    def of(self, run: str) -> "Face":
        """The same face, for one run among others of its session."""
        self.progress.report.run = run
        return self

    def tell(self, record: Record) -> None:
        """Take one record."""
        for line in self.progress.lines(record):
            self.live.line(self.koi.redactor(line))
        if now := self.progress.activity(record):
            self.live.now(self.koi.redactor(now))

    def show(self) -> None:
        """Print the result."""
        self.live.stop()
        self.shown = True
        self.print_result()

    def print_result(self) -> None:
        """Print the result's words."""
        click.echo(self.koi.redactor(self.progress.report.text))

    def afterwards(self) -> None:
        """Say what came after the result."""

    def failed(self) -> bool:
        """Whether the run ended without a result, and that has been said."""
        return bool(self.progress.report.failed)

    def close(self) -> None:
        """Let the terminal go."""
        self.live.stop()

    def result(self) -> str:
        """The result as one JSON object."""
        report = self.progress.report
        transcript = str(self.koi.config.paths.sessions / report.segment) if report.segment else ""
        return json.dumps(masked(report.result(transcript), self.koi.redactor), ensure_ascii=False)


class Words(Face):
    """For people: progress on stderr, the last words on stdout."""

    def afterwards(self) -> None:
        """Say what was learned, and give a tip."""
        report = self.progress.report
        for text in self.koi.pending:
            self.live.line(self.koi.redactor(f"  ! {text}"))
        if report.learnings:
            self.live.line(f"  {plural(len(report.learnings), 'learning')} saved")
        if report.status == 0 and (text := tip(self.koi)):
            self.live.line(text)


class OneObject(Face):
    """For programs: one JSON object on stdout, also when the run failed."""

    def print_result(self) -> None:
        """Print the object."""
        click.echo(self.result())

    def failed(self) -> bool:
        """A run that failed has a result too."""
        if self.progress.report.failed and not self.shown:
            self.show()
        return super().failed()


class Events(OneObject):
    """For programs that watch: an event a line, the result last."""

    def tell(self, record: Record) -> None:
        """Print the record."""
        super().tell(record)
        click.echo(write_line(record, self.koi.redactor))


FACES: dict[str, type[Face]] = {"text": Words, "json": OneObject, "jsonl": Events}


def face_for(format: str, koi: "Assembly") -> Face:
    """The face that a format names."""
    return FACES[format](koi)
