"""Suggest the existing name that was probably intended."""

from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice

from .symlink_safe_paths import WorkspacePath, printable_path
from .walk import walk_files

MAX_NAMES = 5_000


def suggest_name(where: WorkspacePath, skip: Collection[str]) -> str:
    """Return a question with the nearest existing name, or an empty text."""
    near = similar_sibling(where) or same_name_elsewhere(where, skip)
    return f" Did you mean {near}?" if near else ""


def similar_sibling(where: WorkspacePath) -> str:
    """Return a similar name in the same folder."""
    folder = where.real.parent
    if not folder.is_dir():
        return ""
    names = {path.name.lower(): path for path in folder.iterdir()}
    near = get_close_matches(where.real.name.lower(), names, n=1)
    return printable_path(names[near[0]].relative_to(where.root).as_posix()) if near else ""


def same_name_elsewhere(where: WorkspacePath, skip: Collection[str]) -> str:
    """Return the file of the same name in another folder with the most similar path."""
    paths = islice(walk_files(WorkspacePath(where.root, where.root), skip), MAX_NAMES)
    same = [printable_path(path) for path in paths if path.rpartition("/")[2] == where.real.name]
    return next(iter(get_close_matches(where.name, same, n=1, cutoff=0.0)), "")
