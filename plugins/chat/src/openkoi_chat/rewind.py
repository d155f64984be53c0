"""Rewind the conversation and all files to before one of its messages, with a preview, and undo that again."""

from collections.abc import Sequence

from openkoi_terminal import count_changes, strip_controls

from .cli_commands import run_openkoi
from .session import ChatSession
from .session_tasks import Exchange
from .view import Choice, Dialog

NOTHING = "Nothing to rewind: this conversation has no message yet."
NO_UNDO = "No rewind to undo."
MAX_FILES = 8


async def rewind(session: ChatSession, place: int) -> str:
    """Rewind to before a message, after the user has seen which files change; return its words, for the input."""
    assert session.koi is not None
    removed = session.exchanges[place:]
    lines = [*await preview(session, removed)]
    choices = (
        Choice("b", "Both the conversation and the files", "both"),
        Choice("c", "Only the conversation; files stay as they are", "conversation"),
        Choice("n", "Neither", ""),
    )
    answer = await session.view.choose(Dialog(lines, choices))
    if not answer:
        return ""
    if answer == "both":
        await restore(session, "undo", [one.run for one in reversed(removed)])
    session.rewind_to(place)
    session.view.print(session.view.style.mark("  rewound; /rewind undo brings it back", "dim"))
    return removed[0].text


async def preview(session: ChatSession, removed: Sequence[Exchange]) -> Sequence[str]:
    """Return what a rewind would change: how many messages, and which files."""
    assert session.koi is not None
    files: dict[str, None] = {}
    for one in removed:
        shown = await run_openkoi("diff", one.run, folder=session.koi.workspace)
        files |= dict.fromkeys(count.text for count in count_changes(f"{shown.text}\n")) if shown.status == 0 else {}
    count = f"{len(removed)} message{'s' * (len(removed) != 1)}"
    listed = [f"  {strip_controls(text)}" for text in [*files][:MAX_FILES]]
    more = [f"  and {len(files) - MAX_FILES} more"] if len(files) > MAX_FILES else []
    return [f"Rewind {count}, to before: {first_words(removed[0].text)}", *(listed or ["  no file changes"]), *more]


def first_words(text: str) -> str:
    """Return the beginning of a message in one line."""
    line = " ".join(strip_controls(text).split())
    return line if len(line) <= 60 else f"{line[:59]}…"


async def undo_rewind(session: ChatSession) -> None:
    """Bring back the conversation and the files as they were before the last rewind."""
    if session.rewound is None:
        session.view.print(NO_UNDO)
        return
    back, session.rewound = session.rewound.exchanges, None
    await restore(session, "redo", [one.run for one in back])
    session.exchanges = [*session.exchanges, *back]
    session.reload_history()
    session.view.print(session.view.style.mark("  the rewind is undone", "dim"))


async def restore(session: ChatSession, command: str, runs: Sequence[str]) -> None:
    """Undo or redo tasks one after the other, and show what came of those that changed files."""
    assert session.koi is not None
    for run in runs:
        done = await run_openkoi(command, run, folder=session.koi.workspace)
        if "changed no file" not in done.text and "has not been undone" not in done.text:
            session.view.print(session.view.style.mark(strip_controls(done.text), "dim"))
