"""Continue a chat session: show where it ended, and restore what was not sent."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from openkoi_runlog import list_sessions
from openkoi_runlog.last_task import read_last_task

from .attachments import Draft
from .chat import ChatProgram
from .saved_state import SavedState, load_images, load_state
from .settings import Mode
from .task_view import TaskView
from .welcome_back import welcome_back

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi

NO_SESSION = (
    "No session to continue in this folder. "
    "`openkoi sessions --all` lists the sessions of all folders; /resume ID opens one."
)
REWOUND = (
    "Every message of this conversation was rewound. /rewind undo restores the messages that the last rewind removed."
)


async def open_chat(chat: ChatProgram) -> None:
    """Open OpenKoi, continue the requested session, and run everything that has waited."""
    koi = await chat.open()
    states, elsewhere = [*chat.opened.states()], chat.opened.is_elsewhere
    if chat.options.continued or chat.options.session:
        take_up(chat, koi, states)
    elif states and not elsewhere(states[0].session):
        chat.old_draft, chat.old_images = states[0].draft, load_images(chat.opened.folder, states[0].images)
    chat.attach(koi)


async def continue_session(chat: ChatProgram, id: str) -> None:
    """Continue a session by its id or that of a task; only ``/resume`` resumes an interrupted task."""
    koi, session = chat.require_koi(), chat.find_session(id)
    state = load_state(chat.opened.file_of(session))
    if chat.enter_session(session):
        restore_state(chat, state)
    await show_past(chat, koi, session)
    chat.save()


def take_up(chat: ChatProgram, koi: "OpenedKoi", states: Sequence[SavedState]) -> None:
    """Continue the session that the command line names, else the last one here; restore what was not sent."""
    known = list_sessions(chat.session.sessions)
    named = chat.find_session(chat.options.session) if chat.options.session else ""
    wanted = (one for one in states if (one.session == named if named else is_wanted(chat, one, known)))
    state = next(wanted, SavedState())
    session = named or (state.session if state.session in known else "")
    session = session or next((id for id, *_ in chat.list_sessions(koi.workspace)), "")
    if state.mode in list(Mode):
        chat.settings.mode = Mode(state.mode)
    if not session:
        chat.view.print(NO_SESSION)
    elif not chat.enter_session(session):
        state = SavedState()  # nothing in this copy: the other chat continues the task
    if session:
        chat.start(show_past(chat, koi, session))
    restore_state(chat, state)


def is_wanted(chat: ChatProgram, state: SavedState, known: Collection[str]) -> bool:
    """Return whether a saved chat contains a message, or a draft that is not in an open chat."""
    return state.session in known or (state.has_unsent and not chat.opened.is_elsewhere(state.session))


async def show_past(chat: ChatProgram, koi: "OpenedKoi", session: str) -> None:
    """Print a summary of a session and show its last task again, once the log has been read."""
    copied, now = session != chat.session.session, datetime.now(UTC)
    folder, sessions = koi.folder("chat"), chat.session.sessions
    lines = await asyncio.to_thread(welcome_back, sessions, session, folder, now, copied=copied)
    chat.view.print("\n".join(koi.redact(line) for line in lines) or REWOUND)
    records = await asyncio.to_thread(read_last_task, sessions, session)
    if records:
        TaskView(chat.view, records[0].run, koi.redact).replay(records)


def restore_state(chat: ChatProgram, state: SavedState) -> None:
    """Restore the draft and the queued messages."""
    session = chat.session
    images = load_images(chat.opened.folder, state.images) if state.images else {}
    if state.draft:
        chat.front.set_input(state.draft, images)
    session.queue += [
        Draft(text, {chip: data for chip, data in images.items() if chip in text}) for text in state.queue
    ]
    session.paused = bool(state.queue)
