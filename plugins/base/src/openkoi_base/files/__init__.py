"""Read and write the files that belong to a user: keys, questions and answers.

This is a library, without entry points. All files are private to their user, replaced atomically, and changed under a
lock, so that two processes lose nothing.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .active_runs import is_run_active, lock_run
    from .consents import ConsentStore
    from .credentials import STORE_FILE, SavedKey, find_key, list_names, migrate_key_files, save_key
    from .filelock import HAS_LOCKS, lock_beside
    from .private_files import (
        private_folder,
        private_subfolder,
        read_small_text,
        replace_file,
        restrict_permissions,
        sync_folder,
        write_atomically,
    )
    from .processes import is_process_running
    from .project import find_workspace, project_id
    from .project_files import walk
    from .unstartable import UnstartableProgram, diagnose_start

__all__ = [
    "HAS_LOCKS",
    "STORE_FILE",
    "ConsentStore",
    "SavedKey",
    "UnstartableProgram",
    "diagnose_start",
    "find_key",
    "find_workspace",
    "is_process_running",
    "is_run_active",
    "list_names",
    "lock_beside",
    "lock_run",
    "migrate_key_files",
    "private_folder",
    "private_subfolder",
    "project_id",
    "read_small_text",
    "replace_file",
    "restrict_permissions",
    "save_key",
    "sync_folder",
    "walk",
    "write_atomically",
]
