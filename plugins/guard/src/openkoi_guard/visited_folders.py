"""List the folders that a line may run in, visited one after the other or nested."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from glob import iglob
from itertools import islice, product
from pathlib import Path

from .limits import MAX_FOLDERS
from .shell_words import Word
from .variables import expand_choices


def list_visited_folders(folders: Sequence[str], choices: Mapping[str, tuple[Word, ...]]) -> tuple[str, ...]:
    """Return the folders that ``cd`` may lead to; if there are too many, the paths as written.

    ``cd a && cd b`` may lead to ``a``, ``b`` (in a subshell) and ``a/b``; a variable may be any value of its loop.
    """
    found = dict.fromkeys(islice(join_runs(folders, choices), MAX_FOLDERS + 1))
    return tuple(found) if len(found) <= MAX_FOLDERS else tuple(dict.fromkeys(folders))


def join_runs(folders: Sequence[str], choices: Mapping[str, tuple[Word, ...]]) -> Iterator[str]:
    spelled = [
        [one.text for one in expand_choices(Word(folder, is_known="$" not in folder), choices)] for folder in folders
    ]
    for first in range(len(spelled)):
        for last in range(first, len(spelled)):
            yield from (posixpath.join(*parts) for parts in product(*spelled[first : last + 1]))


def expand_folders(folders: Sequence[str], workspace: Path) -> list[str]:
    """Return folders with their wildcards expanded; leave one unchanged if it matches too many."""
    found: list[str] = []
    for folder in folders:
        below = islice(iglob(folder, root_dir=workspace), MAX_FOLDERS + 1)  # noqa: PTH207  a shell's pattern
        matches = list(below) if "*" in folder and not folder.startswith("/") else []
        found += matches if 0 < len(matches) <= MAX_FOLDERS else [folder]
    return found
