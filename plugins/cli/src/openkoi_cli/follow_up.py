"""Continue a session (``-c``): find the conversation that a follow-up belongs to."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from openkoi_hookspecs import Paths
    from openkoi_runlog import Conversation

NO_SESSION = "No session to continue in {folder}. Run `openkoi sessions --all` to list the sessions of all folders."
RUNNING = "Task {id} of this session is still running. Wait until it ends, or stop it, before you continue the session."
MODEL_FLAGS = ("model", "executor", "evaluator")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The session that a follow-up continues: that of a task or, without a task, the last one in this folder."""

    task_id: str = ""


def continue_session(
    task: Task, follow_up: FollowUp, flags: Mapping[str, object], paths: "Paths"
) -> tuple[Task, dict[str, object]]:
    """Return the task as the next one of a session, and the settings that the session's command line set."""
    found = find_conversation(follow_up, paths)
    workspace = found.workspace if follow_up.task_id else ""
    if workspace and not Path(workspace).is_dir():
        raise KoiError(
            f"The session ran in {workspace}, which no longer exists. "
            "Restore that folder, or start a new session in another one."
        )
    following = replace(task, session=found.session, history=found.history, workspace=workspace)
    return following, keep_models(found.models, flags)


def find_conversation(follow_up: FollowUp, paths: "Paths") -> "Conversation":
    """Return the conversation to continue; raise KoiError if there is none, or its last task is running."""
    from openkoi_base.files import is_run_active
    from openkoi_runlog import read_conversation

    id = follow_up.task_id
    session = find_session(paths.sessions, id) if id else find_last_session(paths.sessions)
    found = read_conversation(paths.sessions, session)
    if is_run_active(paths.running, found.last):
        raise KoiError(RUNNING.format(id=found.last[:8]))
    return found


def find_last_session(sessions: Path) -> str:
    """Return the session of the last task in this folder; raise KoiError without one."""
    from openkoi_base.files import find_workspace
    from openkoi_runlog import iterate_past_tasks

    here = find_workspace(Path.cwd())
    for past in iterate_past_tasks(sessions):
        if Path(past.workspace) == here:
            return past.session
    raise KoiError(NO_SESSION.format(folder=here))


def find_session(sessions: Path, task_id: str) -> str:
    """Return the session with an id, or the session of the task with an id or prefix."""
    from openkoi_runlog import find_task, list_sessions

    return task_id if task_id in list_sessions(sessions) else find_task(sessions, task_id).session


def keep_models(models: Mapping[str, str], flags: Mapping[str, object]) -> dict[str, object]:
    """Return the models that the session's last command line set, unless this one sets any."""
    return {} if any(flags.get(name) for name in MODEL_FLAGS) else dict(models)
