"""Recognize generated files and folders: deleting them needs no approval if git ignores all and tracks none.

The words of a line are compared with names first; git is asked last.
"""

import os
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from glob import iglob
from pathlib import Path

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import RULES, read_table
from .issue import Invocation
from .limits import GIT_TIMEOUT_SECONDS, MAX_GIT_ENTRIES
from .shell_words import Word
from .visited_folders import expand_folders

GLOBBING = frozenset({"rimraf", "del", "del-cli"})  # They read patterns themselves.
DELETING = frozenset({"rm", *GLOBBING})
# Earlier commands of a line that put nothing valuable into a generated folder.
HARMLESS_BEFORE = frozenset({"cd", "pushd", "echo", "printf", "ls", "rm", "rimraf", "test", "[", "set", "true", "pwd"})
# Where a later command of the line may run before the deletion, it may move something valuable.
OUT_OF_ORDER = lazy_pattern(r"\b(for|while|until|function|trap)\b|\(\s*\)|(?<![&>|])&(?![&>\d])")
MOVES = lazy_pattern(r"\b(mv|ln|rsync|rename|mount|git\s+(mv|stash|checkout|worktree\s+move))\b")
UNSETTLED = lazy_pattern(r"\b(eval|alias|select)\b")
BRACES = lazy_pattern(r"\{([\w.,/-]+)\}")
COMPUTED = lazy_pattern(r"[$`*?\[{~\\]")
SPELLED = lazy_pattern(r"[\w.@+*?\[\]/-]+")
GLOB = ":(glob)"


@cache
def load_names(kind: str) -> tuple[str, ...]:
    """Return the names of a kind that ``rules/generated.table`` lists."""
    rows = (line.split() for line in read_table(RULES / "generated.table"))
    return tuple(name for first, *rest in rows if first == kind for name in rest)


def may_lose(line: str) -> bool:
    """Return whether a command may put something valuable into a generated folder, in whatever order commands run."""
    return bool(UNSETTLED.search(line) or (OUT_OF_ORDER.search(line) and MOVES.search(line)))


def list_generated(command: Invocation, earlier: Collection[str], line: str) -> tuple[str, ...]:
    """Return the paths, or patterns for git, that a command deletes if all of them have generated names; else nothing.

    ``earlier`` are the words of earlier commands in the line: what they may have moved there is valuable.
    """
    own = command.name in GLOBBING
    words = [
        one
        for word in command.words
        if not word.is_option
        for one in expand_braces(replace(word, has_wildcards=word.has_wildcards or own))
    ]
    made = [word for word in words if os.path.basename(word.text) not in load_names("lock")]  # noqa: PTH119
    if command.name not in DELETING or not made or may_lose(line):
        return ()
    if not all(word.is_known and is_generated(word) for word in made):
        return ()
    parts = {part for word in made for part in normalize_path(word.text).split("/") if has_generated_name(part)}
    if any(name in word for name in parts for word in earlier):
        return ()
    return tuple(target for word in made for target in build_git_paths(word))


def build_git_paths(word: Word) -> tuple[str, ...]:
    """Return a path, or the patterns that git needs for a shell's pattern."""
    path = normalize_path(word.text)
    spellings = dict.fromkeys((path, path.replace("**/", "*/")))  # as a shell reads it by default
    return tuple(one for each in spellings for one in build_patterns(each)) if COMPUTED.search(path) else (path,)


def expand_braces(word: Word) -> Iterator[Word]:
    """Yield what a shell makes of braces, as in ``rm -rf {build,dist}``."""
    found = BRACES.search(word.text) if word.has_wildcards else None
    if not found:
        yield word
        return
    before, after = word.text[: found.start()], word.text[found.end() :]
    for one in found[1].split(","):
        yield from expand_braces(replace(word, text=before + one + after))


def normalize_path(path: str) -> str:
    """Return a path in one spelling; ``folder/*`` counts as the folder."""
    return os.path.normpath(path).removesuffix("/*")


def build_patterns(name: str, above: str = "") -> tuple[str, ...]:
    """Return git's patterns for all files and folders of a name, with their contents."""
    return tuple(f"{GLOB}{above}{name}{deeper}" for deeper in ("", "/**"))


def has_generated_name(name: str) -> bool:
    """Return whether a name, or a pattern of names, is one of these."""
    known = (*load_names("folder"), *load_names("file"))
    return any(name == one or (not COMPUTED.search(name) and fnmatchcase(name, one)) for one in known)


def is_below_workspace(path: str) -> bool:
    """Return whether a path, or a pattern of paths, lies in the working folder."""
    return not path.startswith("/") and ".." not in path.split("/") and SPELLED.fullmatch(path) is not None


def is_generated(word: Word) -> bool:
    """Return whether a path is below the working folder, and is or lies in a folder with such a name."""
    path = normalize_path(word.text)
    return (
        is_below_workspace(path)
        and any(map(has_generated_name, path.split("/")))
        and (word.has_wildcards or not COMPUTED.search(path))
    )


def is_disposable(paths: Sequence[str], folders: Sequence[str], workspace: Path) -> bool:
    """Return whether git tracks none of these paths and would add none, whichever folder the line runs in."""
    folders = expand_folders(folders, workspace)
    if any(COMPUTED.search(folder) for folder in folders):
        return False
    above = [workspace / folder for folder in (".", *folders) if (workspace / folder).is_dir()]
    patterns = [path for path in paths if path.startswith(GLOB)]
    if patterns and not all(lists_nothing(patterns, folder) and spares_git(patterns, folder) for folder in above):
        return False
    reading = [path for path in patterns if "**/" not in path]  # a search and ** do not follow links
    matched = (folder / one for folder in above for path in reading for one in expand_pattern(path, folder))
    if not all(is_plain_path(one, workspace) for one in matched):
        return False
    places = [workspace / folder / path for folder in (".", *folders) for path in paths if path not in patterns]
    return all(is_plain_path(place, workspace) for place in places) and are_ignored(places)


def expand_pattern(pattern: str, folder: Path) -> Iterator[str]:
    """Yield the paths that a shell pattern matches, one level per star, because git does not follow links."""
    return iglob(pattern.removeprefix(GLOB).removesuffix("/**"), root_dir=folder)  # noqa: PTH207  Path.glob goes deeper


def spares_git(patterns: Sequence[str], folder: Path) -> bool:
    """Return whether a search at any depth finds no branch or other file in ``.git``."""
    searched = {one.removeprefix(f"{GLOB}**/") for one in patterns if one.startswith(f"{GLOB}**/")}
    names = {one for one in searched if "/" not in one}
    if not names or not (folder / ".git").is_dir():
        return True
    for count, (_, below, files) in enumerate(os.walk(folder / ".git")):
        if "objects" in below:
            below.remove("objects")
        if count > MAX_GIT_ENTRIES or any(fnmatchcase(name, one) for name in (*below, *files) for one in names):
            return False
    return True


def is_plain_path(place: Path, workspace: Path) -> bool:
    """Return whether a path is in the workspace, without links in it, and not a file with a folder's name."""
    real, written = os.path.realpath(place), os.path.normpath(workspace.resolve() / place)
    inside = any(map(has_generated_name, Path(os.path.relpath(place.parent, workspace)).parts))
    known = not place.is_file() or inside or any(fnmatchcase(place.name, name) for name in load_names("file"))
    return real == written and Path(real).is_relative_to(workspace.resolve()) and known


def are_ignored(places: Sequence[Path]) -> bool:
    """Return whether git tracks nothing in these folders and ignores all their content; git runs once per folder."""
    inside: dict[Path, list[str]] = {}
    for place in places:
        inside.setdefault(next(parent for parent in place.parents if parent.is_dir()), []).append(str(place))
    return all(lists_nothing(paths, above) for above, paths in inside.items())


def lists_nothing(paths: Sequence[str], above: Path) -> bool:
    """Return whether git tracks none of these paths, and would add none. Runs nothing of the repository's."""
    settings = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
    line = ["git", *settings, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    try:
        done = subprocess.run(line, cwd=above, capture_output=True, timeout=GIT_TIMEOUT_SECONDS, check=False)
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return done.returncode == 0 and not done.stdout
