"""Read what a task of the conversation changed, from its checkpoints."""

from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import Checkpoints, Koi
from openkoi_runlog import VIEW_EVENTS, build_view, find_task, list_all_segments
from openkoi_runlog.select_records import select_from

if TYPE_CHECKING:
    from openkoi_runlog import RunView


async def read_changes(koi: Koi, sessions: Path, run: str) -> str:
    """Return the diff of what a task in the log changed."""
    return await diff_changes(koi, read_view(sessions, run))


def read_view(sessions: Path, run: str) -> "RunView":
    """Return a task from the log; other tasks of its session are not read."""
    paths = list_all_segments(sessions, find_task(sessions, run).session)
    return build_view((record for path in paths for record in select_from(path, VIEW_EVENTS, run)), run)


async def diff_changes(koi: Koi, view: "RunView") -> str:
    """Return the diff of a task's changes that were not undone; empty if there is no checkpoint."""
    keeper: Checkpoints | None = await koi.load_chosen("checkpoints")  # type: ignore[assignment]  # what it chooses
    files = view.checkpoints
    if keeper is None or not files.before or files.undone:
        return ""
    until = "" if is_cut_short(view) else files.after
    return "" if files.before == until else koi.redact(await keeper.diff(Path(view.workspace), files.before, until))


def is_cut_short(view: "RunView") -> bool:
    """Return whether a task's last changes are not in a checkpoint, because it was interrupted."""
    return not view.checkpoints.after or (view.completed is None and view.checkpoints.restored is None)
