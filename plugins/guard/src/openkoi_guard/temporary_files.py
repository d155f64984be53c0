"""Recognize files that the run itself put into the temporary folder: deleting them needs no approval."""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .generated_files import DELETING
from .issue import Invocation
from .limits import MAX_TEMPORARY_FILES
from .shell_words import Word
from .variables import is_mentioned

VARIABLE = lazy_pattern(r"\$\{?(\w+)\}?")
BELOW = lazy_pattern(r"/(?:var/)?tmp/(?!\.{1,2}(?:/|$))[^/]")
LOOPS = lazy_pattern(r"\b(for|while|until|select|read)\b")
# Programs that may move a user's files there or replace the folder.
MOVING = frozenset({"mv", "gmv", "move", "ln", "gln", "link", "mount", "rsync", "rename", "chroot", "pivot_root"})
# A variable of a script. TMPDIR and similar ones name the whole temporary folder.
NAMED = lazy_pattern(r"^(?!(TMPDIR|TMP|TEMP|TEMPDIR)$).*([Tt][Mm][Pp]|[Tt][Ee][Mm][Pp])")


def list_temporary(command: Invocation, line: str, ran: Sequence[Invocation], *, later: bool) -> tuple[str, ...]:
    """Return what a command deletes if all of it is temporary, by its words.

    ``ran`` are the earlier commands of the line; ``later``: a trap runs it.
    """
    words = [word for word in command.words if not word.is_option]
    if command.name not in DELETING or not words or any(one.name in MOVING for one in ran):
        return ()
    fitting = all(is_mktemp_variable(word, line, later=later) or is_below_tmp(word) for word in words)
    return tuple(word.text for word in words) if fitting else ()


def is_mktemp_variable(word: Word, line: str, *, later: bool) -> bool:
    """Return whether a word is one variable that the line sets once, to the output of mktemp.

    A trap may come before the line that sets it, so the name of the variable must suffice there.
    """
    match = VARIABLE.fullmatch(word.text)
    if word.is_known or not match or LOOPS.search(line):
        return False
    name = match[1]
    if later and NAMED.search(name) and not is_mentioned(name, line):
        return True
    rest, count = re.subn(rf"\b{name}=\"?(\$\(|`)mktemp\b", "", line)
    return count == 1 and not is_mentioned(name, rest)


def is_below_tmp(word: Word) -> bool:
    """Return whether a word is a path below the temporary folder, spelled out."""
    parts = word.text.split("/")
    return word.is_known and not word.has_wildcards and ".." not in parts and BELOW.match(word.text) is not None


def is_temporary(targets: Sequence[str], since: float) -> bool:
    """Return whether each of these was created by mktemp, or is not older than the run."""
    return all(VARIABLE.fullmatch(target) or (BELOW.match(target) and is_newer(target, since)) for target in targets)


def is_newer(target: str, since: float) -> bool:
    """Return whether a path is in the temporary folder, links resolved, and nothing in it is older than the run."""
    path = Path(target)
    roots = [Path(os.path.realpath(root)) for root in (tempfile.gettempdir(), "/tmp", "/var/tmp")]
    real = Path(os.path.realpath(path.parent)) / path.name
    followed = target.endswith("/") and path.is_symlink()
    if followed or not any(real.is_relative_to(root) and real != root for root in roots):
        return False
    try:
        return all(min(one.st_ctime, one.st_mtime) >= since for one in walk_stats(real))
    except (OSError, ValueError):
        return False


def walk_stats(path: Path) -> Iterator[os.stat_result]:
    """Yield the status of a path and of everything in it; raise ValueError if there are too many files."""
    if not os.path.lexists(path):
        return
    yield path.lstat()
    if path.is_dir() and not path.is_symlink():
        for count, entry in enumerate(path.rglob("*")):
            if count >= MAX_TEMPORARY_FILES:
                raise ValueError(f"{path} contains more than {MAX_TEMPORARY_FILES} files")
            yield entry.lstat()
