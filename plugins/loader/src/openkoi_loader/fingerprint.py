"""Detect whether any file that plugins are imported from has changed, without importing it."""

import os
import sys
from collections.abc import Iterator
from hashlib import blake2b
from importlib.util import find_spec

from .plugin_discovery import Scan, metadata_folders

BYTECODE = f"{os.sep}__pycache__"


def fingerprint(scanned: Scan) -> str:
    """Return a digest of the Python version, all installed distributions, and the plugins' files with their times."""
    packages = sorted({one.target.partition(":")[0].partition(".")[0] for one in scanned.claims})
    files = [place for name in packages for place in package_files(name)]
    parts = [sys.version, *sys.path, *map(describe, (*sorted(metadata_folders().values()), *files))]
    return blake2b("\0".join(parts).encode(errors="surrogateescape"), digest_size=16).hexdigest()


def package_files(name: str) -> Iterator[str]:
    """Yield the files of a top-level package or module; nothing if there is none."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return
    if spec and spec.origin:
        yield spec.origin
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for place, _, names in os.walk(folder):
            if not place.endswith(BYTECODE):
                yield from (f"{place}{os.sep}{one}" for one in sorted(names))


def describe(place: str) -> str:
    """Return a path with its size and the time of its last change."""
    try:
        status = os.stat(place)  # noqa: PTH116  # a thousand files: a Path for each doubles the time
    except OSError:
        return place
    return f"{place} {status.st_size} {status.st_mtime_ns}"
