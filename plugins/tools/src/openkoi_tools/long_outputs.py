"""Long outputs of commands, kept outside the workspace so that a run can read the middle of its own. Never written to.

A path that leads out of the workspace is readable when a command of this very run has brought it, and only then.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from secrets import token_hex

from openkoi_hookspecs import ToolCall, ToolResult
from openkoi_redact import current_redactor

from .fit import ends
from .text import one_ending

GO_ON = "it is kept in {whole}: continue with read_file, start={line}"
NAMED = re.compile(r"it is kept in ([^\n]+): (?:continue with read_file, start=\d+|read_file it from start=\d+ on)")


def keep(text: str, folder: Path | None) -> str:
    """Write an output down without secrets, for its user alone; return where, or nothing where that cannot be done."""
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


def shortened(text: str, whole: str, room: int) -> list[str]:
    """Return the beginning and the end of a text that is too long, and between them how to read on."""
    head, tail = ends(text, room)
    if not tail:
        return [head]
    go_on = f"; {GO_ON.format(whole=whole, line=one_ending(head).count(chr(10)) + 1)}" if whole else ""
    return [head, f"[... the middle of the output is left out{go_on} ...]", tail]


def kept_before(happened: Iterable[tuple[ToolCall, ToolResult]], folder: Path | None) -> Iterator[Path]:
    """The outputs that commands brought before the run was interrupted; those in the folder alone."""
    for call, result in happened:
        if call.tool == "run_command" and folder:
            yield from (path for path in map(Path, NAMED.findall(result.text)) if path.parent == folder)
