"""Write and read the run log without a kernel: a library without entry points.

A ``RunLog`` writes records, ``read_segment`` reads them, ``past_tasks`` tells of tasks from the log alone; nothing is
written that a ``Redactor`` (of ``openkoi_base.redact``) has not seen.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .blobs import blob_folder, blob_path, find_digests, store_blobs
    from .checkpoint_view import UNDO_EVENTS, CheckpointView, checkpoint_of
    from .codec import decode, encode, to_dict
    from .conversation import Conversation, read_conversation
    from .fork import ForkPoint, find_fork_point, rename_runs, subtask_id
    from .iteration_view import FindingView, IterationView
    from .json_mask import mask_json
    from .line_cache import LineCache
    from .new_records import ArchivedRecords, read_new
    from .past_sessions import PastSession, iterate_past_sessions, mentions_words
    from .past_tasks import (
        PastTask,
        find_run,
        find_task,
        iterate_past_tasks,
        list_past_tasks,
        read_task_records,
    )
    from .plugin_calls import plugin_call_id
    from .read_segments import list_all_segments, list_segments, read_segment
    from .record_format import add_checksum, read_line, redact_record, write_line
    from .replayable import UNAPPROVED
    from .run_replay import RESULT_UNKNOWN, RunReplay, build_replay
    from .run_summaries import list_sessions, summarize_runs
    from .run_view import COURSE_EVENTS, PAID_EVENTS, VIEW_EVENTS, RunView
    from .run_views import build_view, build_views, sort_records
    from .runlog import LogWriteError, RunLog, new_session_id
    from .segment_files import has_more, is_packed, original_name
    from .select_records import select_from, select_lines

__all__ = [
    "COURSE_EVENTS",
    "PAID_EVENTS",
    "RESULT_UNKNOWN",
    "UNAPPROVED",
    "UNDO_EVENTS",
    "VIEW_EVENTS",
    "ArchivedRecords",
    "CheckpointView",
    "Conversation",
    "FindingView",
    "ForkPoint",
    "IterationView",
    "LineCache",
    "LogWriteError",
    "PastSession",
    "PastTask",
    "RunLog",
    "RunReplay",
    "RunView",
    "add_checksum",
    "blob_folder",
    "blob_path",
    "build_replay",
    "build_view",
    "build_views",
    "checkpoint_of",
    "decode",
    "encode",
    "find_digests",
    "find_fork_point",
    "find_run",
    "find_task",
    "has_more",
    "is_packed",
    "iterate_past_sessions",
    "iterate_past_tasks",
    "list_all_segments",
    "list_past_tasks",
    "list_segments",
    "list_sessions",
    "mask_json",
    "mentions_words",
    "new_session_id",
    "original_name",
    "plugin_call_id",
    "read_conversation",
    "read_line",
    "read_new",
    "read_segment",
    "read_task_records",
    "redact_record",
    "rename_runs",
    "select_from",
    "select_lines",
    "sort_records",
    "store_blobs",
    "subtask_id",
    "summarize_runs",
    "to_dict",
    "write_line",
]
