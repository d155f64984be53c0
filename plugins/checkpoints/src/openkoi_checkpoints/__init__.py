"""Keep versions of a workspace outside it, for OpenKoi."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
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
