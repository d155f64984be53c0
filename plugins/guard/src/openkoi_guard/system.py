"""Checks of what a line sets for others: variables, files that it empties, disks that are in use."""

import posixpath
from collections.abc import Iterator

from openkoi_hookspecs import Deny

from .finding import Command, Finding
from .patterns import programs
from .places import PRECIOUS
from .shell import Simple
from .words import Word

TRACED = {"HISTFILE": ("/dev/null", ""), "HISTSIZE": ("0",), "HISTFILESIZE": ("0",)}
FORMATS = ("mkfs", "mke2fs", "mkdosfs", "mkntfs", "newfs", "mkswap")
SILENT = frozenset({":", "true"})


def judge_assignment(name: str, value: Word) -> Iterator[Finding]:
    """Judge that a variable is set."""
    if name in programs("loaded") and value.text:
        yield Finding("makes other programs load code", "persistence")
    elif name in programs("run-later") and not value.known:
        yield Finding("makes other programs run what is computed", "computed")
    elif name == "NODE_OPTIONS" and any(one in value.text for one in ("--require", "-r ", "--import", "--loader")):
        yield Finding("makes other programs load code", "persistence")
    elif value.known and value.text in TRACED.get(name, ()):
        yield Finding("hides what is typed", "traces")


def emptied_by(simple: Simple) -> Iterator[Finding]:
    """A file that is emptied by writing nothing to it."""
    name = simple.words[0].text
    nulled = name == "cat" and any(word.text == "/dev/null" for word in simple.words[1:])
    for target in simple.writes:
        if target.text != "/dev/null" and (nulled or (name in SILENT and PRECIOUS.search(target.text))):
            yield Finding(f"empties {target.text}", "destroying")


def mounted(command: Command, devices: frozenset[str]) -> Iterator[Finding]:
    """A new file system over one that is in use."""
    if command.name.split(".")[0] not in FORMATS:
        return
    for path in command.operands:
        if posixpath.normpath(path) in devices:
            yield Finding(f"erases {path}, which is in use", "destroying", Deny)
