"""What a run was shown before it was interrupted, told from its own records. Reads no file.

What was there then may have changed since: the text is known, that the file is still as it was is not. So an edit of
text that is still there goes on, and a whole file is written over only after it was read again.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from openkoi_hookspecs import KoiError, Record, ToolCall, ToolResult, events

from .patch import parsed
from .paths import place
from .shown import Seen

NUMBERED = re.compile(r"^\s*\d+\|", re.MULTILINE)


def recalled(calls: Iterable[tuple[ToolCall, ToolResult]], workspace: Path) -> Seen:
    """What a run knows of files by the calls that went well."""
    seen = Seen()
    for path, text in (piece for call, result in calls if not result.failed for piece in pieces(call, result)):
        with suppress(KoiError, OSError):
            seen.show(place(workspace, path).real, text)
    return seen


def answered(records: Iterable[Record], run: str) -> Iterator[tuple[ToolCall, ToolResult]]:
    """A run's calls, each with its result; an id may come again in a later turn."""
    waiting: dict[str, ToolCall] = {}
    for event in (record.event for record in records if record.run == run):
        if isinstance(event, events.ToolCallStarted):
            waiting[event.call.id] = event.call
        elif isinstance(event, events.ToolCallFinished) and event.result.call in waiting:
            yield waiting.pop(event.result.call), event.result


def pieces(call: ToolCall, result: ToolResult) -> Iterator[tuple[str, str]]:
    """The pieces of files that a call showed, or wrote, each with its path."""
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
            yield from patched(str(call.arguments.get("patch", "")))


def patched(patch: str) -> Iterator[tuple[str, str]]:
    """The lines that a patch left in its files."""
    with suppress(KoiError):
        for file in parsed(patch):
            yield from ((file.after, "\n".join(hunk.new)) for hunk in file.hunks if file.after)
