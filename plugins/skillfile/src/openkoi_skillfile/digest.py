"""Digest the content of a file or folder, so that any change is noticed."""

from hashlib import sha256
from itertools import islice
from pathlib import Path

MOST_FILES = 500
MOST_BYTES = 20_000_000


def digest(place: Path) -> str:
    """The value; empty when there is too much of it, or when it leads elsewhere.

    A link out of the folder is such a lead: what it points to could change without the folder changing. Raises OSError.
    """
    if place.is_file():
        return of_files([(place.name, place)])
    paths = sorted(islice(place.rglob("*"), 2 * MOST_FILES + 1))
    root = place.resolve()
    if len(paths) > 2 * MOST_FILES or not all(stays(path, root) for path in paths):
        return ""
    return of_files([(path.relative_to(place).as_posix(), path) for path in paths if path.is_file()])


def stays(path: Path, root: Path) -> bool:
    """Whether a path leads to something below a folder; one that leads in a circle leads nowhere."""
    try:
        return path.resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def of_files(files: list[tuple[str, Path]]) -> str:
    """The value of files by their names; names and contents cannot be taken for each other."""
    if len(files) > MOST_FILES or sum(path.stat().st_size for _, path in files) > MOST_BYTES:
        return ""
    seen = sha256()
    for name, path in files:
        content = path.read_bytes()
        said = name.encode("utf-8", "surrogateescape")
        seen.update(b"%d %s %d %s" % (len(said), said, len(content), content))
    return seen.hexdigest()
