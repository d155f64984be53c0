"""One task of the chat: what its records show on the screen, and the working line."""

from collections.abc import Callable, Sequence
from time import monotonic

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import Handle, Message, Record, events
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_runlog import redact_record
from openkoi_runlog.report import AnswerEnd, AnswerPiece, Line, RunDisplay, RunReport, format_count
from openkoi_terminal import INTERRUPT_HINT, WorkingLine, format_working_line, strip_controls
from openkoi_terminal.end_summary import format_changes, format_claims, format_diff

from .view import View

NOT_SHOWN = ("[recall] 0 ", "  Changed: ")  # the files are listed at the end
NEXT = "  /diff shows the changes, /undo undoes them, /why explains"
COMMAND = lazy_pattern(r"`openkoi (undo|redo|resume|diff|why|status)\b")


class Turn:
    """Shows the records of one run, live or from the log: progress in lines, the answer as it streams."""

    def __init__(self, view: View, handle: Handle, redact: Callable[[str], str]) -> None:
        self.view = view
        self.handle = handle
        self.run = handle.id
        self.redact = redact
        self.display = RunDisplay()
        self.report.run = handle.id
        self.working = WorkingLine()
        self.started = monotonic()
        self.queued = 0
        self.unread: list[str] = []
        self.interrupted = self.is_stopping = self.is_hidden = False
        self.on_read: Callable[[str], None] = lambda text: None

    @property
    def report(self) -> RunReport:
        """The run's report so far."""
        return self.display.progress.report

    def add_record(self, record: Record) -> None:
        """Show one record; other runs count only if they are parts of this one."""
        known = record.run == self.run or record.run in self.report.subtasks
        if not known and not isinstance(record.event, events.TaskStarted):
            return
        record = redact_record(record, current_redactor())
        shown = [*self.display.show_record(record)]
        if record.run != self.run and record.run not in self.report.subtasks:
            return
        self.working.add_record(record)
        if isinstance(record.event, events.MessageAdded) and record.event.from_user and record.run == self.run:
            self.note_read(record.event.message)
        for each in shown if not self.is_hidden else ():
            self.show(each)

    def show(self, each: Line | AnswerPiece | AnswerEnd) -> None:
        """Show a line of progress, or what has come of the answer; the end of an interruption has its own lines."""
        match each:
            case AnswerPiece(text=text):
                self.view.add_answer(self.redact(text))
            case AnswerEnd():
                self.view.end_answer()
            case Line(text=text) if not (self.is_stopping or text.startswith(NOT_SHOWN)):
                line = COMMAND.sub(r"`/\1", text)
                self.view.note(strip_controls(self.redact(line)), *("dim",) * (not line.startswith("  ! ")))

    def note_read(self, message: Message) -> None:
        """Note that a message was read."""
        text = "".join(getattr(part, "text", "") for part in message.parts)
        if text in self.unread:
            self.unread.remove(text)
        if not self.is_hidden:
            self.on_read(text)

    def working_text(self, width: int) -> str:
        """Return the working line as of now, in so many columns (0: any)."""
        return self.view.style.mark(self.working_line(width), "cyan")

    def working_line(self, width: int = 0, *, hint: str = INTERRUPT_HINT) -> str:
        """Return the working line without colours."""
        facts = self.working.facts(monotonic() - self.started, queued=self.queued)
        return strip_controls(format_working_line(facts, width=width, hint=hint))

    def show_end(self) -> None:
        """Show what was changed, what the answer rests on, and what can be done about it."""
        self.view.end_answer()
        if count := len(self.report.learnings):
            self.view.note(f"  {format_count(count, 'learning')} saved", "dim")
        style, changes = self.view.style, [*format_changes(self.report)]
        self.show_lines(self.view.note, changes)
        self.show_lines(self.view.print, format_diff(self.report, style, more="/diff"))
        self.show_lines(self.view.note, [*format_claims(self.report, style)])
        if changes:
            self.view.note(NEXT, "dim")

    def show_lines(self, show: Callable[[str], None], lines: Sequence[str]) -> None:
        """Show lines without secrets, if there are any."""
        if lines:
            show("\n".join(self.redact(line) for line in lines))
