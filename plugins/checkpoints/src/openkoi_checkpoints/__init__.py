"""Keep versions of a workspace outside it, for OpenKoi."""

from .checkpoint_store import CheckpointStore
from .errors import CheckpointNotFoundError, CheckpointStoreError, WorkspaceTooLargeError
from .save_before_write import SaveBeforeWrite

__all__ = [
    "CheckpointNotFoundError",
    "CheckpointStore",
    "CheckpointStoreError",
    "SaveBeforeWrite",
    "WorkspaceTooLargeError",
]
