"""The files that are a user's own: keys, questions and answers. A library, without entry points.

All are private to their user, replaced as a whole, and changed under a lock, so that two processes lose nothing.
"""

from .answers import Answers
from .asker import Asker
from .credentials import STORE, SavedKey, moved_in, save_key, saved_key, saved_names
from .daybook import Daybook
from .filelock import locked
from .private import private_folder, read_text, replace_file, tightened
from .processes import is_process_running
from .programs import Unstartable, unstartable
from .project import project_id
from .questions import Questions
from .underway import is_under_way, under_way

__all__ = [
    "STORE",
    "Answers",
    "Asker",
    "Daybook",
    "Questions",
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
    "tightened",
    "under_way",
    "unstartable",
]
