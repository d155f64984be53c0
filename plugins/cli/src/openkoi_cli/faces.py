"""How a run is shown: words, one JSON object, or a line an event. Knows records; computes nothing of its own."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from openkoi_hookspecs import KoiError, Record, events
from openkoi_log import masked, redacted, write_line
from openkoi_report import Progress, RunReport, dollars, plural, saved_text, tokens_text
from openkoi_settings import keys

from .errors import sentence
from .invocation import Invocation
from .live import Live
from .streams import kept_stdout
from .tips import tip

if TYPE_CHECKING:
    from openkoi.app import App


class Face:
    """Shows one run: its records as they come, its result, and its end, however it came."""

    def __init__(self, invocation: Invocation, out: TextIO) -> None:
        self.invocation = invocation
        self.explains = False
        self.out = out
        self.progress = Progress(verbose=invocation.verbose)
        self.live = Live(sys.stderr)

    @property
    def report(self) -> RunReport:
        """What the run came to so far."""
        return self.progress.report

    @property
    def koi(self) -> "App":
        """The OpenKoi that it shows."""
        assert self.invocation.koi is not None
        return self.invocation.koi

    def changes(self, diff: str) -> None:
        """Show what a dry run would have changed."""

    def tell(self, record: Record) -> None:
        """Take one record."""
        record = redacted(record, self.koi.services.redactor)
        self.make_room(record)
        for line in self.progress.lines(record):
            self.live.line(self.invocation.redact(line))
        if now := self.progress.activity(record):
            self.live.now(self.invocation.redact(now))

    def make_room(self, record: Record) -> None:
        """Let nothing move while a person is asked."""
        match record.event:
            case events.QuestionAsked(id=id):
                self.live.asks(id)
            case events.QuestionAnswered(id=id):
                self.live.heard(id)

    def show(self) -> None:
        """The result is there; what comes after it is not worth waiting for."""
        self.live.stop()

    def afterwards(self, koi: "App") -> None:
        """All that comes after a result is done; say why it is as it is to who wants to know."""
        from openkoi_report import why_lines

        for line in why_lines(self.report) if self.explains else ():
            self.live.line(koi.services.redactor(line))

    def end(self, reason: str = "") -> None:
        """Nothing comes any more; ``reason`` is what ended it, if no record says so."""
        self.live.stop()

    def print(self, text: str) -> None:
        """Print a line on stdout. That nobody reads it is no error; that it cannot be written is one."""
        try:
            with suppress(BrokenPipeError):
                print(text, file=self.out, flush=True)
        except OSError as error:
            raise KoiError(f"The result cannot be written to standard output: {error.strerror}.") from error


class Words(Face):
    """For people: progress on stderr, the last words on stdout."""

    def show(self) -> None:
        """Print the last words; a run that was not completed has none."""
        super().show()
        if self.report.completion:
            self.print(self.invocation.redact(self.report.text))

    def changes(self, diff: str) -> None:
        """Print it."""
        self.live.line("[dry run] nothing here was changed" + ("; this is what would be:" if diff else ""))
        if diff:
            self.print(self.invocation.redact(diff.rstrip("\n")))

    def afterwards(self, koi: "App") -> None:
        """Say what was learned, and give a tip."""
        for text in koi.services.warnings.texts:
            self.live.line(koi.services.redactor(f"  ! {text}"))
        if self.report.learnings:
            self.live.line(f"  {plural(len(self.report.learnings), 'learning')} saved")
        if any(self.report.saved_tokens.values()):
            self.live.line(f"  {saved_text(self.report.saved_tokens)}")
        if tokens := self.report.afterwards.usage.total:
            self.live.line(f"  Learning used {tokens_text(tokens)} more tokens, {dollars(self.report.afterwards.usd)}")
        super().afterwards(koi)
        if self.report.status == 0 and (text := tip(koi)):
            self.live.line(text)
        if self.live.stream.isatty() and koi.services.config[keys.CHECK_UPDATES]:
            from .release_notice import announce

            if text := announce(koi.services.config.paths.data):
                self.live.line(text)


class OneObject(Face):
    """For programs: one JSON object on stdout, whatever happened."""

    def end(self, reason: str = "") -> None:
        """Print the object."""
        super().end()
        self.report.failed = self.report.failed or reason
        result = self.report.result(self.transcript)
        self.print(json.dumps(masked(result, self.invocation.redact)))

    @property
    def transcript(self) -> str:
        """The file of the run's records; empty when there are none."""
        koi, segment = self.invocation.koi, self.report.segment
        return str(koi.services.config.paths.sessions / segment) if koi and segment else ""


class Events(OneObject):
    """For programs that watch: an event a line, the result last."""

    def tell(self, record: Record) -> None:
        """Print the record."""
        super().tell(record)
        self.print(write_line(record, self.invocation.redact))


FACES: dict[str, type[Face]] = {"text": Words, "json": OneObject, "jsonl": Events}


@contextmanager
def faced(format: str, invocation: Invocation) -> Iterator[Face]:
    """Lend the face that a format names; it has stdout for itself, and is told of every ending."""
    with kept_stdout() as out:
        face = FACES[format](invocation, out)
        try:
            yield face
        except BaseException as error:
            said = bool(face.report.failed)
            face.end(sentence(error))
            invocation.said = said
            raise
        face.end()
