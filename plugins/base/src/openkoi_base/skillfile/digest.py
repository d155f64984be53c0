"""Digest the content of a file or folder, so that any change is noticed."""

from hashlib import sha256
from itertools import islice
from pathlib import Path

# Estimates: far above the largest published skills, small enough to hash before each use.
MAX_FILES = 500
MAX_BYTES = 20_000_000


def digest_path(place: Path) -> str:
    """Return the digest; empty for a folder that is too large or links out of itself.

    The target of such a link could change without a change of the folder. Raises OSError.
    """
    if place.is_file():
        return digest_files([(place.name, place)])
    paths = sorted(islice(place.rglob("*"), 2 * MAX_FILES + 1))
    root = place.resolve()
    if len(paths) > 2 * MAX_FILES or not all(is_inside(path, root) for path in paths):
        return ""
    return digest_files([(path.relative_to(place).as_posix(), path) for path in paths if path.is_file()])


def is_inside(path: Path, root: Path) -> bool:
    """Return whether a path resolves into a folder; a circular link does not."""
    try:
        return path.resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def digest_files(files: list[tuple[str, Path]]) -> str:
    """Return the digest of files with their names, each length-prefixed."""
    if len(files) > MAX_FILES or sum(path.stat().st_size for _, path in files) > MAX_BYTES:
        return ""
    seen = sha256()
    for name, path in files:
        content = path.read_bytes()
        encoded = name.encode("utf-8", "surrogateescape")
        seen.update(b"%d %s %d %s" % (len(encoded), encoded, len(content), content))
    return seen.hexdigest()
