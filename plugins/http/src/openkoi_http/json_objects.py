"""Parse JSON objects, and detect unreliable ones.

An object with a duplicate key is marked rather than rejected, so that callers decide.
"""

import math
from collections.abc import Sequence
from json import JSONDecoder, detect_encoding

from openkoi_hookspecs import Json

MAX_DEPTH = 100
BOM = "\ufeff"


class DuplicateKeyDict(dict[str, Json]):
    """An object with a duplicate key; the last value is kept."""


def build_object(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object, marked if it has a duplicate key."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else DuplicateKeyDict(found)


MARKING_DECODER = JSONDecoder(object_pairs_hook=build_object)
PLAIN_DECODER = JSONDecoder()


def decode_json(data: str | bytes, *, marking: bool = True) -> Json:
    """Parse JSON; raise ValueError or RecursionError. Unless ``marking``, duplicate keys are not seen."""
    text = data if isinstance(data, str) else data.decode(detect_encoding(data), "surrogatepass")
    value: Json = (MARKING_DECODER if marking else PLAIN_DECODER).decode(text.removeprefix(BOM))
    return value


def is_shallow(value: Json, levels: int = MAX_DEPTH) -> bool:
    """Return whether a value is nested no deeper than ``levels``."""
    if not isinstance(value, dict | list):
        return True
    return levels > 0 and all(is_shallow(item, levels - 1) for item in children_of(value))


def is_reliable(value: Json) -> bool:
    """Return whether a value has no duplicate keys and only finite numbers."""
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, dict | list):
        return True
    return not isinstance(value, DuplicateKeyDict) and all(map(is_reliable, children_of(value)))


def children_of(value: dict[str, Json] | list[Json]) -> Sequence[Json]:
    """Return the values in an object or list."""
    return tuple(value.values()) if isinstance(value, dict) else value
