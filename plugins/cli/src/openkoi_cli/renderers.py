"""How a run is shown: words, one JSON object, or a line an event. Knows records; computes nothing of its own."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import KoiError, Record, events
from openkoi_report import Progress, RunReport, format_count, format_dollars, format_savings, format_tokens
from openkoi_runlog import masked, redacted, write_line
from openkoi_settings import keys

from .errors import sentence
from .invocation import Invocation, read_setting
from .live import Live
from .streams import kept_stdout
from .tips import tip

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, OpenedKoi


class Renderer:
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
    def koi(self) -> "OpenedKoi":
        """The OpenKoi that it shows."""
        assert self.invocation.koi is not None
        return self.invocation.koi

    def changes(self, diff: str) -> None:
        """Show what a dry run would have changed."""

    def tell(self, record: Record) -> None:
        """Take one record."""
        record = redacted(record, current_redactor())
        self.make_room(record)
        for line in self.progress.format_record(record):
            self.live.line(self.invocation.redact(line))
        if now := self.progress.describe_activity(record):
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

    def afterwards(self, koi: "Koi") -> None:
        """All that comes after a result is done; say why it is as it is to who wants to know."""
        from openkoi_report import explain_run

        for line in explain_run(self.report) if self.explains else ():
            self.live.line(koi.redact(line))

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


class TextRenderer(Renderer):
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

    def afterwards(self, koi: "Koi") -> None:
        """Say what was learned, and give a tip."""
        for text in koi.warnings():
            self.live.line(koi.redact(f"  ! {text}"))
        if self.report.learnings:
            self.live.line(f"  {format_count(len(self.report.learnings), 'learning')} saved")
        if any(self.report.saved_tokens.values()):
            self.live.line(f"  {format_savings(self.report.saved_tokens)}")
        if tokens := self.report.after_result.usage.total:
            self.live.line(
                f"  Learning used {format_tokens(tokens)} more tokens, {format_dollars(self.report.after_result.usd)}"
            )
        super().afterwards(koi)
        if self.report.status == 0 and (text := tip(self.invocation.paths.sessions)):
            self.live.line(text)
        if self.live.stream.isatty() and read_setting(koi, keys.CHECK_UPDATES):
            from .release_notice import announce

            if text := announce(self.invocation.paths.data):
                self.live.line(text)


class JsonRenderer(Renderer):
    """For programs: one JSON object on stdout, whatever happened."""

    def end(self, reason: str = "") -> None:
        """Print the object."""
        super().end()
        self.report.failed = self.report.failed or reason
        result = self.report.build_result(self.transcript)
        self.print(json.dumps(masked(result, self.invocation.redact)))

    @property
    def transcript(self) -> str:
        """The file of the run's records; empty when there are none."""
        segment = self.report.segment
        return str(self.invocation.paths.sessions / segment) if segment else ""


class JsonLinesRenderer(JsonRenderer):
    """For programs that watch: an event a line, the result last."""

    def tell(self, record: Record) -> None:
        """Print the record."""
        super().tell(record)
        self.print(write_line(record, self.invocation.redact))


RENDERERS: dict[str, type[Renderer]] = {"text": TextRenderer, "json": JsonRenderer, "jsonl": JsonLinesRenderer}


@contextmanager
def rendering(format: str, invocation: Invocation) -> Iterator[Renderer]:
    """Lend the renderer of a format; it has stdout for itself, and renders every ending."""
    with kept_stdout() as out:
        renderer = RENDERERS[format](invocation, out)
        try:
            yield renderer
        except BaseException as error:
            said = bool(renderer.report.failed)
            renderer.end(sentence(error))
            invocation.said = said
            raise
        renderer.end()
