"""Identify the state of a file without reading it."""

from pathlib import Path

FileVersion = tuple[int, int, int]


def file_version(path: Path) -> FileVersion | None:
    """Return the file's number, size and time; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
