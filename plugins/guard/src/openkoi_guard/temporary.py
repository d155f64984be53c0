"""Temporary files: deleting what the run itself has put below the system's temporary folder is not asked about."""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from .finding import Command
from .generated import DELETING
from .variables import mentioned
from .words import Word

VARIABLE = re.compile(r"\$\{?(\w+)\}?")
BELOW = re.compile(r"/(?:var/)?tmp/(?!\.{1,2}(?:/|$))[^/]")
LOOPS = re.compile(r"\b(for|while|until|select|read)\b")
# What may put a user's files there, or something else in the place of the folder.
MOVING = frozenset({"mv", "gmv", "move", "ln", "gln", "link", "mount", "rsync", "rename", "chroot", "pivot_root"})
# A variable of a script; TMPDIR and its like name the whole temporary folder.
NAMED = re.compile(r"^(?!(TMPDIR|TMP|TEMP|TEMPDIR)$).*([Tt][Mm][Pp]|[Tt][Ee][Mm][Pp])")
MOST_FILES = 10_000


def temporary_targets(command: Command, line: str, ran: Sequence[Command], *, later: bool) -> tuple[str, ...]:
    """Return what a command deletes if all of it is temporary, as far as its words say.

    ``ran`` are the commands before it in the line; ``later``: a trap runs it.
    """
    words = [word for word in command.words if not word.option]
    if command.name not in DELETING or not words or any(one.name in MOVING for one in ran):
        return ()
    fitting = all(is_variable_of(word, line, later=later) or is_below(word) for word in words)
    return tuple(word.text for word in words) if fitting else ()


def is_variable_of(word: Word, line: str, *, later: bool) -> bool:
    """Return whether a word is one variable that the line sets once, to what mktemp has made.

    A trap may come before the line that sets it, so its name has to do there.
    """
    match = VARIABLE.fullmatch(word.text)
    if word.known or not match or LOOPS.search(line):
        return False
    name = match[1]
    if later and NAMED.search(name) and not mentioned(name, line):
        return True
    rest, count = re.subn(rf"\b{name}=\"?(\$\(|`)mktemp\b", "", line)
    return count == 1 and not mentioned(name, rest)


def is_below(word: Word) -> bool:
    """Return whether a word is a path below the temporary folder, spelled out."""
    parts = word.text.split("/")
    return word.known and not word.glob and ".." not in parts and BELOW.match(word.text) is not None


def is_temporary(targets: Sequence[str], since: float) -> bool:
    """Return whether all of these are made by mktemp, or hold nothing that is older than the run."""
    return all(VARIABLE.fullmatch(target) or (BELOW.match(target) and is_newer(target, since)) for target in targets)


def is_newer(target: str, since: float) -> bool:
    """Return whether a path lies in the temporary folder, links resolved, and nothing in it is older than this."""
    path = Path(target)
    roots = [Path(os.path.realpath(root)) for root in (tempfile.gettempdir(), "/tmp", "/var/tmp")]
    real = Path(os.path.realpath(path.parent)) / path.name
    followed = target.endswith("/") and path.is_symlink()
    if followed or not any(real.is_relative_to(root) and real != root for root in roots):
        return False
    try:
        return all(min(one.st_ctime, one.st_mtime) >= since for one in everything_in(real))
    except (OSError, ValueError):
        return False


def everything_in(path: Path) -> Iterator[os.stat_result]:
    """Yield what the file system says of a path and of all that is in it; an error where that is too much."""
    if not os.path.lexists(path):
        return
    yield path.lstat()
    if path.is_dir() and not path.is_symlink():
        for count, entry in enumerate(path.rglob("*")):
            if count >= MOST_FILES:
                raise ValueError(f"{path} holds more than {MOST_FILES} files")
            yield entry.lstat()
