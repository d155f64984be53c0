"""What can go wrong with checkpoints, each a sentence for a person."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from openkoi_hookspecs import KoiError

SHOWN = 10


class NoCheckpoint(KoiError):
    """There is no checkpoint of this id for this workspace."""

    def __init__(self, id: str, root: str) -> None:
        super().__init__(f"There is no checkpoint {id!r} of {root}. It was deleted, or taken of another folder.")


class TooMany(KoiError):
    """The workspace holds more than can be kept again and again."""

    def __init__(self, root: Path, most: int) -> None:
        super().__init__(
            f"{root} has more than {most} files, too many to keep a checkpoint of. Work in a smaller folder, "
            "hide some in .gitignore, or raise max_files under [checkpoints.store]."
        )


class StoreFault(KoiError):
    """The store cannot be written, or what was kept cannot be read back as it was written."""


class LeftAlone(KoiError):
    """Some files could not be brought back without losing somebody's work; all others were."""

    def __init__(self, files: Mapping[str, str]) -> None:
        named = [f"{path!r} ({reason})" for path, reason in shortened(files).items()]
        super().__init__(
            f"Left as they are now: {', '.join(named)}. All other files were restored, but for what commands did "
            "inside .git and folders that can be made again. What was changed since can be had back, too: move it "
            "out of the workspace, and restore again."
        )
        self.files = dict(files)


def shortened(files: Mapping[str, str]) -> Mapping[str, str]:
    """Name every file or, where they are many, a folder that it lies in."""
    depth = max((path.count("/") for path in files), default=0)
    named: Mapping[str, str] = dict(sorted(files.items()))
    while len(named) > SHOWN and depth:
        depth -= 1
        named = gathered(files, depth)
    return named


def gathered(files: Mapping[str, str], depth: int) -> Mapping[str, str]:
    """Name folders that are so many steps down in place of what lies deeper."""
    groups = groupby(sorted(files), lambda path: folder_of(path, depth))
    return {top: told([files[path] for path in below]) for top, below in groups}


def folder_of(path: str, depth: int) -> str:
    """The folder that is so many steps down, of what lies deeper."""
    parts = path.split("/")
    return path if len(parts) <= depth + 1 else "/".join(parts[: depth + 1]) + "/"


def told(reasons: Sequence[str]) -> str:
    """One reason, or how many files have which."""
    counts = Counter(reasons)
    if len(reasons) == 1:
        return reasons[0]
    return "; ".join(f"{count} {reason}" for reason, count in counts.items())
