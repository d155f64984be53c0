"""Find values assigned to a secret's name: ``DB_PASS=...``, ``"clientSecret": "..."``, ``--token ...``.

A name alone proves nothing, since programs are full of ``password = read()``: the value must look like a secret.
"""

from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .entries import ENTRY, NEAR, OPENED
from .hints import find_hints
from .keywords import lower_text
from .names import is_secret_name

MAX_NAME_CHARACTERS = 80
PART_OF_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/@")
REST = lazy_pattern(r"[\w.-]{0,60}")
REACH = 300  # characters that an entry is looked for in, and a name
BEFORE_VALUE = frozenset("\\\"'`[] \t:=!>,(|")  # what a value's notation begins with; an entry's value comes later


def find_assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions of secret values, with their names."""
    done, lower = 0, lower_text(text)
    for hint in find_hints(lower):
        if hint[0] < done:
            continue
        start, end = name_around(text, *hint)
        done = end
        name = text[start:end].strip(".:/@")
        if not is_secret_name(name) or name.startswith("arn:"):
            continue
        if text[end : end + 1] not in BEFORE_VALUE and not ENTRY.search(text[max(0, start - NEAR) : start]):
            continue
        from .assigned_values import match_value, secret_values

        found = match_value(text, start, end)
        for value in secret_values(found, name) if found else ():
            done = max(done, value[1])
            yield value


def unfinished_start(text: str, end: int) -> int:
    """Return where an entry starts whose value is not in the text yet; else the end."""
    if ENTRY.search(text[max(0, end - NEAR) : end]):
        return text.rfind("\n", 0, end) + 1
    first = max(0, text.rfind("\n", 0, max(0, end - REACH)) + 1)
    for hint in find_hints(lower_text(text[first:end])):
        start, after = name_around(text, first + hint[0], first + hint[1])
        opened = ENTRY.search(text[max(0, start - NEAR) : start]) or OPENED.match(text[after:end])
        if opened and is_secret_name(text[start:after].strip(".:/@")) and not has_value(text[after:end]):
            return text.rfind("\n", 0, start) + 1
    return end


def has_value(text: str) -> bool:
    """Whether the rest of an entry, after its name, has the value."""
    from .assigned_values import VALUE

    return bool(VALUE.match(text))


def name_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the name that contains a hint."""
    first = max(0, start - MAX_NAME_CHARACTERS)
    while start > first and text[start - 1] in PART_OF_NAME:
        start -= 1
    rest = REST.match(text, end)
    return start, rest.end() if rest else end
