"""A folder with more folders in each other than Python 3.11 can walk through by recursion."""

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

DEPTH = 1_200


@contextmanager
def deep_folder(root: Path) -> Iterator[Path]:
    """Make a file below so many others in a folder; remove them one by one, as pytest would do it by recursion."""
    with chdir(root):
        for _ in range(DEPTH):
            Path("a").mkdir()
            os.chdir("a")
        Path("b").touch()
        yield root
        Path("b").unlink(missing_ok=True)
        for _ in range(DEPTH):
            os.chdir("..")
            Path("a").rmdir()
