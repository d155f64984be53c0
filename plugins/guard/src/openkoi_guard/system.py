"""Checks of what a line sets for others: variables, files that it empties, disks that are in use."""

import posixpath
import re
from collections.abc import Iterator

from openkoi_hookspecs import Deny

from .finding import Command, Finding
from .git_settings import is_foreign
from .patterns import programs
from .shell import Simple
from .spoken import said
from .words import Word

TRACED = {"HISTFILE": ("/dev/null", ""), "HISTSIZE": ("0",), "HISTFILESIZE": ("0",)}
FORMATS = ("mkfs", "mke2fs", "mkdosfs", "mkntfs", "newfs", "mkswap")
OFFICIAL = re.compile(r"://(proxy\.golang\.org|pypi\.org|registry\.npmjs\.org|registry\.yarnpkg\.com)(/|,|$)")
ANYBODYS = re.compile(r"(/tmp|/var/tmp|/dev/shm)(/|:|$)")
# What a program writes for itself, and starts anew whenever it likes.
WORTHLESS = re.compile(
    r"\.(log|out|err|lock|pid|tmp|touch|stamp)$|^/dev/|^/tmp/|(^|/)(build|dist|logs?|tmp|out|target|\.\w+)/|^[\w-]+$"
)
SILENT = frozenset({":", "true"})


def judge_assignment(name: str, value: Word) -> Iterator[Finding]:
    """Judge that a variable is set."""
    if name in programs("loaded") and value.text:
        yield Finding("makes other programs load code", "persistence")
    elif name in programs("run-later") and not value.known:
        yield Finding("makes other programs run what is computed", "computed")
    elif name in programs("run-by-git") and is_foreign(value):
        yield Finding("makes git run another program", "history")
    elif name == "NODE_OPTIONS" and any(one in value.text for one in ("--require", "-r ", "--import", "--loader")):
        yield Finding("makes other programs load code", "persistence")
    elif name in programs("sources") and "://" in value.text and not OFFICIAL.search(value.text):
        yield Finding("makes installs come from somewhere else", "packages")
    elif name == "PATH" and ANYBODYS.match(value.text):
        yield Finding("lets other programs come from a folder that everybody can write to", "persistence")
    elif value.known and value.text in TRACED.get(name, ()):
        yield Finding("hides what is typed", "traces")


def emptied_by(simple: Simple) -> Iterator[Finding]:
    """A file that is emptied by writing nothing to it."""
    if not simple.writes:
        return
    name, *given = (word.text for word in simple.words)
    fed = simple.feed.file if simple.feed else ""
    nulled = name == "cat" and ("/dev/null" in given or (not given and fed == "/dev/null"))
    silent = name in SILENT or simple.words == (Word("exec"),) or said(simple) == ""
    for opened in simple.writes:
        path = opened.target.text
        if not opened.keeps and path != "/dev/null" and (nulled or (silent and not WORTHLESS.search(path))):
            yield Finding(f"empties {path}", "destroying")


def mounted(command: Command, devices: frozenset[str]) -> Iterator[Finding]:
    """A new file system over one that is in use."""
    if command.name.split(".")[0] not in FORMATS:
        return
    for path in command.operands:
        if posixpath.normpath(path) in devices:
            yield Finding(f"erases {path}, which is in use", "destroying", Deny)
