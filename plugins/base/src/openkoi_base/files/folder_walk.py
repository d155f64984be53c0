"""Walk through folders however deep they are: Python 3.11 walks by recursion, which a thousand folders end."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path


def walk(root: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what ``os.walk`` yields, each folder before those in it; names that the caller removes are left out."""
    pending = [str(root)]
    while pending:
        for place, folders, files in islice(os.walk(pending.pop()), 1):
            yield place, folders, files
            below = (os.path.join(place, name) for name in reversed(folders))  # noqa: PTH118  # a Path is slow
            pending += [path for path in below if not os.path.islink(path)]  # noqa: PTH114  # as above
