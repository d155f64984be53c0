"""Find the values that stand under a secret's name: ``DB_PASS=...``, ``"clientSecret": "..."``, ``--token ...``.

What such a value looks like is compiled when a name of a secret is met for the first time: most processes meet none.
"""

import re
from collections.abc import Iterator

from .entries import ENTRY, NEAR, OPENED
from .keywords import any_of, lowered
from .names import is_secret_name

HINTS = (
    *("pass", "pwd", "_pw", "secret", "token", "key", "auth", "cred", "webhook", "cookie", "jwt", "psk", "salt"),
    *("mnemonic", "bearer", "connstr", "conn_str", "connectionstr", "connection_str", "_pat", "sessionid"),
    *("bindpw", "rootpw", "adminpw"),
)
HINT = re.compile(any_of(HINTS))
LONGEST_NAME = 80
PART_OF_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/@")
REST = re.compile(r"[\w.-]{0,60}")
REACH = 300  # characters that an entry is looked for in, and a name


def assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """Where secret values stand, and the names that they stand under."""
    done = 0
    for hint in HINT.finditer(lowered(text)):
        if hint.start() < done:
            continue
        start, end = name_around(text, *hint.span())
        done = end
        name = text[start:end].strip(".:/@")
        if not is_secret_name(name) or name.startswith("arn:"):
            continue
        from .assigned_values import match_value, values

        found = match_value(text, start, end)
        for value in values(found, name) if found else ():
            done = max(done, value[1])
            yield value


def unfinished(text: str, end: int) -> int:
    """Where an entry begins, before a place in a text, whose value has not come yet; else that place."""
    if ENTRY.search(text[max(0, end - NEAR) : end]):
        return text.rfind("\n", 0, end) + 1
    first = max(0, text.rfind("\n", 0, max(0, end - REACH)) + 1)
    for hint in HINT.finditer(lowered(text[first:end])):
        start, after = name_around(text, first + hint.start(), first + hint.end())
        opened = ENTRY.search(text[max(0, start - NEAR) : start]) or OPENED.match(text[after:end])
        if opened and is_secret_name(text[start:after].strip(".:/@")) and not has_value(text[after:end]):
            return text.rfind("\n", 0, start) + 1
    return end


def has_value(text: str) -> bool:
    """Whether the rest of an entry, after its name, has the value."""
    from .assigned_values import VALUE

    return bool(VALUE.match(text))


def name_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The name that a hint is a part of."""
    first = max(0, start - LONGEST_NAME)
    while start > first and text[start - 1] in PART_OF_NAME:
        start -= 1
    rest = REST.match(text, end)
    return start, rest.end() if rest else end
