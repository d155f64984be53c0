"""Read and write the files that belong to a user: keys, questions and answers.

This is a library, without entry points. All files are private to their user, replaced atomically, and changed under a
lock, so that two processes lose nothing.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .active_runs import is_run_active as is_run_active
    from .active_runs import lock_run as lock_run
    from .consents import ConsentStore as ConsentStore
    from .credentials import STORE_FILE as STORE_FILE
    from .credentials import SavedKey as SavedKey
    from .credentials import find_key as find_key
    from .credentials import list_names as list_names
    from .credentials import migrate_key_files as migrate_key_files
    from .credentials import save_key as save_key
    from .filelock import HAS_LOCKS as HAS_LOCKS
    from .filelock import lock_beside as lock_beside
    from .private_files import private_folder as private_folder
    from .private_files import private_subfolder as private_subfolder
    from .private_files import read_small_text as read_small_text
    from .private_files import replace_file as replace_file
    from .private_files import restrict_permissions as restrict_permissions
    from .private_files import sync_folder as sync_folder
    from .private_files import write_atomically as write_atomically
    from .processes import is_process_running as is_process_running
    from .project import find_workspace as find_workspace
    from .project import project_id as project_id
    from .project_files import walk as walk
    from .unstartable import UnstartableProgram as UnstartableProgram
    from .unstartable import diagnose_start as diagnose_start
    from .write_errors import describe_write_error as describe_write_error
