"""Write and read the run log without a kernel: a library without entry points.

A ``RunLog`` writes records, ``read_segment`` reads them, ``past_tasks`` lists tasks from the log alone; nothing is
written that a ``Redactor`` (of ``openkoi_base.redact``) has not seen.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .blobs import blob_folder as blob_folder
    from .blobs import blob_path as blob_path
    from .blobs import find_digests as find_digests
    from .blobs import store_blobs as store_blobs
    from .checkpoint_view import UNDO_EVENTS as UNDO_EVENTS
    from .checkpoint_view import CheckpointView as CheckpointView
    from .checkpoint_view import checkpoint_of as checkpoint_of
    from .codec import decode as decode
    from .codec import encode as encode
    from .codec import to_dict as to_dict
    from .conversation import Conversation as Conversation
    from .conversation import read_conversation as read_conversation
    from .fork import ForkPoint as ForkPoint
    from .fork import find_fork_point as find_fork_point
    from .fork import rename_runs as rename_runs
    from .fork import subtask_id as subtask_id
    from .iteration_view import FindingView as FindingView
    from .iteration_view import IterationView as IterationView
    from .json_redactor import redact_json as redact_json
    from .line_cache import LineCache as LineCache
    from .new_records import ArchivedRecords as ArchivedRecords
    from .new_records import read_new as read_new
    from .past_run import DRY_RUN_PREFIX as DRY_RUN_PREFIX
    from .past_run import missing_folder_error as missing_folder_error
    from .past_sessions import PastSession as PastSession
    from .past_sessions import iterate_past_sessions as iterate_past_sessions
    from .past_sessions import mentions_words as mentions_words
    from .past_tasks import PastTask as PastTask
    from .past_tasks import find_run as find_run
    from .past_tasks import find_task as find_task
    from .past_tasks import iterate_past_tasks as iterate_past_tasks
    from .past_tasks import list_past_tasks as list_past_tasks
    from .past_tasks import read_task_records as read_task_records
    from .plugin_calls import plugin_call_id as plugin_call_id
    from .read_segments import list_all_segments as list_all_segments
    from .read_segments import list_grown_segments as list_grown_segments
    from .read_segments import list_segments as list_segments
    from .read_segments import read_segment as read_segment
    from .record_format import add_checksum as add_checksum
    from .record_format import read_line as read_line
    from .record_format import redact_record as redact_record
    from .record_format import write_line as write_line
    from .replayable import UNAPPROVED as UNAPPROVED
    from .run_replay import RESULT_UNKNOWN as RESULT_UNKNOWN
    from .run_replay import RunReplay as RunReplay
    from .run_replay import build_replay as build_replay
    from .run_summaries import list_sessions as list_sessions
    from .run_summaries import summarize_runs as summarize_runs
    from .run_view import COURSE_EVENTS as COURSE_EVENTS
    from .run_view import PAID_EVENTS as PAID_EVENTS
    from .run_view import VIEW_EVENTS as VIEW_EVENTS
    from .run_view import RunView as RunView
    from .run_views import build_view as build_view
    from .run_views import build_views as build_views
    from .run_views import sort_records as sort_records
    from .runlog import LogWriteError as LogWriteError
    from .runlog import RunLog as RunLog
    from .runlog import new_session_id as new_session_id
    from .segment_files import has_more as has_more
    from .segment_files import is_packed as is_packed
    from .segment_files import original_name as original_name
    from .select_records import lines_with_ids as lines_with_ids
    from .select_records import select_from as select_from
    from .select_records import select_lines as select_lines
