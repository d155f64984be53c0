"""Assign old files to new names, one to one: by most similar content, then by the most similar end of the path."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from itertools import groupby, takewhile
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

# The similarity, the old path and the new path of two files that may be the same.
Candidate: TypeAlias = tuple[float, str, str]
AreAlike: TypeAlias = Callable[[Collection[str]], bool]
Votes: TypeAlias = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class Assignment:
    """Map old paths to ``new`` ones; ``unclear`` old paths have several, and ``taken`` are the new paths of both."""

    new: dict[str, str] = field(default_factory=dict)
    unclear: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)


def assign_renames(candidates: Collection[Candidate], are_alike: AreAlike) -> Assignment:
    """Return the renames: ties are decided by the longest common end of the path, then by where the folder went.

    Old paths that still tie are unclear, unless they ``are_alike``: then it does not matter which is which.
    """
    clear = assign_in_order(candidates, {}, lambda _: False)
    if not clear.unclear:
        return clear
    return assign_in_order(candidates, Counter(changed_folders(*pair) for pair in clear.new.items()), are_alike)


def assign_in_order(candidates: Iterable[Candidate], votes: Votes, are_alike: AreAlike) -> Assignment:
    """Assign the best candidates first, and all that are equally good together."""
    ranked = [
        ((score, common_end(old, new), votes.get(changed_folders(old, new), 0)), old, new)
        for score, old, new in candidates
    ]
    made = Assignment()
    for _, tied in groupby(sorted(ranked, reverse=True), key=lambda each: each[0]):
        assign_tied(made, sorted((old, new) for _, old, new in tied), are_alike)
    return made


def assign_tied(made: Assignment, tied: Iterable[tuple[str, str]], are_alike: AreAlike) -> None:
    """Assign pairs that are equally good if only one new path fits; otherwise the old paths are unclear."""
    free = [(old, new) for old, new in tied if not (old in made.new or old in made.unclear or new in made.taken)]
    news, olds = group_second(free), group_second((new, old) for old, new in free)
    for old, fitting in news.items():
        rivals = {rival for new in fitting for rival in olds[new]}
        if len(fitting) == len(rivals) == 1 or (len(fitting) <= len(rivals) and are_alike(rivals)):
            new = next((one for one in fitting if one not in made.taken), None)
            made.new.update({old: new} if new else {})
            made.taken.update([new] if new else [])
        else:
            made.unclear.add(old)
            made.taken.update(fitting)


def group_second(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the second paths of each first one."""
    found: dict[str, list[str]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return found


def common_end(old: str, new: str) -> int:
    """Return how many last parts two paths have in common."""
    parts = zip(reversed(old.split("/")), reversed(new.split("/")), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], parts)))


def changed_folders(old: str, new: str) -> tuple[str, ...]:
    """Return two paths without their common end."""
    count = common_end(old, new)
    return tuple("/".join((parts := path.split("/"))[: len(parts) - count]) for path in (old, new))
