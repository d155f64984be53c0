"""Tasks that the user moved to the background: the chat continues, and shows how each task ends."""

import asyncio
from collections.abc import Sequence

from openkoi_hookspecs import Message, Record, Role, Text
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import first_line
from openkoi_terminal import strip_controls

from .turn import Turn
from .view import View, warn

ENDED = "{how} in the background: {text}"
LATE = "{text}\n\n[This task ran in the background.]"


@dataclass(slots=True)
class BackgroundTask:
    """A task that continues in the background of a conversation."""

    turn: Turn
    worker: "asyncio.Task[None]"

    @property
    def text(self) -> str:
        """The user's words."""
        return self.turn.report.view.task.text

    def show_end(self, view: View) -> None:
        """Print the answer and what was changed."""
        how = "Interrupted" if self.turn.interrupted else "Failed" if self.turn.report.failed else "Done"
        view.note(f"\n{ENDED.format(how=how, text=first_line(strip_controls(self.text), 60))}", "bold")
        if self.turn.report.failed:
            warn(view, self.turn.redact(self.turn.report.failed))
        elif not self.turn.interrupted:
            view.add_answer(f"{self.turn.redact(self.turn.report.text)}\n")
            view.end_answer()
            self.turn.show_end()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages about the task that are added to the conversation."""
        message = Message.user(LATE.format(text=self.text))
        answer = self.turn.report.text.strip()
        return (message, Message(Role.ASSISTANT, (Text(answer),))) if answer else ()


class Background:
    """The tasks in the background; ``ended`` ones were not shown yet, ``late`` ones are not in the conversation yet."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.running: list[BackgroundTask] = []
        self.ended: list[BackgroundTask] = []
        self.late: list[BackgroundTask] = []

    def add(self, task: BackgroundTask) -> None:
        """Let a task continue in the background; show its answer when it ends."""
        task.turn.is_hidden = True
        self.running.append(task)

    def add_record(self, record: Record) -> None:
        """Note a record."""
        for one in self.running:
            one.turn.add_record(record)

    def note_end(self, worker: "asyncio.Task[None]") -> bool:
        """Record that a task has ended; return whether it was a background task."""
        found = [one for one in self.running if one.worker is worker]
        for one in found:
            self.running.remove(one)
            self.ended.append(one)
            self.late.append(one)
        return bool(found)

    def show_ended(self) -> None:
        """Show the tasks that have ended, unless another task is writing."""
        while self.ended:
            self.ended.pop(0).show_end(self.view)

    def list(self) -> Sequence[str]:
        """Return a line for each task."""
        return [
            f"{number}. {first_line(strip_controls(one.text), 60)}: {one.turn.working_line(hint='')}"
            for number, one in enumerate(self.running, 1)
        ]

    def stop(self, number: int) -> str:
        """Stop a task; return its text, or an empty text if no task has this number."""
        if not 0 < number <= len(self.running):
            return ""
        self.running[number - 1].turn.handle.stop()
        return self.running[number - 1].text

    async def close(self) -> None:
        """Stop all background tasks, and wait until they have ended."""
        workers = [one.worker for one in self.running]
        for one in self.running:
            one.turn.handle.stop()
        for worker in workers:
            worker.cancel()
        if workers:
            await asyncio.wait(workers)
