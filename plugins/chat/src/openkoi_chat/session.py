"""The conversation: a session of the log, where a message is the next task, steers the running one, or is queued."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import Handle, KoiError, Message, Question, Record, RunStoppedError, Task, events
from openkoi_runlog import new_session_id, read_conversation
from openkoi_terminal import strip_controls

from .approvals import Approvals
from .attachments import Draft, explain_files, load_parts
from .background import Background, BackgroundTask
from .cli_commands import current_folder
from .interruption import ask_what_to_keep
from .messages import BESIDE, HELD, PAUSED, QUEUED, STARTING, STEERS, format_notes, quote
from .session_tasks import Exchange
from .settings import ChatSettings
from .turn import Turn
from .view import View, warn

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi


class ChatSession:
    """Holds the conversation and the current task; shows everything in the view."""

    def __init__(self, view: View, settings: ChatSettings) -> None:
        self.view = view
        self.settings = settings
        self.koi: OpenedKoi | None = None
        self.sessions = Path()
        self.session = new_session_id()
        self.history: tuple[Message, ...] = ()
        self.exchanges: list[Exchange] = []
        self.logged_run = ""
        self.queue: list[Draft] = []
        self.context: list[str] = []
        self.handle: Handle | None = None
        self.turn: Turn | None = None
        self.worker: asyncio.Task[None] | None = None
        self.approvals = Approvals(view)
        self.background = Background(view)
        self.prepare: Callable[[], Awaitable[None]] | None = None
        self.give_back: Callable[[Draft], None] = lambda draft: None
        self.rewound: list[Exchange] = []
        self.before_rewind: tuple[Message, ...] = ()
        self.paused = False
        self.is_held = False

    # The session

    def attach(self, koi: "OpenedKoi", sessions: Path) -> None:
        """Use OpenKoi, which is ready now; run what has waited for it."""
        self.koi, self.sessions = koi, sessions
        koi.listen(self.add_record)
        koi.attend(self.answer)
        self.start_next()
        self.show_notes()

    def continue_session(self, session: str) -> None:
        """Continue a session where it ended."""
        self.session = session
        self.exchanges, self.rewound = [], []
        self.reload_history()

    def start_over(self) -> None:
        """Start a new session; the old one stays in the log."""
        self.session, self.history, self.logged_run = new_session_id(), (), ""
        self.exchanges, self.rewound = [], []
        self.context.clear()

    def reload_history(self) -> None:
        """Read the part of the conversation that the next task sees from the log."""
        past = read_conversation(self.sessions, self.session)
        self.logged_run = past.last
        here = {one.run for one in self.exchanges} - {past.last}
        late = (one.messages for one in self.background.late if one.turn.run in here)
        self.history = (*past.history, *(message for messages in late for message in messages))

    def fork(self) -> None:
        """Continue in a new session; the old one stays unchanged."""
        self.session, self.rewound = new_session_id(), []

    @property
    def unread(self) -> list[str]:
        """The messages that the current task has not read."""
        return self.turn.unread if self.turn and self.handle else []

    @property
    def is_busy(self) -> bool:
        """Whether a task is running."""
        return self.worker is not None and not self.worker.done()

    @property
    def last_run(self) -> str:
        """The id of the session's last task; empty before the first one."""
        return self.exchanges[-1].run if self.exchanges else self.logged_run

    # Messages

    def submit(self, draft: Draft) -> None:
        """Send a message: the current task reads it at its next step; after an interruption it is the next task."""
        if self.handle and self.turn and not draft.images:
            self.steer(draft.text)
        else:
            self.enqueue(draft, first=self.paused)

    def steer(self, text: str) -> None:
        """Add a message to the current task."""
        assert self.turn is not None
        try:
            self.turn.handle.say(text)
        except KoiError:  # it has just ended
            self.enqueue(Draft(text))
            return
        self.turn.unread.append(text)
        self.show_notes()

    def enqueue(self, draft: Draft, *, first: bool = False) -> None:
        """Queue a message after all running and queued ones, or before all queued ones."""
        self.queue.insert(0 if first else len(self.queue), draft)
        self.go_on()

    def go_on(self) -> None:
        """Send the queued messages, even after an interruption."""
        self.paused = False
        self.start_next()
        self.show_notes()

    def show_notes(self) -> None:
        """Show each queued message, with when it will be read."""
        style = self.view.style
        later = HELD if self.is_held else QUEUED
        waits = (PAUSED if self.paused else later) if self.koi else STARTING
        beside = format_notes("◌", (one.text for one in self.background.running), BESIDE, style)
        steering = format_notes("↳", self.unread, STEERS, style)
        queued = format_notes("⇥", (one.text for one in self.queue), waits, style)
        if self.turn:
            self.turn.queued = len(self.queue) + len(self.unread)
        self.view.set_notes([*beside, *steering, *queued])

    def withdraw_message(self) -> str:
        """Remove and return the last queued message, so that it can be edited."""
        if not self.queue:
            return ""
        text = self.queue.pop().text
        self.show_notes()
        return text

    def note_read(self, text: str) -> None:
        """Show that the task has read a message."""
        self.view.print(quote(text, self.view.style))
        self.show_notes()

    # Tasks

    def start_next(self) -> None:
        """Start the next task if none is running."""
        if self.koi and self.queue and not (self.is_busy or self.paused or self.is_held):
            draft = self.queue.pop(0)
            self.worker = asyncio.create_task(self.run_task(draft))
            self.worker.add_done_callback(self.finish_worker)

    def finish_worker(self, done: "asyncio.Task[None]") -> None:
        """Report an internal error, and continue with the queued messages."""
        if not done.cancelled() and (error := done.exception()):
            warn(self.view, f"{type(error).__name__}: {error}")
        if self.background.note_end(done):
            self.reload_history()
        else:
            self.worker = None
        if not self.is_busy:
            self.background.show_ended()
        self.start_next()
        self.show_notes()

    def resume_task(self, run: str) -> None:
        """Resume a task that was interrupted or waits for approval; nothing is done or paid twice."""
        assert self.koi is not None
        self.worker = asyncio.create_task(self.follow(self.koi.resume(run)))
        self.worker.add_done_callback(self.finish_worker)

    async def run_task(self, draft: Draft) -> None:
        """Do the task of a message."""
        self.view.print(quote(draft.text, self.view.style))
        try:
            if self.prepare:
                await self.prepare()
            handle = self.require_koi().begin(await self.make_task(draft))
        except (KoiError, OSError) as error:
            warn(self.view, self.require_koi().redact(str(error)))
            self.give_back(draft)
            return
        self.rewound = []
        self.exchanges.append(Exchange(handle.id, draft.text, self.history))
        self.background.late.clear()
        await self.follow(handle)

    def require_koi(self) -> "OpenedKoi":
        """Return OpenKoi, which is ready whenever a task starts."""
        assert self.koi is not None
        return self.koi

    async def follow(self, handle: Handle) -> None:
        """Show a task until it ends; messages that it has not read become the next task."""
        koi = self.require_koi()
        turn = self.turn = Turn(self.view, handle, koi.redact)
        self.handle = handle
        turn.on_read = self.note_read
        self.view.start_clock(turn.working_text)
        self.show_notes()
        try:
            await self.wait_for(turn)
        finally:
            self.end_turn(turn)
        if turn.is_hidden:
            return
        if turn.interrupted:
            await ask_what_to_keep(self.view, koi, self.sessions, turn.report)
        self.reload_history()

    async def make_task(self, draft: Draft) -> Task:
        """Return the task of a message, with the conversation, its files, and the output of shell commands."""
        koi = self.require_koi()
        parts = await load_parts(draft, koi)
        for note in explain_files(draft.text, parts, current_folder(koi.workspace), koi.workspace):
            self.view.note(f"  {strip_controls(note)}", "dim")
        context, self.context = "\n\n".join(self.context), []
        task = Task(draft.text, channel="chat", session=self.session, history=self.history, parts=parts)
        return replace(task, context=context, limits=self.settings.limits(koi.limits), agent=self.settings.agent)

    async def wait_for(self, turn: Turn) -> None:
        """Wait for the result, and show how the task ended."""
        try:
            await turn.handle.result()
        except RunStoppedError:
            turn.interrupted = True
            return
        except KoiError as error:
            if not (turn.report.failed or turn.is_hidden):
                warn(self.view, turn.redact(str(error)))
            return
        if not turn.is_hidden:
            turn.show_end()
        self.view.notify("OpenKoi is done")

    def end_turn(self, turn: Turn) -> None:
        """Clear the state of the task that has ended."""
        if turn is self.turn:
            self.view.end_answer()
            self.view.stop_clock()
            self.handle = None
        self.queue = [*(Draft(text) for text in turn.unread), *self.queue]
        self.show_notes()

    def interrupt(self) -> None:
        """Stop the current task; its work is kept."""
        if self.handle and self.turn:
            self.paused = self.turn.is_stopping = True
            self.handle.stop()

    def move_to_background(self) -> None:
        """Let the current task continue in the background, and start the next queued message."""
        if not (self.handle and self.turn and self.worker):
            return
        self.view.end_answer()
        self.view.stop_clock()
        self.background.add(BackgroundTask(self.turn, self.worker))
        self.handle = self.turn = self.worker = None
        self.go_on()

    def add_record(self, record: Record) -> None:
        """Show a record of a running task."""
        self.background.add_record(record)
        if self.turn and self.handle:
            self.turn.add_record(record)
        elif isinstance(record.event, events.WarningIssued) and not record.run:
            warn(self.view, record.event.text)

    async def answer(self, question: Question) -> str | None:
        """Ask the user a question of a task."""
        self.view.notify("OpenKoi has a question")
        return await self.approvals.ask(question, self.require_koi().workspace)

    async def close(self) -> None:
        """Stop the running tasks, and wait until they have ended."""
        self.queue.clear()
        self.interrupt()
        await self.background.close()
        if self.worker:
            self.worker.cancel()
            await asyncio.wait([self.worker])
