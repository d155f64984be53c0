"""The chat as its commands see it: the conversation, OpenKoi, and the program that shows both."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.counts import format_count
from openkoi_base.files import describe_write_error
from openkoi_hookspecs import KoiError, NextAction
from openkoi_runlog import find_task, iterate_past_sessions, list_sessions, read_conversation

from .added_commands import AddedCommands
from .attachments import Draft
from .cli_commands import Finished, current_folder, run_openkoi
from .open_sessions import OpenSession
from .options import Options
from .program_protocol import Front
from .saved_state import SavedState, save_images
from .session import ChatSession
from .session_names import find_named, read_names
from .settings import ChatSettings, Mode
from .view import View, warn
from .welcome_back import format_age, read_last_view

if TYPE_CHECKING:
    from openkoi_hookspecs import Launcher, OpenedKoi

ELSEWHERE = (
    "That session is open in another chat, which keeps its task and draft; "
    "this chat continues in a copy of the session."
)
NO_FOLDER = "Cannot create {file} for the chat: {why}, or set OPENKOI_HOME."
NOT_READY = "OpenKoi is still starting."


class ChatProgram:
    """Holds everything in a chat except its screen."""

    def __init__(self, launcher: "Launcher", options: Options, view: View, front: Front) -> None:
        self.launcher = launcher
        self.options = options
        self.view = view
        self.front = front
        self.settings = ChatSettings(model=options.model)
        self.session = ChatSession(view, self.settings)
        self.stack = AsyncExitStack()
        self.opened = OpenSession(Path(), Path())
        self.history_file = self.names_file = Path()
        self.is_first = False
        self.added = AddedCommands(launcher)
        self.old_draft = ""
        self.old_images: Mapping[str, bytes] = {}
        self.model = ""
        self.tasks: set[asyncio.Task[None]] = set()
        self.command_lock = asyncio.Lock()

    # OpenKoi

    async def open(self) -> "OpenedKoi":
        """Open OpenKoi; return it. Raise KoiError if the chat's state cannot be saved."""
        koi = await self.open_koi()
        try:
            folder = koi.folder("chat")
        except OSError as error:
            raise KoiError(NO_FOLDER.format(file=error.filename, why=describe_write_error(error))) from None
        self.is_first = not any(folder.iterdir())
        self.opened = OpenSession(folder, koi.workspace)
        self.history_file, self.names_file = folder / "history.jsonl", folder / "names.json"
        await self.stack.enter_async_context(koi)
        self.session.sessions = self.launcher.paths().sessions
        return koi

    def attach(self, koi: "OpenedKoi") -> None:
        """Let the conversation use OpenKoi, and run everything that was waiting for it."""
        self.session.prepare = self.apply_mode
        self.session.give_back = self.give_back
        self.session.attach(koi, self.session.sessions)
        self.added.find_plugins()
        self.save()
        for warning in koi.warnings():
            warn(self.view, koi.redact(warning))

    def enter_session(self, session: str) -> bool:
        """Continue a session, or a copy if another chat has it open; return whether it is the session itself."""
        self.session.continue_session(session)
        if self.opened.hold(session):
            return True
        self.session.fork()
        self.view.note(ELSEWHERE)
        return False

    async def open_koi(self) -> "OpenedKoi":
        """Open OpenKoi with the settings of the chat."""
        asks = self.settings.approvals
        koi = await asyncio.to_thread(self.launcher.open, flags=self.settings.flags, settings=asks)
        self.settings.asks_always = bool(asks)
        return koi

    def give_back(self, draft: Draft) -> None:
        """Put a message that could not be sent back into the input, unless that contains another one."""
        if not self.front.input_draft()[0]:
            self.front.set_input(draft.text, draft.images)

    async def reopen(self) -> None:
        """Open OpenKoi again, with other settings; tasks in the background keep theirs."""
        async with AsyncExitStack() as stack:
            koi = await stack.enter_async_context(await self.open_koi())
            await koi.resolve_model("executor")  # without a model, all is as before
            old, self.stack = self.stack, stack.pop_all()
        if self.session.background.running:
            self.stack.push_async_callback(old.aclose)
        else:
            await old.aclose()
        self.session.attach(koi, self.session.sessions)

    def set_mode(self, mode: Mode) -> None:
        """Set what the next task may do without asking."""
        self.settings.mode = mode
        self.show_status()
        self.save()

    async def apply_mode(self) -> None:
        """Open OpenKoi again if the mode asks for other approvals."""
        if bool(self.settings.approvals) is not self.settings.asks_always:
            await self.reopen()

    def show_status(self) -> None:
        """Show the mode and the model in the status line, below the input."""
        self.front.show_status(f"{self.settings.mode.summary} (Shift-Tab) · {self.model}")

    def require_koi(self) -> "OpenedKoi":
        """Return OpenKoi; raise KoiError while it starts."""
        if self.session.koi is None:
            raise KoiError(NOT_READY)
        return self.session.koi

    async def close(self) -> None:
        """Save queued messages, stop the current task, and close OpenKoi."""
        self.save()
        await self.session.close()
        self.stop_work()
        await self.stack.aclose()
        self.opened.close()

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Run a coroutine alongside the input; print any error that it raises."""
        task = asyncio.create_task(self.report_errors(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def stop_work(self) -> bool:
        """Stop running commands, such as a shell command; return whether there were any."""
        for task in self.tasks:
            task.cancel()
        return bool(self.tasks)

    def stop(self) -> bool:
        """Interrupt the current task; without one, stop commands. Return whether there was anything to stop."""
        if self.session.handle:
            self.session.interrupt()
            return True
        return self.stop_work()

    async def report_errors(self, work: Coroutine[object, object, None]) -> None:
        """Wait for a coroutine; print any error that it raises."""
        try:
            await work
        except (KoiError, OSError) as error:
            warn(self.view, str(error))

    # Sessions

    def find_session(self, id: str) -> str:
        """Return the session with an id or a name, or that of a task."""
        sessions = self.session.sessions
        named = find_named(self.names_file, id)
        return named or (id if id in list_sessions(sessions) else find_task(sessions, id).session)

    def unfinished_run(self) -> str:
        """Return the session's last task if it was interrupted or waits for approval; else None."""
        view = read_last_view(self.session.sessions, self.session.session)
        if view is None or (view.completed and view.completed.decision.action is not NextAction.ESCALATE):
            return ""
        return view.run

    def list_sessions(self, workspace: Path) -> Sequence[tuple[str, str, str]]:
        """Return the last sessions of this folder: id, first message, and age."""
        here, now, names = current_folder(workspace), datetime.now(UTC), read_names(self.names_file)
        sessions = iterate_past_sessions(self.session.sessions)
        found = (one for one in sessions if is_within(here, one.last.workspace))
        return [
            (
                one.id,
                names.get(one.id, one.title),
                f"{format_age(one.last.at, now)}, {format_count(len(one.tasks), 'task')}",
            )
            for one in islice(found, 20)
        ]

    def last_answer(self) -> str:
        """Return the last answer in Markdown; empty if there is none."""
        history = read_conversation(self.session.sessions, self.session.session).history
        texts = [getattr(part, "text", "") for message in history[-1:] for part in message.parts]
        return "".join(texts) if history and history[-1].role == "assistant" else ""

    def save(self) -> None:
        """Save the state that is not in the log."""
        if self.session.koi:
            redact = self.session.koi.redact
            waiting = [redact(text) for text in (*(one.text for one in self.session.queue), *self.session.unread)]
            draft, images = self.front.input_draft()
            for one in self.session.queue:
                images |= one.images
            names = save_images(self.opened.folder, images) if images else {}
            mode = self.settings.mode.value
            state = SavedState(self.session.session, redact(draft), waiting, names, mode)
            self.opened.save(state, is_empty=not self.session.last_run)

    # Other commands

    async def run_cli(self, *words: str) -> Finished:
        """Run a command of ``openkoi`` in this folder."""
        self.front.show_busy(f"openkoi {words[0]}…")
        try:
            return await run_openkoi(*words, folder=self.require_koi().workspace, columns=self.view.columns)
        finally:
            self.front.show_busy("")

    async def hand_over(self, *words: str) -> None:
        """Run a command of ``openkoi`` that asks the user, on the terminal."""
        import sys

        await self.view.run_in_terminal([sys.executable, "-P", "-m", "openkoi", *words])

    async def show_in_pager(self, text: str) -> None:
        """Show a long text in the user's pager, which uses the alternate screen."""
        import os
        import shlex
        from tempfile import NamedTemporaryFile

        with NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            pager = shlex.split(os.environ.get("PAGER") or "less -R")
            await self.view.run_in_terminal([*pager, file.name])


def is_within(here: Path, workspace: str) -> bool:
    """Return whether a folder is a workspace or in it."""
    with suppress(ValueError):
        return here.is_relative_to(workspace)
    return False
