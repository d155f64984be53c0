"""Find the paths that a call may write to, by its arguments.

Path arguments are recognized by their names, at any depth; all words of a command count, because those it writes to are
unknown. This prevents accidents; the sandbox restricts what a program does by itself.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from openkoi_hookspecs import Arguments, Json
from openkoi_hookspecs.lazy_pattern import lazy_pattern

PATHS = lazy_pattern(
    r"paths?|files?|filenames?|filepath|dirs?|directory|folders?|targets?|destination|dest|dst|source|src|from|to"
    r"|output|out|uri|url|root"
)
COMMANDS = lazy_pattern(r"commands?|cmd|script|shell|argv|args")
WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+")
FILE = "file://"
MAX_PATH_CHARACTERS = 4_096


def named_paths(value: "Json | Arguments", key: str = "") -> Iterator[str]:
    """Yield possible paths, by the name of their argument."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from named_paths(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from named_paths(one, key)
    elif isinstance(value, str):
        key_words = [word.lower() for word in WORD.findall(key)]
        if any(map(COMMANDS.fullmatch, key_words)):
            yield from split_words(value)
        elif any(map(PATHS.fullmatch, key_words)) and len(value) <= MAX_PATH_CHARACTERS:
            yield unquote(value.removeprefix(FILE)) if value.startswith(FILE) else value


def split_words(line: str) -> Iterator[str]:
    """Yield the words of a shell line, including those after signs such as ``>`` or ``=``."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        found = list(lexer)
    except ValueError:
        found = re.split(r"[\s\"'<>|&;()]+", line)
    for word in found:
        yield from dict.fromkeys((word, word.rpartition("=")[2]))
