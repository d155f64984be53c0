"""Read the complete output of a command, and delete the file that contains it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from openkoi_hookspecs import CommandResult

MAX_BYTES = 8_000_000


def output_lines(completed: CommandResult) -> Iterator[str]:
    """Return every line; from the first and last 32 KB if the whole output is not available."""
    if not completed.output_file:
        yield from completed.output.split("\n")
        return
    try:
        with Path(completed.output_file).open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield from file
    except OSError:
        yield from completed.output.split("\n")
    delete_output(completed)


def output_text(completed: CommandResult) -> str:
    """Return the whole output, or the beginning and the end of a very long one."""
    try:
        whole = read_ends(Path(completed.output_file)) if completed.output_file else b""
    except OSError:
        whole = b""
    delete_output(completed)
    return whole.decode("utf-8", errors="replace") or completed.output


def read_ends(path: Path) -> bytes:
    """Return a file's content; a very long one is shortened to its beginning and end, with a note in between."""
    size, half = path.stat().st_size, MAX_BYTES // 2
    with path.open("rb") as file:
        if size <= MAX_BYTES:
            return file.read()
        beginning = file.read(half)
        file.seek(-half, 2)
        return b"%b\n[%d bytes omitted]\n%b" % (beginning, size - 2 * half, file.read())


def delete_output(completed: CommandResult) -> None:
    """Delete the file that contained the output."""
    if completed.output_file:
        with suppress(OSError):
            Path(completed.output_file).unlink()
