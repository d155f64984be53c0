"""What a run was shown before it was interrupted, told from its own records. Reads no file.

What was there then may have changed since: the text is known, that the file is still as it was is not. So an edit of
text that is still there goes on, and a whole file is written over only after it was read again.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from openkoi_hookspecs import Event, KoiError, Record, ToolCall, ToolResult, events

from .paths import place
from .shown import Seen

NUMBERED = re.compile(r"^\s*\d+\|", re.MULTILINE)


def recalled(records: Iterable[Record], run: str, workspace: Path) -> Seen:
    """What one run knows of files."""
    seen = Seen()
    for call, result in answered(record.event for record in records if record.run == run):
        for text in texts(call, result):
            try:
                seen.show(place(workspace, str(call.arguments["path"])).real, text)
            except (KoiError, OSError):
                continue
    return seen


def answered(happened: Iterable[Event]) -> Iterator[tuple[ToolCall, ToolResult]]:
    """Calls that went well, each with its result; an id may come again in a later turn."""
    waiting: dict[str, ToolCall] = {}
    for event in happened:
        if isinstance(event, events.ToolCalled):
            waiting[event.call.id] = event.call
        elif isinstance(event, events.ToolAnswered) and not event.result.failed and event.result.call in waiting:
            yield waiting.pop(event.result.call), event.result


def texts(call: ToolCall, result: ToolResult) -> Iterator[str]:
    """The pieces of its file that a call showed, or wrote."""
    if "path" not in call.arguments:
        return
    match call.tool:
        case "read_file":
            yield "\n".join(NUMBERED.sub("", line) for line in result.text.splitlines() if NUMBERED.match(line))
        case "write_file":
            yield str(call.arguments.get("content", ""))
        case "edit_file":
            yield str(call.arguments.get("replace", ""))
