"""How a run is shown: words, one JSON object, or a line an event. Knows records; computes nothing of its own."""

import json
import sys
from typing import TYPE_CHECKING

import click
from openkoi_hookspecs import Record

from openkoi.progress import Progress, plural
from openkoi.transcript import write_line

from .live import Live
from .tips import tip

if TYPE_CHECKING:
    from openkoi.assembly import Assembly


class Face:
    """Shows one run. ``show`` prints the result, ``close`` what is left to say."""

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

    def show(self) -> None:
        """Print the result."""
        self.live.stop()
        self.shown = True
        self.print_result()

    def print_result(self) -> None:
        """Print the result's words."""
        click.echo(self.koi.redactor(self.progress.report.text))

    def close(self) -> bool:
        """Say what is left to say; tells whether an error still has to be shown."""
        self.live.stop()
        return not self.shown

    def result(self) -> str:
        """The result as one JSON object."""
        report = self.progress.report
        transcript = str(self.koi.config.paths.sessions / report.segment) if report.segment else ""
        return self.koi.redactor(json.dumps(report.result(transcript), ensure_ascii=False))


class Words(Face):
    """For people: progress on stderr, the last words on stdout."""

    def close(self) -> bool:
        """Say what was learned, and give a tip."""
        report = self.progress.report
        if self.shown and report.learnings:
            self.live.line(f"  {plural(len(report.learnings), 'learning')} saved")
        if self.shown and report.status == 0 and (text := tip(self.koi)):
            self.live.line(text)
        return super().close()


class OneObject(Face):
    """For programs: one JSON object on stdout, also when the run failed."""

    def print_result(self) -> None:
        """Print the object."""
        click.echo(self.result())

    def close(self) -> bool:
        """A run that failed has a result too."""
        if not self.shown and self.progress.report.failed:
            self.print_result()
        return super().close()


class Events(OneObject):
    """For programs that watch: an event a line, the result last."""

    def tell(self, record: Record) -> None:
        """Print the record."""
        super().tell(record)
        click.echo(self.koi.redactor(write_line(record)))


FACES: dict[str, type[Face]] = {"text": Words, "json": OneObject, "jsonl": Events}


def face_for(format: str, koi: "Assembly") -> Face:
    """The face that a format names."""
    return FACES[format](koi)
