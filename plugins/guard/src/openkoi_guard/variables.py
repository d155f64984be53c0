"""Variables of the environment in the words of a line: their values count as known where the line does not set them."""

import posixpath
import re

from .shell import FROM_ENVIRONMENT
from .words import Word

VARIABLE = re.compile(r"\$\{?!?(\w+)")
ENDING = re.compile(r"\.(exe|cmd|bat|com)$")


def from_environment(word: Word, line: str) -> bool:
    """Return whether a program lies in a folder that a variable names which this line does not set."""
    match = FROM_ENVIRONMENT.match(word.text)
    return match is not None and not mentioned(match[1], line)


def mentioned(variable: str, line: str) -> bool:
    """Return whether a line does more with a variable than read it."""
    return re.search(rf"(?<![\w$]){re.escape(variable)}(?!\w)", line.replace("${", "$")) is not None


def uncertain(word: Word, line: str) -> bool:
    """Return whether a word holds more than values of the environment that this line does not touch."""
    made = "$(" in word.text or "`" in word.text
    return not word.known and (made or any(mentioned(name, line) for name in VARIABLE.findall(word.text)))


def program_name(word: Word, line: str) -> str:
    """Return the name of a program; empty if only running would show it."""
    if word.glob or not word.text:
        return ""
    if not word.known and not from_environment(word, line):
        return ""
    return ENDING.sub("", posixpath.basename(word.text).lower())
