"""Read input texts: bare, with an id each, or as objects that have a speaker, a date and a session."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol, TypeVar

from openkoi_hookspecs.lazy_dataclass import dataclass

I_co = TypeVar("I_co", bound=Hashable, covariant=True)


class TextWithId(Protocol[I_co]):
    """A text with an id, such as a ``Passage`` or a ``Learning``."""

    @property
    def id(self) -> I_co:
        """The id that search results contain."""

    @property
    def text(self) -> str:
        """The text to search."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A text with its id, and its speaker, date and conversation if they are known."""

    id: Any
    text: str
    speaker: str = ""
    date: str = ""
    session: Hashable = None

    @property
    def searchable(self) -> str:
        """The text as it is indexed: after its speaker and date."""
        named = self.speaker and not self.text.startswith(self.speaker)
        about = [str(self.speaker)] * bool(named) + [f"({self.date})"] * bool(self.date)
        return f"{' '.join(about)}: {self.text}" if about else self.text


FIELDS = tuple(field.name for field in fields(Chunk))


def read_chunks(chunks: Mapping[Any, str] | Iterable[Any]) -> list[Chunk]:
    """Return texts in any accepted shape as chunks; raise TypeError when a text is missing."""
    pairs = chunks.items() if isinstance(chunks, Mapping) else chunks
    return [read_chunk(item, place) for place, item in enumerate(pairs)]


def read_chunk(item: Any, place: int) -> Chunk:
    """Return one text as a chunk; its position is its id if it has none."""
    match item:
        case str():
            return Chunk(place, item)
        case (id, str(text)):
            return Chunk(id, text)
    known = item if isinstance(item, Mapping) else {name: getattr(item, name, None) for name in FIELDS}
    values: dict[str, Any] = {name: known[name] for name in FIELDS if known.get(name) is not None}
    if not isinstance(values.get("text"), str):
        raise TypeError(
            f"Chunk {place} (type {type(item).__name__}) has no text. "
            "Pass strings, (id, text) pairs, a mapping of ids to strings, or objects with `id` and `text`."
        )
    return Chunk(**{"id": place, **values})


def indexed_texts(given: Sequence[Chunk], about: Sequence[str]) -> list[str]:
    """Return the texts as they are indexed: after ``about`` each, or after their own speaker and date."""
    if not len(about):
        return [chunk.searchable for chunk in given]
    return [f"{note} {chunk.text}" for note, chunk in zip(check_length("about", about, given), given, strict=True)]


def check_length(name: str, values: Sequence[Any], given: Sequence[object]) -> Sequence[Any]:
    """Return the values; raise ValueError unless there is one for each text."""
    if len(values) != len(given):
        raise ValueError(f"{name} has {len(values)} entries for {len(given)} texts. Give one for each text, in order.")
    return values
