"""Rewind the conversation and all files to before one of its messages, with a preview, and undo that again."""

from collections.abc import Mapping, Sequence

from openkoi_runlog.report import format_count
from openkoi_terminal import count_changes, strip_controls

from .changes import read_changes
from .cli_commands import run_openkoi
from .session import ChatSession
from .session_tasks import Exchange
from .view import Choice, Dialog

NOTHING = "Nothing to rewind: this conversation has no message yet."
NO_UNDO = "No rewind to undo."
MAX_FILES = 8


async def rewind(session: ChatSession, place: int) -> str:
    """Rewind to before a message, after the user has seen which files change; return its words, for the input."""
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
    if answer == "both":
        await restore(session, ("undo", "--rewind"), [one.run for one in reversed(removed) if one.run in files])
    session.rewind_to(place)
    session.view.note("  rewound; to undo this, type /rewind undo", "dim")
    return removed[0].text


async def read_files(session: ChatSession, removed: Sequence[Exchange]) -> Mapping[str, Sequence[str]]:
    """Return the files that each of these tasks changed, by its run; a task without any is left out."""
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
    """Bring back the conversation and the files as they were before the last rewind."""
    if session.rewound is None:
        session.view.note(NO_UNDO)
        return
    back, session.rewound = session.rewound.exchanges, None
    await restore(session, ("redo",), [one.run for one in back])
    session.exchanges = [*session.exchanges, *back]
    session.reload_history()
    session.view.note("  undid the rewind", "dim")


async def restore(session: ChatSession, command: Sequence[str], runs: Sequence[str]) -> None:
    """Undo or redo tasks one after the other, and show what came of those that changed files."""
    assert session.koi is not None
    for run in runs:
        done = await run_openkoi(*command, run, folder=session.koi.workspace)
        if "changed no file" not in done.text and "has not been undone" not in done.text:
            session.view.note(strip_controls(done.text), "dim")
