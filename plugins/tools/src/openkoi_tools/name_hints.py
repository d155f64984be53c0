"""The name that somebody probably meant."""

from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice

from .paths import Place, spelled
from .walk import walk

MOST_LOOKED_AT = 5_000


def hint(where: Place, skip: Collection[str]) -> str:
    """Return a question with the nearest existing name, or nothing."""
    near = sibling(where) or namesake(where, skip)
    return f" Did you mean {near}?" if near else ""


def sibling(where: Place) -> str:
    """Find a name like it in the same folder."""
    folder = where.real.parent
    if not folder.is_dir():
        return ""
    names = {path.name.lower(): path for path in folder.iterdir()}
    near = get_close_matches(where.real.name.lower(), names, n=1)
    return spelled(names[near[0]].relative_to(where.root).as_posix()) if near else ""


def namesake(where: Place, skip: Collection[str]) -> str:
    """Find a file of the same name in another folder, the one whose path is most like it."""
    paths = islice(walk(Place(where.root, where.root), skip), MOST_LOOKED_AT)
    same = [spelled(path) for path in paths if path.rpartition("/")[2] == where.real.name]
    return next(iter(get_close_matches(where.name, same, n=1, cutoff=0.0)), "")
