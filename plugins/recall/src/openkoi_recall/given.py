"""Texts as they are given: alone, with an id each, or as facts that have both. Knows shapes; knows no search."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

I_co = TypeVar("I_co", bound=Hashable, covariant=True)


class Told(Protocol[I_co]):
    """A text with an id, as a ``Passage`` or a ``Learning`` is."""

    @property
    def id(self) -> I_co:
        """What tells it from others."""

    @property
    def text(self) -> str:
        """What it says."""


def ids_and_texts(chunks: Mapping[Any, str] | Iterable[Any]) -> tuple[Sequence[Any], list[str]]:
    """The ids that texts were given with, or else their places, and the texts."""
    if isinstance(chunks, Mapping):
        return list(chunks), list(map(str, chunks.values()))
    given = list(chunks)
    if all(isinstance(one, str) for one in given):
        return range(len(given)), given
    pairs = [pair_of(one, place) for place, one in enumerate(given)]
    return [id for id, _ in pairs], [text for _, text in pairs]


def pair_of(one: Any, place: int) -> tuple[Any, str]:
    """The id and the text of one; raises TypeError when it has none."""
    match one:
        case str():
            return place, one
        case (id, str(text)):
            return id, text
        case {"id": id, "text": str(text)}:
            return id, text
    found = getattr(one, "text", None)
    if not isinstance(found, str):
        raise TypeError(
            f"The chunk at place {place} is {type(one).__name__!r}. "
            "Give texts, pairs of an id and a text, a mapping from ids to texts, or things that have an id and a text."
        )
    return getattr(one, "id", place), found
