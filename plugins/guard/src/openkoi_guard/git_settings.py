"""Check settings and variables that make git run other programs, for one command or permanently."""

import posixpath
from collections.abc import Iterator, Sequence
from itertools import pairwise

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs
from .interpreters import PYTHON
from .issue import Danger, Invocation
from .shell_words import Word

ALWAYS = lazy_pattern(
    r"core\.(hookspath|sshcommand|gitproxy|askpass)|include(if)?\..*|init\.templatedir|diff\.external|gpg\.program"
    r"|filter\..*|.*\.(textconv|driver|packobjectshook)"
)
SOMETIMES = lazy_pattern(r"core\.(pager|editor|fsmonitor)|sequence\.editor|pager\..*|.*\.(cmd|command|tool\.path)")
OFF = frozenset({"", "/dev/null", "true", "false", "0", "1"})
LOOKING = frozenset({"--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "--list", "-l", "get", "unset"})
OWN_FOLDERS = lazy_pattern(r"^(/usr/|/bin/|/opt/homebrew/)")
SEVERAL = lazy_pattern(r"[;|&`<>]|\$\(")
INTERPRETERS = frozenset({"perl", "ruby", "node", "php", "lua", "env", "eval", "exec", "curl", "wget", "nc"})
WHY = "makes git run another program"


def check_git_settings(command: Invocation) -> Iterator[Danger]:
    """Find settings that make git run something, now or later."""
    for key, value in list_settings(command.words):
        if is_run_by_git(key.lower(), value):
            yield Danger(WHY, "history")
            return
    if any(word.text.startswith("--exec-path=") for word in command.words):
        yield Danger("replaces git's own programs", "history")


def list_settings(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the settings that a command makes, each with its value."""
    for at, word in enumerate(words[:-1]):
        if word.text in {"-c", "--config"}:
            key, _, value = words[at + 1].text.partition("=")
            yield key, Word(value, words[at + 1].is_known)
        if word.text == "config":
            yield from list_config_settings(words[at + 1 :])
            return


def list_config_settings(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """Yield the settings that ``git config`` writes, none when it only reads."""
    if LOOKING & {word.text for word in words}:
        return
    plain = [word for word in words if not word.is_option and word.text not in {"set", "--"}]
    yield from ((key.text, value) for key, value in pairwise(plain) if "." in key.text)


def is_run_by_git(key: str, value: Word) -> bool:
    """Return whether a setting makes git run a program that is not well known."""
    if value.text in OFF:
        return False
    if key.startswith("alias."):
        return value.text.startswith("!")
    return ALWAYS.fullmatch(key) is not None or (SOMETIMES.fullmatch(key) is not None and is_foreign(value))


def is_foreign(value: Word) -> bool:
    """Return whether a program is a script, an interpreter, or several at once."""
    first = value.text.lstrip("!").split()[:1]
    if not first:
        return False
    name = posixpath.basename(first[0])
    known = OWN_FOLDERS.match(first[0]) is not None or "/" not in first[0]
    shell = name in load_programs("shells") or name in INTERPRETERS or PYTHON.match(name) is not None
    return not known or shell or SEVERAL.search(value.text) is not None
