"""Store long outputs of commands outside the workspace, so that a run can read the omitted middle.

A path outside the workspace is readable only when a command of this very run has returned it.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from secrets import token_hex

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import ToolCall, ToolResult
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .text_document import normalize_endings
from .truncate import keep_ends

CONTINUE_NOTE = "it is saved in {whole}: continue with read_file, start={line}"
STORED_OUTPUT = lazy_pattern(
    r"it is saved in ([^\n]+): (?:continue with read_file, start=\d+|read_file it from start=\d+ on)"
)


def store_output(text: str, folder: Path | None) -> str:
    """Write an output without secrets, readable by its user alone; return its path, empty if that fails."""
    if folder is None:
        return ""
    path = folder / f"{token_hex(12)}.txt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(current_redactor()(text).encode(errors="replace"))
    except OSError:
        return ""
    return str(path)


def shorten_output(text: str, whole: str, room: int) -> list[str]:
    """Return both ends of a text that is too long, and between them how to read the rest."""
    head, tail = keep_ends(text, room)
    if not tail:
        return [head]
    go_on = f"; {CONTINUE_NOTE.format(whole=whole, line=normalize_endings(head).count(chr(10)) + 1)}" if whole else ""
    return [head, f"[... the middle of the output is omitted{go_on} ...]", tail]


def outputs_of_history(happened: Iterable[tuple[ToolCall, ToolResult]], folder: Path | None) -> Iterator[Path]:
    """Yield the outputs that commands returned before the run was interrupted; only those in the folder."""
    for call, result in happened:
        if call.tool == "run_command" and folder:
            yield from (path for path in map(Path, STORED_OUTPUT.findall(result.text)) if path.parent == folder)
