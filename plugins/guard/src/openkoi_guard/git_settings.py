"""Checks of what git is told to run in place of its own: settings, for one command or for good, and its variables."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .finding import Command, Finding
from .interpreters import PYTHON
from .patterns import programs
from .words import Word

ALWAYS = re.compile(
    r"core\.(hookspath|sshcommand|gitproxy|askpass)|include(if)?\..*|init\.templatedir|diff\.external|gpg\.program"
    r"|filter\..*|.*\.(textconv|driver|packobjectshook)"
)
SOMETIMES = re.compile(r"core\.(pager|editor|fsmonitor)|sequence\.editor|pager\..*|.*\.(cmd|command|tool\.path)")
OFF = frozenset({"", "/dev/null", "true", "false", "0", "1"})
LOOKING = frozenset({"--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "--list", "-l", "get", "unset"})
OWN_FOLDERS = re.compile(r"^(/usr/|/bin/|/opt/homebrew/)")
SEVERAL = re.compile(r"[;|&`<>]|\$\(")
INTERPRETERS = frozenset({"perl", "ruby", "node", "php", "lua", "env", "eval", "exec", "curl", "wget", "nc"})
WHY = "makes git run another program"


def judge(command: Command) -> Iterator[Finding]:
    """Settings that make git run something, now or later."""
    for key, value in settings(command.words):
        if is_run(key.lower(), value):
            yield Finding(WHY, "history")
            return
    if any(word.text.startswith("--exec-path=") for word in command.words):
        yield Finding("takes git's own programs from elsewhere", "history")


def settings(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """The settings that a command makes, each with its value."""
    for at, word in enumerate(words[:-1]):
        if word.text in {"-c", "--config"}:
            key, _, value = words[at + 1].text.partition("=")
            yield key, Word(value, words[at + 1].known)
        if word.text == "config":
            yield from kept(words[at + 1 :])
            return


def kept(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """What ``git config`` writes down; nothing when it only looks."""
    if LOOKING & {word.text for word in words}:
        return
    plain = [word for word in words if not word.option and word.text not in {"set", "--"}]
    yield from ((key.text, value) for key, value in pairwise(plain) if "." in key.text)


def is_run(key: str, value: Word) -> bool:
    """Whether a setting makes git run something that is not well known."""
    if value.text in OFF:
        return False
    if key.startswith("alias."):
        return value.text.startswith("!")
    return ALWAYS.fullmatch(key) is not None or (SOMETIMES.fullmatch(key) is not None and is_foreign(value))


def is_foreign(value: Word) -> bool:
    """Whether a program is a script of somebody's, an interpreter, or several at once."""
    first = value.text.lstrip("!").split()[:1]
    if not first:
        return False
    name = posixpath.basename(first[0])
    known = OWN_FOLDERS.match(first[0]) is not None or "/" not in first[0]
    shell = name in programs("shells") or name in INTERPRETERS or PYTHON.match(name) is not None
    return not known or shell or SEVERAL.search(value.text) is not None
