"""One running task of the chat: its records, its working line, and the messages that it has not read yet."""

from collections.abc import Callable
from time import monotonic

from openkoi_hookspecs import Handle, Record
from openkoi_runlog.report import Line
from openkoi_terminal import INTERRUPT_HINT, WorkingLine, format_working_line, strip_controls

from .task_view import Shown, TaskView, UserMessage
from .view import View


class Turn(TaskView):
    """Shows a running task."""

    def __init__(self, view: View, handle: Handle, redact: Callable[[str], str]) -> None:
        super().__init__(view, handle.id, redact)
        self.handle = handle
        self.working = WorkingLine()
        self.started = monotonic()
        self.queued = 0
        self.unread: list[str] = []
        self.interrupted = self.is_stopping = self.is_hidden = False
        self.on_read: Callable[[str], None] = lambda text: None

    def note_record(self, record: Record) -> None:
        """Add a record to the working line."""
        self.working.add_record(record)

    def show(self, each: Shown) -> None:
        """Show an item, unless the task is hidden; an interruption is reported separately."""
        if isinstance(each, UserMessage):
            self.note_read(each.text)
        elif not (self.is_hidden or (self.is_stopping and isinstance(each, Line))):
            super().show(each)

    def note_read(self, text: str) -> None:
        """Record that a message was read."""
        if text in self.unread:
            self.unread.remove(text)
        if not self.is_hidden:
            self.on_read(text)

    def working_text(self, width: int) -> str:
        """Return the current working line, in this many columns (0: any number)."""
        return self.view.style.mark(self.working_line(width), "cyan")

    def working_line(self, width: int = 0, *, hint: str = INTERRUPT_HINT) -> str:
        """Return the working line without colours."""
        facts = self.working.facts(monotonic() - self.started, queued=self.queued)
        return strip_controls(format_working_line(facts, width=width, hint=hint))
