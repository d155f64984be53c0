"""Find an item by its id, or by a prefix of it."""

from collections.abc import Mapping
from itertools import islice
from typing import TypeVar

from openkoi_hookspecs import KoiError, PluginNotFoundError

T = TypeVar("T")
SHORT_ID_LENGTH = 8  # characters of an id that are shown where they are enough
FURTHER_CHARACTERS = 4  # beyond those that several ids begin with
MAX_LISTED = 8


def find_by_prefix(id: str, there: Mapping[str, T], kind: str, plural: str = "") -> T:
    """Return the only item whose id has this prefix; an empty ``id`` matches all items.

    Raise PluginNotFoundError, or KoiError where several match.
    """
    found = [id] if id in there else [one for one in there if one.startswith(id)]
    if len(found) > 1:
        ids = join_ids(found, len(id) + FURTHER_CHARACTERS)
        raise KoiError(f"Several {plural or f'{kind}s'} start with {id!r}: {ids}. Use more characters of the id.")
    if not found:
        raise PluginNotFoundError(kind, id, tuple(one[:SHORT_ID_LENGTH] for one in islice(there, MAX_LISTED)))
    return there[found[0]]


def join_ids(ids: list[str], length: int) -> str:
    """List the first ids in a sentence, shortened, but not to less than the usual length."""
    return ", ".join(one[: max(SHORT_ID_LENGTH, length)] for one in ids[:MAX_LISTED])
