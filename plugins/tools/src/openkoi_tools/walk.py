"""List the files of a folder, in order, without what version control ignores. Links are listed and not followed."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from .ignore_files import IgnoreRules, base_of, load_rules
from .symlink_safe_paths import WorkspacePath


def walk_files(where: WorkspacePath, skip: Collection[str]) -> Iterator[str]:
    """Yield the files below a folder, its own first, relative to the workspace and with forward slashes.

    Names in ``skip`` are omitted wherever they are.
    """
    base = base_of(str(where.root))
    waiting = [(str(where.real), rules_above(where.real))]
    while waiting:
        here, rules = waiting.pop()
        rules = (*rules, *load_rules(here))
        kept = [
            (path, is_folder) for path, is_folder in list_children(here, skip) if not is_ignored(path, is_folder, rules)
        ]
        yield from (path[base:].replace(os.sep, "/") for path, is_folder in kept if not is_folder)
        waiting.extend((path, rules) for path, is_folder in reversed(kept) if is_folder)


def list_children(folder: str, skip: Collection[str]) -> list[tuple[str, bool]]:
    """List the entries of a folder, each with whether it is a folder; an unreadable one is empty."""
    try:
        with os.scandir(folder) as entries:
            return sorted((one.path, one.is_dir(follow_symlinks=False)) for one in entries if one.name not in skip)
    except OSError:
        return []


def is_ignored(path: str, is_folder: bool, rules: tuple[IgnoreRules, ...]) -> bool:
    """Apply the nearest ignore file that mentions a path."""
    for one in reversed(rules):
        if (verdict := one.is_ignored(path, is_folder)) is not None:
            return verdict
    return False


def rules_above(folder: Path) -> tuple[IgnoreRules, ...]:
    """Return the ignore files from the repository's top down to a folder, unless they ignore the folder itself."""
    top = next((path for path in (folder, *folder.parents) if (path / ".git").exists()), Path(folder.anchor))
    above = [path for path in reversed(folder.parents) if path.is_relative_to(top)]
    rules = tuple(rule for path in above for rule in load_rules(str(path)))
    return () if is_ignored(str(folder), True, rules) else rules
