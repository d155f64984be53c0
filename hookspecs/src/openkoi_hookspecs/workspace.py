"""Events about the files of a workspace. They are used as ``events.BaselineSaved`` and so on."""

from collections.abc import Mapping

from .events_base import Event
from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class BaselineSaved(Event):
    """The workspace as it was before the run changed anything, as a checkpoint."""

    name = "workspace.kept"
    checkpoint: str


@dataclass(frozen=True, slots=True)
class RunForked(Event):
    """This run begins as another one did: all before iteration ``at`` is its past, and ``changed`` settings hold after.

    ``checkpoint`` is the workspace as it was when it was forked, before its files went back to where that past ends.
    """

    name = "run.forked"
    run: str
    at: int
    changed: Mapping[str, str]
    checkpoint: str = ""


@dataclass(frozen=True, slots=True)
class WorkspaceRestored(Event):
    """The run's changes were undone or redone: the workspace is as in this checkpoint, but for what others changed.

    ``kept`` is how it was before that, where the run itself had not kept it. ``conflicts`` are the files that were left
    as they are because others changed them, too. ``reverted``: the
    files were so already, because others, such as git, had reverted them. ``rewound``: the user went back to before the
    run in the conversation, which says nothing against what it did.
    """

    name = "workspace.restored"
    checkpoint: str
    kept: str = ""
    conflicts: tuple[str, ...] = ()
    reverted: bool = False
    rewound: bool = False
