"""Events about returning to an earlier state: baselines, forks, restored files and rewound conversations.

They are used as ``events.BaselineSaved``, ``events.RunForked`` and so on.
"""

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
    """A run that starts from another run: everything before iteration ``at`` of that run is its past.

    The ``changed`` settings apply after that. ``checkpoint`` is the workspace when the run was forked, before its files
    were restored to their state at the end of that past.
    """

    name = "run.forked"
    run: str
    at: int
    changed: Mapping[str, str]
    checkpoint: str = ""


@dataclass(frozen=True, slots=True)
class WorkspaceRestored(Event):
    """The run's changes were undone or redone: the workspace is as in this checkpoint, except for changes by others.

    ``kept`` is the checkpoint of the state before that, if the run itself had not saved one. ``conflicts`` are the
    files that were left as they are because others also changed them. ``reverted``: the files already were in that
    state, because others, such as git, had reverted them. ``rewound``: the user rewound the conversation to before the
    run, which does not mean that its changes were bad.
    """

    name = "workspace.restored"
    checkpoint: str
    kept: str = ""
    conflicts: tuple[str, ...] = ()
    reverted: bool = False
    rewound: bool = False


@dataclass(frozen=True, slots=True)
class ConversationRewound(Event):
    """The user rewound the conversation to before the run ``to``, and this run is no longer part of it.

    Later tasks do not recall it. ``undone``: the user undid the rewind, and the run is part of the conversation again.
    """

    name = "conversation.rewound"
    to: str
    undone: bool = False
