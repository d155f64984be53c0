"""What differs between two looks at a workspace, as a unified diff. Knows entries and who reads them."""

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from .errors import StoreFault
from .manifest import Entry, Kind, same
from .patch import LINK, Version, file_patch
from .survey import read_file

SHOWN = (Kind.FILE, Kind.LARGE, Kind.LINK, Kind.UNREADABLE)

Reader: TypeAlias = Callable[[Entry], bytes]


@dataclass(frozen=True, slots=True)
class Readers:
    """Who reads what a file held then, and what it holds now; the same one if there is no other."""

    then: Reader
    now: Reader | None = None


def difference(then: Mapping[str, Entry], now: Mapping[str, Entry], read: Readers) -> str:
    """The diff from then to now, a patch for each path that changed."""
    changed = [path for path in sorted({*then, *now}) if not same(then.get(path), now.get(path))]
    return "".join(
        file_patch(path, version(then.get(path), read.then), version(now.get(path), read.now or read.then))
        for path in changed
    )


def reader(root: Path) -> Reader:
    """Read files as they are on the disk."""
    return lambda entry: read_file(root / entry.path, entry.size)[1]


def version(entry: Entry | None, read: Reader) -> Version | None:
    """A path as a diff sees it; folders are not seen, nor what is ignored."""
    if entry is None or entry.kind not in SHOWN:
        return None
    if entry.kind is Kind.LINK:
        return Version(LINK, entry.target.encode("utf-8", "surrogateescape"))
    mode = "100755" if entry.mode & stat.S_IXUSR else "100644"
    try:
        return Version(mode, read(entry) if entry.kind is Kind.FILE else None)
    except (OSError, StoreFault):
        return Version(mode, None)
