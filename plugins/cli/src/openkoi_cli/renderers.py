"""Render a run as text, as one JSON object, or as one JSON line per event."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from openkoi_base.counts import format_count
from openkoi_base.redact import current_redactor
from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import KoiError, Record, events
from openkoi_runlog import redact_json, redact_record, write_line
from openkoi_runlog.report import (
    AnswerEnd,
    AnswerPiece,
    Line,
    Progress,
    RunDisplay,
    RunReport,
    format_dollars,
    format_savings,
    format_tokens,
)

from .errors import describe_error
from .invocation import Invocation
from .live_output import open_output
from .setting_names import CHECK_UPDATES
from .streams import NOT_WRITTEN, reserve_stdout, strip_escapes
from .tips import choose_tip

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, OpenedKoi


class Renderer:
    """Renders a run: its records, its result, and its end."""

    shows_text, draws = False, True

    def __init__(self, invocation: Invocation, out: TextIO) -> None:
        self.invocation = invocation
        self.shows_reasons = False
        self.out = out
        self.display = RunDisplay(Progress(verbose=invocation.verbose))
        self.live = open_output(out, sys.stderr, shows_text=self.shows_text, draws=self.draws)
        self.answer = ""

    @property
    def progress(self) -> Progress:
        """The progress so far."""
        return self.display.progress

    @property
    def report(self) -> RunReport:
        """The report so far."""
        return self.progress.report

    @property
    def koi(self) -> "OpenedKoi":
        """The Koi that runs the task."""
        assert self.invocation.koi is not None
        return self.invocation.koi

    def show_diff(self, diff: str) -> None:
        """Show what a dry run would change."""

    def attend(self, koi: "Koi", *, yes: bool = False) -> None:
        """Ask questions at the terminal, if there is one, and let the option ``--yes`` answer some."""
        if yes or can_prompt(sys.stderr):
            from .prompt_user import attend_terminal

            attend_terminal(koi, self.live, yes=yes)

    def add_record(self, record: Record) -> None:
        """Render a record."""
        record = redact_record(record, current_redactor())
        self.live.add_record(record)
        self.pause_for_question(record)
        for shown in self.display.show_record(record):
            match shown:
                case Line(text=text):
                    self.live.print_line(self.invocation.redact(text))
                case AnswerPiece(text=text):
                    self.show_piece(text)
                case AnswerEnd() as end:
                    self.end_answer(end)

    def show_piece(self, text: str) -> None:
        """Show a piece of the model's answer as it arrives."""
        self.live.add_text(text)

    def end_answer(self, end: AnswerEnd) -> None:
        """End the model's answer."""
        self.live.end_text()
        self.answer = end.text if end.is_answer else ""

    def pause_for_question(self, record: Record) -> None:
        """Leave the terminal to a question while it is open."""
        match record.event:
            case events.QuestionAsked(id=id):
                self.live.pause(id)
            case events.QuestionAnswered(id=id):
                self.live.unpause(id)

    def show(self) -> None:
        """Show the result, without waiting for what follows it."""
        self.live.stop()

    def show_afterwards(self, koi: "Koi") -> None:
        """Show what follows the result, with the reasons of the decisions if requested."""
        from openkoi_runlog.report import explain_run

        for line in explain_run(self.report) if self.shows_reasons else ():
            self.live.print_line(koi.redact(line))

    def end(self, reason: str = "") -> None:
        """Stop; ``reason`` is why the run ended, if no record contains it."""
        self.live.stop()

    def print(self, text: str) -> None:
        """Print a line on stdout; ignore a closed pipe, and raise KoiError if it cannot be written."""
        try:
            with suppress(BrokenPipeError):
                print(text, file=self.out, flush=True)
        except OSError as error:
            raise KoiError(NOT_WRITTEN.format(error.strerror)) from error


class TextRenderer(Renderer):
    """Renders text: progress on stderr, the final answer on stdout.

    A terminal gets the answer as it comes, a pipe when it is final: hooks and further iterations may replace it.
    """

    shows_text = True

    def show(self) -> None:
        """Print the final answer of a completed run, unless it is the last thing on the terminal already."""
        super().show()
        if not self.report.completion:
            return
        text, shown = self.invocation.redact(self.report.text), self.answer.strip() == self.report.text.strip()
        if self.live.shows_text and not shown:
            self.live.show_text(text)
        elif not self.live.shows_text:
            self.print(strip_escapes(text, self.out))
        self.show_summary()

    def show_summary(self) -> None:
        """Show what was changed, and the evidence for the answer's claims."""
        from openkoi_runlog.report import check_claims

        if not (self.report.changed_files or (self.report.completion and check_claims(self.report))):
            return
        from openkoi_terminal.end_summary import format_changes, format_claims, format_diff

        style, on_terminal = self.live.style, self.live.shows_text
        changes, claims = list(format_changes(self.report)), list(format_claims(self.report, style))
        diff = format_diff(self.report, style, more=f"openkoi diff {self.report.run[:8]}") if on_terminal else ()
        for line in ("" for _ in changes[:1] or claims[:1] if on_terminal):
            self.live.print_line(line)
        for line in (*changes, *diff, *claims):
            self.live.print_styled(self.invocation.redact(line))

    def show_next(self) -> None:
        """Suggest commands to run next."""
        from .end_summary import format_next

        if line := format_next(self.report):
            self.live.print_line(line)

    def end(self, reason: str = "") -> None:
        """Stop; after a run without a result, show what it left and how to continue with it."""
        super().end(reason)
        if self.report.run and not self.report.completion:
            self.show_summary()
            self.show_next()

    def show_diff(self, diff: str) -> None:
        """Print the diff of a dry run."""
        self.live.print_line("[dry run] no files were changed" + ("; this is the diff:" if diff else ""))
        if diff:
            self.print(self.format_diff(self.invocation.redact(diff.rstrip("\n"))))

    def format_diff(self, text: str) -> str:
        """Return a diff unchanged for a program, and escaped for a terminal: files may contain escape sequences."""
        if not self.out.isatty():
            return text
        from openkoi_terminal import detect_style, render_diff

        return "\n".join(render_diff(text, detect_style(self.out), most=0))

    def show_afterwards(self, koi: "Koi") -> None:
        """Show warnings, learnings, savings and a tip."""
        from openkoi_base.printable import indent_further

        for text in koi.warnings():
            self.live.print_line(f"  ! {indent_further(koi.redact(text))}")
        if self.report.learnings:
            self.live.print_line(f"  {format_count(len(self.report.learnings), 'learning')} saved")
        if any(self.report.saved_tokens.values()):
            self.live.print_line(f"  {format_savings(self.report.saved_tokens)}")
        if tokens := self.report.after_result.usage.total:
            self.live.print_line(
                f"  Learning used {format_tokens(tokens)} more tokens, {format_dollars(self.report.after_result.usd)}"
            )
        super().show_afterwards(koi)
        self.show_next()
        if self.report.status == 0 and (text := choose_tip(self.invocation.paths.sessions)):
            self.live.print_line(text)
        if sys.stderr.isatty() and koi.setting(CHECK_UPDATES, bool, False):
            from .release_notice import announce

            if text := announce(self.invocation.paths.data):
                self.live.print_line(text)


class JsonRenderer(Renderer):
    """Renders one JSON object on stdout, however the run ends."""

    def end(self, reason: str = "") -> None:
        """Print the object."""
        super().end()
        self.report.failed = self.report.failed or reason
        result = self.report.build_result(self.transcript)
        self.print(json.dumps(redact_json(result, self.invocation.redact)))

    @property
    def transcript(self) -> str:
        """The path of the run's log; empty if there are no records."""
        segment = self.report.segment
        return str(self.invocation.paths.sessions / segment) if segment else ""


class JsonLinesRenderer(JsonRenderer):
    """Renders one JSON line per event, and the result last."""

    draws = False  # the lines would be printed in the middle of what is drawn

    def add_record(self, record: Record) -> None:
        """Print the record."""
        super().add_record(record)
        self.print(write_line(record, self.invocation.redact))


RENDERERS: dict[str, type[Renderer]] = {"text": TextRenderer, "json": JsonRenderer, "jsonl": JsonLinesRenderer}


@contextmanager
def open_renderer(layout: str, invocation: Invocation) -> Iterator[Renderer]:
    """Yield the renderer of a format, with stdout reserved for it, and render how the run ends."""
    with reserve_stdout() as out:
        renderer = RENDERERS[layout](invocation, out)
        try:
            yield renderer
        except BaseException as error:
            reported = bool(renderer.report.failed)
            renderer.end(describe_error(error))
            invocation.is_reported = reported
            raise
        renderer.end()
