"""The conversation: one session of the log, one task at a time, messages that steer it or wait."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import Handle, KoiError, Message, Question, Record, Result, RunStoppedError, Task, events
from openkoi_runlog import new_session_id, read_conversation
from openkoi_terminal import strip_controls

from .approvals import Approvals
from .attachments import Draft, load_parts
from .interruption import ask_what_to_keep
from .session_tasks import Exchange, Rewound
from .settings import ChatSettings
from .turn import Turn
from .view import View

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi

STEERS = "joins before the next model call"
QUEUED = "the next task, when this one ends"
STARTING = "the first task, when OpenKoi is ready"
PAUSED = "waits: Enter sends it, Up edits it"


class ChatSession:
    """Holds the conversation and the task under way; all that it shows goes to the view."""

    def __init__(self, view: View, settings: ChatSettings) -> None:
        self.view = view
        self.settings = settings
        self.koi: OpenedKoi | None = None
        self.sessions = Path()
        self.session = new_session_id()
        self.history: tuple[Message, ...] = ()
        self.exchanges: list[Exchange] = []
        self.queue: list[Draft] = []
        self.unread: list[str] = []
        self.context: list[str] = []
        self.handle: Handle | None = None
        self.turn: Turn | None = None
        self.worker: asyncio.Task[None] | None = None
        self.approvals = Approvals(view)
        self.rewound: Rewound | None = None
        self.spent = 0.0
        self.interrupted = False
        self.paused = False

    # The session

    def attach(self, koi: "OpenedKoi", sessions: Path) -> None:
        """Use OpenKoi, which is ready now; do what has waited for it."""
        self.koi, self.sessions = koi, sessions
        koi.listen(self.add_record)
        koi.attend(self.answer)
        self.start_next()
        self.show_notes()

    def continue_session(self, session: str) -> None:
        """Take up a session where it ended."""
        self.session = session
        self.exchanges.clear()
        self.reload_history()

    def start_over(self) -> None:
        """Begin a new session; the old one stays in the log."""
        self.session, self.history, self.spent = new_session_id(), (), 0.0
        self.exchanges.clear()
        self.context.clear()

    def reload_history(self) -> None:
        """Read from the log what the next task is shown of the conversation."""
        self.history = read_conversation(self.sessions, self.session).history

    def rewind_to(self, place: int) -> None:
        """Remove the messages from one on; the files are not touched."""
        removed = self.exchanges[place:]
        self.rewound, self.exchanges = Rewound(removed), self.exchanges[:place]
        self.history = removed[0].history

    @property
    def is_busy(self) -> bool:
        """Whether a task is under way."""
        return self.worker is not None and not self.worker.done()

    @property
    def last_run(self) -> str:
        """The id of the session's last task; empty before the first one."""
        return self.exchanges[-1].run if self.exchanges else ""

    # Messages

    def submit(self, draft: Draft) -> None:
        """Send a message: a task that is under way reads it at its next step, otherwise it begins one."""
        if self.handle and self.turn and not draft.images:
            self.steer(draft.text)
        else:
            self.enqueue(draft)

    def steer(self, text: str) -> None:
        """Add a message to the task under way."""
        assert self.handle is not None
        try:
            self.handle.say(text)
        except KoiError:  # it has just ended
            self.enqueue(Draft(text))
            return
        self.unread.append(text)
        self.show_notes()

    def enqueue(self, draft: Draft) -> None:
        """Do this after all that is under way."""
        self.queue.append(draft)
        self.go_on()

    def go_on(self) -> None:
        """Send what waits, also after an interruption."""
        self.paused = False
        self.start_next()
        self.show_notes()

    def show_notes(self) -> None:
        """Show each message that waits, with the moment when it will be read."""
        mark = self.view.style.mark
        waits = (PAUSED if self.paused else QUEUED) if self.koi else STARTING
        steering = [f"↳ {shorten(text)} {mark(f'· {STEERS}', 'dim')}" for text in self.unread]
        later = [f"⇥ {shorten(one.text)} {mark(f'· {waits}', 'dim')}" for one in self.queue]
        if self.turn:
            self.turn.queued = len(self.queue) + len(self.unread)
        self.view.set_notes([*steering, *later])

    def take_back(self) -> str:
        """Return the last message that waits, so that it can be edited; it is no longer sent."""
        if not self.queue:
            return ""
        text = self.queue.pop().text
        self.show_notes()
        return text

    def note_read(self, text: str) -> None:
        """Show that the task has read a message."""
        if text in self.unread:
            self.unread.remove(text)
        self.view.print(self.quote(text))
        self.show_notes()

    def quote(self, text: str) -> str:
        """Return the user's words as they stand in the scrollback."""
        first, *rest = strip_controls(text).split("\n")
        lines = [f"> {first}", *(f"  {line}" for line in rest)]
        return "\n" + "\n".join(self.view.style.mark(line, "bold") for line in lines)

    # Tasks

    def start_next(self) -> None:
        """Begin the next task if none is under way."""
        if self.koi and self.queue and not self.is_busy and not self.paused:
            draft = self.queue.pop(0)
            self.worker = asyncio.create_task(self.run_task(draft))
            self.worker.add_done_callback(self.finish_worker)

    def finish_worker(self, done: "asyncio.Task[None]") -> None:
        """Report a fault of ours, and go on with what waits."""
        if not done.cancelled() and (error := done.exception()):
            self.view.print(f"  ! {type(error).__name__}: {error}")
        self.worker = None
        self.start_next()
        self.show_notes()

    def resume_task(self, run: str) -> None:
        """Resume a task that was interrupted or waits for approval; nothing is done or paid twice."""
        assert self.koi is not None
        handle = self.koi.resume(run)
        self.worker = asyncio.create_task(self.follow(handle))
        self.worker.add_done_callback(self.finish_worker)

    async def run_task(self, draft: Draft) -> None:
        """Do the task of a message."""
        assert self.koi is not None
        self.view.print(self.quote(draft.text))
        try:
            task = await self.make_task(draft)
        except (KoiError, OSError) as error:
            self.view.print(f"  ! {self.koi.redact(str(error))}")
            return
        self.rewound = None
        handle = self.koi.begin(task)
        self.exchanges.append(Exchange(handle.id, draft.text, self.history))
        await self.follow(handle)

    async def follow(self, handle: Handle) -> None:
        """Show a task until it ends; messages that it has not read are the next task."""
        assert self.koi is not None
        self.interrupted, self.handle = False, handle
        self.turn = Turn(self.view, handle.id, self.koi.redact)
        self.turn.on_read = self.note_read
        self.view.start_clock(self.turn.working_text)
        self.show_notes()
        try:
            await self.wait_for(handle)
        finally:
            self.end_turn()
        if self.interrupted:
            await ask_what_to_keep(self.view, self.koi, self.turn.run)
        self.reload_history()

    async def make_task(self, draft: Draft) -> Task:
        """Return the task of a message: with the conversation, its files, and what shell commands printed."""
        assert self.koi is not None
        parts = await load_parts(draft, self.koi)
        context, self.context = "\n\n".join(self.context), []
        task = Task(draft.text, channel="chat", session=self.session, history=self.history, parts=parts)
        return replace(task, context=context, limits=self.settings.limits(self.koi.limits), agent=self.settings.agent)

    async def wait_for(self, handle: Handle) -> Result | None:
        """Wait for the result, and show how the task ended."""
        assert self.koi is not None
        assert self.turn is not None
        try:
            result = await handle.result()
        except RunStoppedError:
            self.interrupted = True
            return None
        except KoiError as error:
            if not self.turn.report.failed:
                self.view.print(f"  ! {self.koi.redact(str(error))}")
            return None
        self.turn.show_end()
        self.view.notify("OpenKoi is done")
        return result

    def end_turn(self) -> None:
        """Clear what belongs to the task that has ended."""
        self.view.end_answer()
        self.view.stop_clock()
        if self.turn:
            self.spent += self.turn.report.costs.total
        self.queue = [*(Draft(text) for text in self.unread), *self.queue]
        self.unread.clear()
        self.handle = None
        self.show_notes()

    def interrupt(self) -> None:
        """Stop the task under way; what it did is kept."""
        if self.handle:
            self.paused = True
            self.handle.stop()

    def add_record(self, record: Record) -> None:
        """Show a record of the task under way."""
        if self.turn and self.handle:
            self.turn.add_record(record)
        elif isinstance(record.event, events.WarningIssued) and not record.run:
            self.view.print(f"  ! {strip_controls(record.event.text)}")

    async def answer(self, question: Question) -> str | None:
        """Ask the user a question of a task."""
        self.view.notify("OpenKoi has a question")
        return await self.approvals.ask(question)

    async def close(self) -> None:
        """Stop the task under way, and wait until it has."""
        self.queue.clear()
        self.interrupt()
        if self.worker:
            self.worker.cancel()
            await asyncio.wait([self.worker])


def shorten(text: str, most: int = 60) -> str:
    """Return the beginning of a message in one line."""
    line = " ".join(strip_controls(text).split())
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'
