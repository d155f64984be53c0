"""Read the complete output of a command."""

from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import CommandResult

MOST = 8_000_000


def lines(completed: CommandResult) -> Iterator[str]:
    """Every line; from the first and last 32 KB when the whole is not to be had."""
    try:
        if completed.output_file:
            with Path(completed.output_file).open(encoding="utf-8", errors="replace", newline="\n") as file:
                yield from file
            return
    except OSError:
        pass
    yield from completed.output.split("\n")


def text(completed: CommandResult) -> str:
    """The whole as text; of a very long one, the beginning and the end."""
    try:
        whole = Path(completed.output_file).read_bytes() if completed.output_file else b""
    except OSError:
        whole = b""
    if len(whole) > MOST:
        whole = whole[: MOST // 2] + b"\n" + whole[-MOST // 2 :]
    return whole.decode("utf-8", errors="replace") or completed.output
