"""The files that are a user's own: keys, questions and answers. A library, without entry points.

All are private to their user, replaced as a whole, and changed under a lock, so that two processes lose nothing.
"""

from .consents import Consents
from .credentials import STORE, SavedKey, moved_in, save_key, saved_key, saved_names
from .filelock import LOCKS, locked
from .private import private_folder, read_text, replace_file, sync_folder, tightened
from .processes import is_process_running
from .programs import Unstartable, unstartable
from .project import project_id
from .underway import is_under_way, under_way

__all__ = [
    "LOCKS",
    "STORE",
    "Consents",
    "SavedKey",
    "Unstartable",
    "is_process_running",
    "is_under_way",
    "locked",
    "moved_in",
    "private_folder",
    "project_id",
    "read_text",
    "replace_file",
    "save_key",
    "saved_key",
    "saved_names",
    "sync_folder",
    "tightened",
    "under_way",
    "unstartable",
]
