"""Read the complete output of a command."""

from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import CommandResult

MAX_BYTES = 8_000_000


def output_lines(completed: CommandResult) -> Iterator[str]:
    """Return every line; from the first and last 32 KB if the whole output is not available."""
    try:
        if completed.output_file:
            with Path(completed.output_file).open(encoding="utf-8", errors="replace", newline="\n") as file:
                yield from file
            return
    except OSError:
        pass
    yield from completed.output.split("\n")


def output_text(completed: CommandResult) -> str:
    """Return the whole output; of a very long one, the beginning and the end."""
    try:
        whole = Path(completed.output_file).read_bytes() if completed.output_file else b""
    except OSError:
        whole = b""
    if len(whole) > MAX_BYTES:
        whole = whole[: MAX_BYTES // 2] + b"\n" + whole[-MAX_BYTES // 2 :]
    return whole.decode("utf-8", errors="replace") or completed.output
