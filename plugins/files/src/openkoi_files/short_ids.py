"""Find what a user names by its id, or by the beginning of it."""

from collections.abc import Mapping
from itertools import islice
from typing import TypeVar

from openkoi_hookspecs import KoiError, PluginNotFoundError

T = TypeVar("T")
SHORT = 8
MAX_LISTED = 8


def find_by_prefix(id: str, there: Mapping[str, T], kind: str, plural: str = "") -> T:
    """Return the only one whose id begins so; an empty ``id`` names the only one there is.

    Raises PluginNotFoundError, or KoiError where several begin so.
    """
    found = [one for one in there if one.startswith(id)]
    if len(found) > 1:
        raise KoiError(f"Several {plural or f'{kind}s'} begin with {id!r}: {listed(found)}. Give more of the id.")
    if not found:
        raise PluginNotFoundError(kind, id, tuple(one[:SHORT] for one in islice(there, MAX_LISTED)))
    return there[found[0]]


def listed(ids: list[str]) -> str:
    """Return the first ids, for a sentence."""
    return ", ".join(one[:SHORT] for one in ids[:MAX_LISTED])
