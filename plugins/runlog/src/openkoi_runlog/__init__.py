"""The run log of OpenKoi, for whoever writes or reads it without a kernel: a library, without entry points.

A ``RunLog`` writes records, ``read_segment`` reads them, ``past_tasks`` tells of tasks from the log alone; nothing is
written that a ``Redactor`` (of ``openkoi_base.redact``) has not seen.
"""

from .blobs import blob_folder, digests_in, path_of, store_blobs
from .codec import decode, encode, to_dict
from .excerpts import Excerpts
from .forking import Beginning, beginning_of, last_checkpoint, part_of, renamed
from .history import Call, Past, find_task, paid_calls, past_tasks, records_of
from .iteration_view import FindingView, IterationView, Phase
from .masked import masked
from .packed import beyond, is_packed, length_of, lines_from, name_of
from .plugin_calls import plugin_call_id
from .reading import all_segments, read_segment, segments
from .replayable import UNAPPROVED
from .rerun import UNKNOWN, Rerun, rerun_of
from .run_summaries import sessions_of, summarize_runs
from .run_view import QuestionView, RunView
from .run_views import in_order, view_of, views_of
from .runlog import LogFault, RunLog, session_id
from .selecting import head_of, is_kind, select_from, select_records, spelled
from .transcript import Damaged, read_line, redacted, sealed, write_line

__all__ = [
    "UNAPPROVED",
    "UNKNOWN",
    "Beginning",
    "Call",
    "Damaged",
    "Excerpts",
    "FindingView",
    "IterationView",
    "LogFault",
    "Past",
    "Phase",
    "QuestionView",
    "Rerun",
    "RunLog",
    "RunView",
    "all_segments",
    "beginning_of",
    "beyond",
    "blob_folder",
    "decode",
    "digests_in",
    "encode",
    "find_task",
    "head_of",
    "in_order",
    "is_kind",
    "is_packed",
    "last_checkpoint",
    "length_of",
    "lines_from",
    "masked",
    "name_of",
    "paid_calls",
    "part_of",
    "past_tasks",
    "path_of",
    "plugin_call_id",
    "read_line",
    "read_segment",
    "records_of",
    "redacted",
    "renamed",
    "rerun_of",
    "sealed",
    "segments",
    "select_from",
    "select_records",
    "session_id",
    "sessions_of",
    "spelled",
    "store_blobs",
    "summarize_runs",
    "to_dict",
    "view_of",
    "views_of",
    "write_line",
]
