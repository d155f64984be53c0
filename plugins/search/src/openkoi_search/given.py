"""Texts as they are given: alone, with an id each, or as facts that say more of them. Knows shapes; knows no search."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar

I_co = TypeVar("I_co", bound=Hashable, covariant=True)


class TextWithId(Protocol[I_co]):
    """A text with an id, such as a ``Passage`` or a ``Learning``."""

    @property
    def id(self) -> I_co:
        """What tells it from others."""

    @property
    def text(self) -> str:
        """What it says."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A text with what it is told by; and who said it, when, and in which conversation, as far as that is known."""

    id: Any
    text: str
    speaker: str = ""
    date: str = ""
    session: Hashable = None

    @property
    def said(self) -> str:
        """The text as it is searched: after who said it and when."""
        named = self.speaker and not self.text.startswith(self.speaker)
        about = [str(self.speaker)] * bool(named) + [f"({self.date})"] * bool(self.date)
        return f"{' '.join(about)}: {self.text}" if about else self.text


NAMES = tuple(field.name for field in fields(Chunk))


def chunks_of(chunks: Mapping[Any, str] | Iterable[Any]) -> list[Chunk]:
    """What was given; raises TypeError when a text is missing."""
    pairs = chunks.items() if isinstance(chunks, Mapping) else chunks
    return [chunk_of(one, place) for place, one in enumerate(pairs)]


def chunk_of(one: Any, place: int) -> Chunk:
    """One of what was given; its place is its id when it has none."""
    match one:
        case str():
            return Chunk(place, one)
        case (id, str(text)):
            return Chunk(id, text)
    known = one if isinstance(one, Mapping) else {name: getattr(one, name, None) for name in NAMES}
    told: dict[str, Any] = {name: known[name] for name in NAMES if known.get(name) is not None}
    if not isinstance(told.get("text"), str):
        raise TypeError(
            f"The chunk at place {place} is {type(one).__name__!r} without a text. "
            "Give texts, pairs of an id and a text, a mapping from ids to texts, or things that have an id and a text."
        )
    return Chunk(**{"id": place, **told})


def all_said(given: Sequence[Chunk], about: Sequence[str]) -> list[str]:
    """The texts as they are searched: after what is said about each, or else what each says of itself."""
    if not len(about):
        return [one.said for one in given]
    return [f"{note} {one.text}" for note, one in zip(one_each("about", about, given), given, strict=True)]


def one_each(name: str, values: Sequence[Any], given: Sequence[object]) -> Sequence[Any]:
    """The values; raises ValueError unless there is one for each text."""
    if len(values) != len(given):
        raise ValueError(f"{name} has {len(values)} entries for {len(given)} texts. Give one for each text, in order.")
    return values
