"""Keep versions of a workspace outside it, for OpenKoi."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .checkpoint_store import CheckpointStore as CheckpointStore
    from .errors import CheckpointNotFoundError as CheckpointNotFoundError
    from .errors import CheckpointStoreError as CheckpointStoreError
    from .errors import WorkspaceTooLargeError as WorkspaceTooLargeError
    from .save_before_write import SaveBeforeWrite as SaveBeforeWrite
