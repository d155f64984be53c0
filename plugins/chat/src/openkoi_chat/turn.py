"""One task of the chat: what its records show on the screen, and the working line."""

from collections.abc import Callable
from time import monotonic

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import Record, events
from openkoi_runlog import redact_record
from openkoi_runlog.report import Progress, RunReport, format_count
from openkoi_terminal import WorkingLine, count_changes, format_working_line, strip_controls

from .view import View

MAX_FILES = 6
NOT_SHOWN = ("[recall] 0 ",)


class Turn:
    """Shows the records of one run, live or from the log: progress in lines, the answer as it streams."""

    def __init__(self, view: View, run: str, redact: Callable[[str], str]) -> None:
        self.view = view
        self.run = run
        self.redact = redact
        self.progress = Progress()
        self.progress.report.run = run
        self.working = WorkingLine()
        self.started = monotonic()
        self.streamed = ""
        self.queued = 0
        self.on_read: Callable[[str], None] = lambda text: None

    @property
    def report(self) -> RunReport:
        """The run's report so far."""
        return self.progress.report

    def add_record(self, record: Record) -> None:
        """Show one record; other runs count only if they are parts of this one."""
        known = record.run == self.run or record.run in self.report.subtasks
        if not known and not isinstance(record.event, events.TaskStarted):
            return
        record = redact_record(record, current_redactor())
        lines = self.progress.format_record(record)
        if record.run != self.run and record.run not in self.report.subtasks:
            return
        self.working.add_record(record)
        if record.run == self.run:
            self.show_event(record.event)
        for line in lines:
            if not line.startswith(NOT_SHOWN):
                self.view.print(self.view.style.mark(strip_controls(self.redact(line)), "dim"))

    def show_event(self, event: events.Event) -> None:
        """Show what is not a line of progress: the answer, and messages that were read."""
        match event:
            case events.ModelDelta(text=text):
                self.streamed += text
                self.view.add_answer(self.redact(text))
            case events.ModelResponse(role="executor", response=response):
                if not self.streamed.strip() and response.text.strip():
                    self.view.add_answer(self.redact(response.text))
                self.view.end_answer()
                self.streamed = ""
            case events.ModelResponseBroken(role="executor"):
                self.view.end_answer()
                self.streamed = ""
            case events.MessageAdded(from_user=True, message=message):
                self.on_read("".join(getattr(part, "text", "") for part in message.parts))

    def working_text(self) -> str:
        """Return the working line as of now."""
        facts = self.working.facts(monotonic() - self.started, queued=self.queued)
        return self.view.style.mark(strip_controls(format_working_line(facts)), "cyan")

    def show_end(self) -> None:
        """Show which files were changed, and what can be done about it."""
        self.view.end_answer()
        if count := len(self.report.learnings):
            self.view.print(self.view.style.mark(f"  {format_count(count, 'learning')} saved", "dim"))
        work = self.report.best.work
        counts = count_changes(work.diff) if work else ()
        for one in counts[:MAX_FILES]:
            self.view.print(f"  {one.text}")
        if len(counts) > MAX_FILES:
            self.view.print(f"  and {len(counts) - MAX_FILES} more")
        if counts:
            self.view.print(self.view.style.mark("  /diff shows the changes, /undo undoes them, /why explains", "dim"))
