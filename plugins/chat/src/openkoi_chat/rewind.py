"""Rewind the conversation and all files to before one of its messages, with a preview, and undo a rewind."""

from collections.abc import Iterable, Mapping, Sequence

from openkoi_base.counts import format_count
from openkoi_hookspecs import events
from openkoi_terminal import count_changes, strip_controls

from .changes import read_changes, read_view
from .cli_commands import run_openkoi
from .session import ChatSession
from .session_tasks import Exchange, read_session_tasks
from .view import Choice, Dialog

NOTHING = "Nothing to rewind: this conversation has no message yet."
NO_UNDO = "No rewind to undo."
MAX_FILES = 8


def load_exchanges(session: ChatSession) -> None:
    """Read the tasks of the session from the log; the tasks of a session that it was forked from are only in memory."""
    tasks = read_session_tasks(session.sessions, session.session)
    earlier = [one for one in session.exchanges if one.run not in tasks.views]
    session.exchanges = [*earlier, *tasks.current]
    session.rewound = session.rewound or tasks.rewound


async def rewind(session: ChatSession, place: int) -> str:
    """Rewind to before a message, after the user has seen which files change; return its words, for the input.

    The last message is removed first, and before its files are restored, so that an interrupted rewind can be undone.
    """
    removed = session.exchanges[place:]
    files = await read_files(session, removed)
    choices = (
        Choice("b", "Both the conversation and the files", "both"),
        Choice("c", "Only the conversation; files stay as they are", "conversation"),
        Choice("n", "Neither", ""),
    )
    answer = await session.view.choose(Dialog(describe_rewind(removed, files), choices))
    if not answer:
        return ""
    tasks, first = read_session_tasks(session.sessions, session.session), removed[0]
    for one in reversed(removed):
        if one.run in tasks.views:
            await log_for(session, (*tasks.parts(one.run), one.run), events.ConversationRewound(first.run))
        if answer == "both" and one.run in files:
            await restore(session, ("undo", "--rewind"), one.run)
    session.exchanges, session.rewound = session.exchanges[:place], removed
    session.before_rewind, session.history, session.logged_run = session.history, first.history, ""
    session.view.note("  rewound; to undo this, type /rewind undo", "dim")
    return first.text


async def read_files(session: ChatSession, removed: Sequence[Exchange]) -> Mapping[str, Sequence[str]]:
    """Return the files that each of these tasks changed, by run; omit tasks that changed none."""
    koi = session.require_koi()
    diffs = {one.run: await read_changes(koi, session.sessions, one.run) for one in removed}
    return {run: [count.text for count in count_changes(diff)] for run, diff in diffs.items() if diff}


def describe_rewind(removed: Sequence[Exchange], files: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return what a rewind would change: how many messages, and which files."""
    texts = [*dict.fromkeys(text for some in files.values() for text in some)]
    listed = [f"  {strip_controls(text)}" for text in texts[:MAX_FILES]]
    more = [f"  and {len(texts) - MAX_FILES} more"] if len(texts) > MAX_FILES else []
    count = format_count(len(removed), "message")
    return [f"Rewind {count}, to before: {first_words(removed[0].text)}", *(listed or ["  no file changes"]), *more]


def first_words(text: str) -> str:
    """Return the beginning of a message in one line."""
    line = " ".join(strip_controls(text).split())
    return line if len(line) <= 60 else f"{line[:59]}…"


async def undo_rewind(session: ChatSession) -> None:
    """Restore the conversation and the files to their state before the last rewind."""
    load_exchanges(session)
    if not session.rewound:
        session.view.note(NO_UNDO)
        return
    back, tasks = session.rewound, read_session_tasks(session.sessions, session.session)
    undone = events.ConversationRewound(back[0].run, undone=True)
    for one in back:
        view = read_view(session.sessions, one.run)
        if view.undone and not view.checkpoints.rejected:
            await restore(session, ("redo",), one.run)
        if one.run in tasks.views:
            await log_for(session, (one.run, *tasks.parts(one.run)), undone)
    session.exchanges, session.rewound = [*session.exchanges, *back], []
    if tasks.views:
        session.reload_history()
    else:
        session.history = session.before_rewind
    session.view.note("  undid the rewind", "dim")


async def restore(session: ChatSession, command: Sequence[str], run: str) -> None:
    """Undo or redo a task, and show the result if it changed files."""
    done = await run_openkoi(*command, run, folder=session.require_koi().workspace)
    if "changed no file" not in done.text and "has not been undone" not in done.text:
        session.view.note(strip_controls(done.text), "dim")


async def log_for(session: ChatSession, runs: Iterable[str], event: events.ConversationRewound) -> None:
    """Log an event for several runs."""
    for run in runs:
        await session.require_koi().emit(event, run=run)
