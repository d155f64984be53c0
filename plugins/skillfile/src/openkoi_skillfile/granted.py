"""The tools that a skill keeps to, as people write them. Knows words; knows no tool."""

import re

from .front import one_line

WORD = re.compile(r"(?:[^\s,()]|\([^()]*\))+")


def granted(value: object) -> tuple[str, ...]:
    """Take ``Read Bash(git:*)``, with commas or without, or a list of such words."""
    several = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(word for one in several for word in WORD.findall(one_line(one))))
