"""Turn the text of one object into values, mended only if it has to be. Refuses rather than guesses a number.

What a repair may change is limited: a text in which a value is spelled oddly, or a wanted key stands twice, is
refused, because mending it would mean to choose a number.
"""

import json
import re
from collections.abc import Collection, Mapping

MOST = 30_000
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+\\?(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
VALUE = re.compile(
    r""":\s*(?:["'{\[]|(?:true|false|null|True|False|None)\b"""
    r"""|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=\s*[}\]]|\s*,(?!\s*[-+.\d])|\s+["']))"""
)
NO_COLON = re.compile(r"""["']\s*[-+.]*\d""")


class Twice(Exception):
    """A key stands twice in one object, with different values."""


def decode(text: str, wanted: Collection[str]) -> Mapping[str, object] | None:
    """Read an object; None if it is none, or could only be made one by guessing."""
    try:
        value = json.loads(text, strict=False, parse_int=float, parse_constant=float, object_pairs_hook=unambiguous)
    except Twice:
        return None
    except (ValueError, RecursionError):
        value = repaired(text, wanted)
    return value if isinstance(value, dict) else None


def unambiguous(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make a dictionary; the same key with another value is no dictionary."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise Twice(key)
        found[key] = value
    return found


def repaired(text: str, wanted: Collection[str]) -> object:
    """Mend commas, quotes, comments and escapes."""
    if len(text) > MOST or not mendable(text, wanted):
        return None
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def mendable(text: str, wanted: Collection[str]) -> bool:
    """Whether every value, outside of strings, is plainly spelled, and no wanted key stands twice."""
    bare = QUOTED.sub(lambda found: '""' if found[0].startswith('"') else " ", text)
    if bare.count(":") != len(VALUE.findall(bare)) or NO_COLON.search(bare):
        return False
    return all(times(text, name) < 2 for name in wanted)


def times(text: str, name: str) -> int:
    """Count how often a key stands in a text, quoted or bare."""
    spelled = re.escape(name).replace("_", r"[\s_-]")
    key = rf"""(?<!\\)["']{spelled}["']\s*:|[{{,]\s*{spelled}\s*:"""
    return len(re.findall(key, text, re.IGNORECASE))
