"""Find the learned entry that a command names by its id."""

from openkoi_base.files.project import project_id
from openkoi_base.files.short_ids import find_by_prefix
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError

from .entry import LearningEntry
from .recalled_tasks import PREFIX, past_tasks_id
from .state import LearningState


class EntryNotFoundError(PluginNotFoundError):
    """No entry has this id."""

    def __init__(self, id: str, what: str = "entry") -> None:
        KoiError.__init__(self, f"No {what} named {id!r}. To list all entries, run `openkoi learn list --all`.")


def find_entry(koi: Koi, state: LearningState, id: str) -> LearningEntry:
    """Return the entry with this id or unique prefix; ``past-tasks`` alone is that of this project.

    Raises KoiError, which is EntryNotFoundError if there is none.
    """
    prefix = past_tasks_id(project_id(koi.workspace)) if id == PREFIX else id
    if not any(one.startswith(prefix) for one in state.known):
        raise EntryNotFoundError(id)
    return find_by_prefix(prefix, state.known, "entry", "entries")
