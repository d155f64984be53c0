"""Objects of JSON as they were written, and whether they can be relied upon. Knows no schema.

What says a key twice is not lost with all around it: it carries a mark, for those who want to act upon it.
"""

import math
from collections.abc import Sequence
from json import JSONDecoder, detect_encoding

from openkoi_hookspecs import Json

DEEPEST = 100
BOM = "\ufeff"


class Doubled(dict[str, Json]):
    """An object that says a key twice; its last word is held."""


def marked(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    """Build an object."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else Doubled(found)


DECODER = JSONDecoder(object_pairs_hook=marked)


def decoded(data: str | bytes) -> Json:
    """Read JSON; raises ValueError, or RecursionError."""
    text = data if isinstance(data, str) else data.decode(detect_encoding(data), "surrogatepass")
    value: Json = DECODER.decode(text.removeprefix(BOM))
    return value


def shallow(value: Json, levels: int = DEEPEST) -> bool:
    """Whether a value goes no deeper than so many levels."""
    if not isinstance(value, dict | list):
        return True
    return levels > 0 and all(shallow(item, levels - 1) for item in inside(value))


def reliable(value: Json) -> bool:
    """Whether all in a value that is not too deep was said once, and every number in it is one."""
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, dict | list):
        return True
    return not isinstance(value, Doubled) and all(map(reliable, inside(value)))


def inside(value: dict[str, Json] | list[Json]) -> Sequence[Json]:
    """What an object or a list holds."""
    return tuple(value.values()) if isinstance(value, dict) else value
