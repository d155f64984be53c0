"""The chat as its commands see it: the conversation, OpenKoi, and the program that shows both."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError, NextAction, events
from openkoi_runlog import find_task, iterate_past_sessions, list_sessions, read_conversation
from openkoi_runlog.report import format_count

from .added_commands import AddedCommands
from .attachments import Draft
from .cli_commands import Finished, run_openkoi
from .options import Options
from .program_protocol import Front
from .saved_state import SavedState, load_images, load_state, save_images, save_state, state_file
from .session import ChatSession
from .session_names import find_named, read_names
from .session_tasks import Exchange
from .settings import ChatSettings, Mode
from .view import View, warn
from .welcome_back import format_age, read_last_view, welcome_back

if TYPE_CHECKING:
    from openkoi_hookspecs import Launcher, OpenedKoi

NO_SESSION = "No session to continue in this folder. /resume lists those of other folders' tasks by id."
SUMMARY_TASK = (
    "Summarise this conversation for yourself"  # how the task of /compact begins, whose session is not listed
)
NOT_READY = "OpenKoi is still starting."


class ChatProgram:
    """Holds all of a chat but its screen."""

    def __init__(self, launcher: "Launcher", options: Options, view: View, front: Front) -> None:
        self.launcher = launcher
        self.options = options
        self.view = view
        self.front = front
        self.settings = ChatSettings(model=options.model)
        self.session = ChatSession(view, self.settings)
        self.stack = AsyncExitStack()
        self.saved: Path | None = None
        self.history_file = self.names_file = Path()
        self.added = AddedCommands(launcher)
        self.old_draft = ""
        self.old_images: Mapping[str, bytes] = {}
        self.model = ""
        self.tasks: set[asyncio.Task[None]] = set()

    # OpenKoi

    async def open(self) -> None:
        """Open OpenKoi, and take up the session that was asked for."""
        koi = await self.open_koi()
        folder = koi.folder("chat")
        self.saved = state_file(folder, koi.workspace)
        self.history_file, self.names_file = folder / "history.jsonl", folder / "names.json"
        await self.stack.enter_async_context(koi)
        state = load_state(self.saved)
        self.session.sessions = self.launcher.paths().sessions
        if self.options.continued or self.options.session:
            self.take_up(koi, state)
        else:
            self.old_draft, self.old_images = state.draft, load_images(folder, state.images)
        self.session.prepare = self.apply_mode
        self.session.give_back = self.give_back
        self.session.attach(koi, self.session.sessions)
        self.added.find_plugins()
        for warning in koi.warnings():
            warn(self.view, koi.redact(warning))

    def take_up(self, koi: "OpenedKoi", state: SavedState) -> None:
        """Continue the session that the command line names, else the last one here; bring back what was not sent."""
        known = list_sessions(self.session.sessions)
        saved = state.session if state.session in known else ""
        session = self.find_session(self.options.session) if self.options.session else saved
        session = session or next((id for id, *_ in self.list_sessions()), "")
        if session:
            self.session.continue_session(session)
            self.start(self.welcome_back(koi, session))
        else:
            self.view.print(NO_SESSION)
        if session == state.session or not (self.options.session or saved):
            self.restore_state(koi, state)

    async def welcome_back(self, koi: "OpenedKoi", session: str) -> None:
        """Print where the session is, once the log has been read."""
        folder = koi.folder("chat")
        lines = await asyncio.to_thread(welcome_back, self.session.sessions, session, folder, datetime.now(UTC))
        self.view.print("\n".join(koi.redact(line) for line in lines) or NO_SESSION)

    def restore_state(self, koi: "OpenedKoi", state: SavedState) -> None:
        """Bring back the draft, messages that waited, and a rewind after which nothing was asked."""
        if state.rewound_to:
            self.session.koi = koi
            self.load_exchanges()
            place = next((n for n, one in enumerate(self.session.exchanges) if one.run == state.rewound_to), None)
            if place is not None:
                self.session.rewind_to(place)
        images = load_images(self.saved.parent, state.images) if self.saved and state.images else {}
        self.front.set_input(state.draft, images)
        self.session.queue += [
            Draft(text, {chip: data for chip, data in images.items() if chip in text}) for text in state.queue
        ]
        self.session.paused = bool(state.queue)

    async def open_koi(self) -> "OpenedKoi":
        """Open OpenKoi as the settings of the chat ask."""
        asks = self.settings.approvals
        koi = await asyncio.to_thread(self.launcher.open, flags=self.settings.flags, settings=asks)
        self.settings.asks_always = bool(asks)
        return koi

    def give_back(self, draft: Draft) -> None:
        """Put a message that could not be sent back into the input, unless another one is there."""
        if not self.front.input_draft()[0]:
            self.front.set_input(draft.text, draft.images)

    async def reopen(self) -> None:
        """Open OpenKoi again, with other settings; tasks in the background keep theirs."""
        koi = await self.open_koi()
        await koi.resolve_model("executor")
        old, self.stack = self.stack, AsyncExitStack()
        await self.stack.enter_async_context(koi)
        if self.session.background.running:
            self.stack.push_async_callback(old.aclose)
        else:
            await old.aclose()
        self.session.attach(koi, self.session.sessions)

    def set_mode(self, mode: Mode) -> None:
        """Set what the next task may do without asking."""
        self.settings.mode = mode
        self.show_status()

    async def apply_mode(self) -> None:
        """Open OpenKoi again if the mode asks for other approvals."""
        if bool(self.settings.approvals) is not self.settings.asks_always:
            await self.reopen()

    def show_status(self) -> None:
        """Show the model and the mode below the input."""
        mode = self.settings.mode
        self.front.show_status(" · ".join([self.model, *([mode.summary] if mode is not Mode.EDITS else [])]))

    def require_koi(self) -> "OpenedKoi":
        """Return OpenKoi; raise KoiError while it starts."""
        if self.session.koi is None:
            raise KoiError(NOT_READY)
        return self.session.koi

    async def close(self) -> None:
        """Save what waits, stop the task under way, and leave OpenKoi."""
        self.save()
        await self.session.close()
        self.stop_work()
        await self.stack.aclose()

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Do something beside the input; print an error that it raises."""
        task = asyncio.create_task(self.report_errors(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def stop_work(self) -> bool:
        """Stop commands that are under way, such as a shell command; return whether there were any."""
        for task in self.tasks:
            task.cancel()
        return bool(self.tasks)

    async def report_errors(self, work: Coroutine[object, object, None]) -> None:
        """Wait for something; print an error that it raises."""
        try:
            await work
        except (KoiError, OSError) as error:
            warn(self.view, str(error))

    # Sessions

    async def continue_session(self, id: str) -> None:
        """Continue a session by its id or that of a task; an interrupted task is resumed by ``openkoi resume``."""
        koi, session = self.require_koi(), self.find_session(id)
        self.session.continue_session(session)
        await self.welcome_back(koi, session)
        self.save()

    def find_session(self, id: str) -> str:
        """Return the session with an id or a name, or that of a task."""
        sessions = self.session.sessions
        named = find_named(self.names_file, id)
        return named or (id if id in list_sessions(sessions) else find_task(sessions, id).session)

    def unfinished_run(self) -> str:
        """Return the session's last task if it was interrupted or waits for approval; else nothing."""
        view = read_last_view(self.session.sessions, self.session.session)
        if view is None or (view.completed and view.completed.decision.action is not NextAction.ESCALATE):
            return ""
        return view.run

    def list_sessions(self) -> Sequence[tuple[str, str, str]]:
        """Return the last sessions of this folder: id, first message, and how old they are."""
        here, now, names = Path.cwd(), datetime.now(UTC), read_names(self.names_file)
        found = (
            one
            for one in iterate_past_sessions(self.session.sessions)
            if is_within(here, one.last.workspace) and not one.title.startswith(SUMMARY_TASK)
        )
        return [
            (
                one.id,
                names.get(one.id, one.title),
                f"{format_age(one.last.at, now)}, {format_count(len(one.tasks), 'task')}",
            )
            for one in islice(found, 20)
        ]

    def load_exchanges(self) -> None:
        """Read the earlier tasks of the session from the log, unless that was done."""
        known = {one.run for one in self.session.exchanges}
        earlier = [
            Exchange(record.run, record.event.task.text, record.event.task.history)
            for record in self.require_koi().records(self.session.session)
            if isinstance(record.event, events.TaskStarted) and not record.event.task.parent
        ]
        removed = {one.run for one in self.session.rewound.exchanges} if self.session.rewound else set()
        fresh = [one for one in earlier if one.run not in known | removed]
        self.session.exchanges = [*fresh, *self.session.exchanges]

    def last_answer(self) -> str:
        """Return the last answer in Markdown; empty without one."""
        history = read_conversation(self.session.sessions, self.session.session).history
        texts = [getattr(part, "text", "") for message in history[-1:] for part in message.parts]
        return "".join(texts) if history and history[-1].role == "assistant" else ""

    def save(self) -> None:
        """Save what is not in the log."""
        if self.saved and self.session.koi:
            redact, rewound = self.session.koi.redact, self.session.rewound
            waiting = [redact(text) for text in (*(one.text for one in self.session.queue), *self.session.unread)]
            first = rewound.exchanges[0].run if rewound and rewound.exchanges else ""
            draft, images = self.front.input_draft()
            for one in self.session.queue:
                images |= one.images
            names = save_images(self.saved.parent, images) if images else {}
            save_state(self.saved, SavedState(self.session.session, redact(draft), waiting, first, names))

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

        await self.view.run_in_terminal([sys.executable, "-m", "openkoi", *words])

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
