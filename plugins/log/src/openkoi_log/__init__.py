"""The run log of OpenKoi, for whoever writes or reads it without a kernel: a library, without entry points.

A ``RunLog`` writes records, ``read_segment`` reads them, ``past_tasks`` tells of tasks from the log alone; nothing is
written that a ``Redactor`` has not seen.
"""

from .codec import decode, encode
from .filelock import locked
from .history import Call, Past, find_task, paid_calls, past_tasks, records_of
from .private import private_folder, read_text, replace_file, tightened
from .reading import read_segment, segments
from .redact import MASK, Redactor, environment_secrets, masked
from .runlog import LogFault, RunLog, session_id
from .transcript import Damaged, read_line, sealed, write_line

__all__ = [
    "MASK",
    "Call",
    "Damaged",
    "LogFault",
    "Past",
    "Redactor",
    "RunLog",
    "decode",
    "encode",
    "environment_secrets",
    "find_task",
    "locked",
    "masked",
    "paid_calls",
    "past_tasks",
    "private_folder",
    "read_line",
    "read_segment",
    "read_text",
    "records_of",
    "replace_file",
    "sealed",
    "segments",
    "session_id",
    "tightened",
    "write_line",
]
