"""Parse a JSON object, repairing it only where that cannot change a number.

A text with an oddly written value, or with a duplicate key that is needed, is rejected instead of repaired.
"""

import json
import re
from collections.abc import Collection, Mapping

from openkoi_hookspecs.lazy_pattern import lazy_pattern

MAX_REPAIR_CHARACTERS = 30_000
QUOTED = lazy_pattern(r'"(?:[^"\\]|\\.)*+\\?(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
VALUE = lazy_pattern(
    r""":\s*(?:["'{\[]|(?:true|false|null|True|False|None)\b"""
    r"""|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=\s*[}\]]|\s*,(?!\s*[-+.\d])|\s+["']))"""
)
NO_COLON = lazy_pattern(r"""["']\s*[-+.]*\d""")


class DuplicateKeyError(Exception):
    """A key occurs twice in one object, with different values."""


def parse_object(text: str, wanted: Collection[str]) -> Mapping[str, object] | None:
    """Return an object, or None if it is not one or could only be guessed."""
    try:
        value = json.loads(
            text, strict=False, parse_int=float, parse_constant=float, object_pairs_hook=build_unambiguous
        )
    except DuplicateKeyError:
        return None
    except (ValueError, RecursionError):
        value = repair_object(text, wanted)
    return value if isinstance(value, dict) else None


def build_unambiguous(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a dictionary; raise DuplicateKeyError for a key with two values."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise DuplicateKeyError(key)
        found[key] = value
    return found


def repair_object(text: str, wanted: Collection[str]) -> object:
    """Repair commas, quotes, comments and escapes."""
    if len(text) > MAX_REPAIR_CHARACTERS or not is_repairable(text, wanted):
        return None
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def is_repairable(text: str, wanted: Collection[str]) -> bool:
    """Return whether every value outside strings is written plainly, and no needed key occurs twice."""
    bare = QUOTED.sub(lambda found: '""' if found[0].startswith('"') else " ", text)
    if bare.count(":") != len(VALUE.findall(bare)) or NO_COLON.search(bare):
        return False
    return all(count_key(text, name) < 2 for name in wanted)


def count_key(text: str, name: str) -> int:
    """Return how often a key occurs in a text, quoted or not."""
    spelled = re.escape(name).replace("_", r"[\s_-]")
    key = rf"""(?<!\\)["']{spelled}["']\s*:|[{{,]\s*{spelled}\s*:"""
    return len(re.findall(key, text, re.IGNORECASE))
