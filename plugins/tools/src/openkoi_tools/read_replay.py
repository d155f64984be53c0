"""Rebuild what a run was shown before it was interrupted, from its own records.

Read no file. Files may have changed since: the text is known, but not whether the file is unchanged. So text that
is still there can be edited, and a whole file is replaced only after it was read again.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from openkoi_hookspecs import KoiError, Record, ToolCall, ToolResult, events
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .read_tracker import ReadTracker
from .symlink_safe_paths import resolve_path

NUMBERED = lazy_pattern(r"^\s*\d+\|", re.MULTILINE)


def replay_reads(calls: Iterable[tuple[ToolCall, ToolResult]], workspace: Path) -> ReadTracker:
    """Return the lines of files that a run has seen through successful calls."""
    seen = ReadTracker()
    for path, text in (piece for call, result in calls if not result.failed for piece in shown_texts(call, result)):
        with suppress(KoiError, OSError):
            seen.add_shown(resolve_path(workspace, path).real, text)
    return seen


def calls_with_results(records: Iterable[Record], run: str) -> Iterator[tuple[ToolCall, ToolResult]]:
    """Yield a run's calls, each with its result; an id may come again in a later turn."""
    waiting: dict[str, ToolCall] = {}
    for event in (record.event for record in records if record.run == run):
        if isinstance(event, events.ToolCallStarted):
            waiting[event.call.id] = event.call
        elif isinstance(event, events.ToolCallFinished) and event.result.call in waiting:
            yield waiting.pop(event.result.call), event.result


def shown_texts(call: ToolCall, result: ToolResult) -> Iterator[tuple[str, str]]:
    """Yield the texts of files that a call showed or wrote, each with its path."""
    path = str(call.arguments.get("path", ""))
    match call.tool:
        case "read_file":
            lines = (NUMBERED.sub("", line) for line in result.text.splitlines() if NUMBERED.match(line))
            yield path, "\n".join(lines)
        case "write_file":
            yield path, str(call.arguments.get("content", ""))
        case "edit_file":
            yield path, str(call.arguments.get("replace", ""))
        case "apply_patch":
            yield from patched_texts(str(call.arguments.get("patch", "")))


def patched_texts(patch: str) -> Iterator[tuple[str, str]]:
    """Yield the lines that a patch left in its files."""
    from .patch import parse_patch

    with suppress(KoiError):
        for file in parse_patch(patch):
            yield from ((file.after, "\n".join(hunk.new_lines)) for hunk in file.hunks if file.after)
