"""Detect command lines that only show files.

Reading through a shell counts like reading with a tool. Unclear cases do not count: a redirection, a substitution, an
unknown program.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Json

READERS = frozenset({"bat", "batcat", "cat", "egrep", "fgrep", "grep", "head", "less", "more", "nl", "rg", "tail"})
SHAPERS = frozenset({"cut", "sort", "uniq", "wc"})
OF_GIT = frozenset({"blame", "diff", "grep", "log", "show"})
BETWEEN = frozenset({"|", "&&", ";"})
SIGNS = frozenset("();<>|&")


def without_comments(arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the arguments without shell comments: a command with another comment is the same command."""
    command = arguments.get("command")
    return {**arguments, "command": strip_comments(command)} if isinstance(command, str) else arguments


def strip_comments(line: str) -> Json:
    """Return a command line without its comments; unchanged if it cannot be parsed."""
    try:
        return " ".join(shlex.quote(word) for word in shlex.split(line, comments=True))
    except ValueError:
        return line


def only_reads(arguments: Mapping[str, Json]) -> bool:
    """Return whether one of these arguments is a command line that only shows files."""
    return any(shows_files(value) for value in arguments.values() if isinstance(value, str))


def shows_files(line: str) -> bool:
    """Return whether the first command names a file to read, and the rest also read or only shape the output."""
    if "`" in line or "$(" in line or "\n" in line:
        return False
    try:
        commands = [*simple_commands(line)]
    except ValueError:
        return False
    return bool(commands) and reads(commands[0]) and all(reads(one) or one[0] in SHAPERS for one in commands[1:])


def simple_commands(line: str) -> Iterator[Sequence[str]]:
    """Return the words of each command; raise ValueError if the line is more than a sequence of plain commands."""
    words: list[str] = []
    for word in [*shlex.shlex(line, posix=True, punctuation_chars=True), ";"]:
        if word in BETWEEN:
            if words:
                yield words
            words = []
        elif SIGNS.issuperset(word):
            raise ValueError(word)
        else:
            words.append(word)


def reads(words: Sequence[str]) -> bool:
    """Return whether this is a program that shows files: ``sed`` does when it prints lines and writes none."""
    program, rest = words[0], words[1:]
    if program == "git":
        return bool(rest) and rest[0] in OF_GIT
    if program == "sed":
        return "-n" in rest and not any(word.startswith(("-i", "--in-place")) for word in rest)
    return program in READERS and bool(rest)
