"""After an interruption (Esc), ask what to do with the changed files: keep them, undo them, or keep only some."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.files.diffs import changed_files
from openkoi_terminal import strip_controls

from .changes import diff_changes, read_view
from .cli_commands import run_openkoi
from .view import Choice, Dialog, View

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi
    from openkoi_runlog.report import RunReport

KEEP, UNDO, SOME = "keep", "undo", "some"
KEPT = "  /undo {run} undoes the task's changes"
UNTOUCHED = "Interrupted. No files were changed."


async def ask_what_to_keep(view: View, koi: "Koi", sessions: Path, report: "RunReport") -> None:
    """Ask about the changed files of an interrupted task; if there are none, report the interruption.

    The log is read only for a task that began before it was resumed here.
    """
    run, begun_here = report.run, report.view.started is not None
    files = changed_files(await diff_changes(koi, report.view if begun_here else read_view(sessions, run)))
    if not files:
        view.note(UNTOUCHED, "yellow")
        return
    answer = await view.choose(make_dialog(files)) or KEEP
    choice, _, words = answer.partition(":")
    if choice == KEEP:
        view.note(KEPT.format(run=run[:8]), "dim")
    else:
        await undo_but(view, koi, run, match_files(words, files) if choice == SOME else ())


def make_dialog(files: Sequence[str]) -> Dialog:
    """Return the question about changed files."""
    listed = [f"  [{number}] {strip_controls(file)}" for number, file in enumerate(files, 1)]
    choices = (
        Choice("u", "Undo all of them", UNDO),
        Choice("o", "Keep only these files…", SOME, wants_text="Which files? Enter their numbers or names"),
        Choice("k", "Keep them", KEEP),
    )
    return Dialog(["Interrupted. The task changed these files:", *listed], choices, selected=len(choices) - 1)


def match_files(words: str, files: Sequence[str]) -> Sequence[str]:
    """Return the files that the user chose by number or name."""
    named = words.replace(",", " ").split()
    return [file for number, file in enumerate(files, 1) if str(number) in named or file in named]


async def undo_but(view: View, koi: "Koi", run: str, kept: Iterable[str]) -> None:
    """Undo a task's changes, except in some files."""
    folder = koi.workspace
    contents = {file: read_state(folder / file) for file in kept}
    done = await run_openkoi("undo", run, folder=folder)
    view.note(strip_controls(done.text))
    write_back(folder, contents)
    if contents:
        view.note(f"  kept: {', '.join(map(strip_controls, contents))}")


def read_state(path: Path) -> tuple[bytes, int] | None:
    """Return a file's content and mode; None if it does not exist."""
    return (path.read_bytes(), path.stat().st_mode) if path.is_file() else None


def write_back(folder: Path, contents: Mapping[str, tuple[bytes, int] | None]) -> None:
    """Restore files to a state that was read before."""
    for name, state in contents.items():
        path = folder / name
        if state is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(state[0])
        path.chmod(state[1])
