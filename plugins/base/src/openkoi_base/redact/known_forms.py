"""Find known values in a text, in each of their encodings; also where the text starts or ends within one.

A truncated text may end inside a value: a model's answer at its token limit, an output cut by ``head -c``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from .grams import Grams

MIN_PART_CHARACTERS = 12  # shorter beginnings and ends of a value are not masked (estimate)

Found = tuple[int, int, str]


class KnownForms:
    """The encodings of known values, each with the origin of its value."""

    def __init__(self) -> None:
        self.origins: dict[str, str] = {}
        self.begins: dict[str, list[str]] = defaultdict(list)
        self.ends: dict[str, list[str]] = defaultdict(list)
        self.grams = Grams(size=8, stride=9)
        self.longest = 0
        self.joined = ""

    def add(self, forms: Iterable[str], origin: str) -> None:
        """Add encodings to look for."""
        for form in forms:
            if form in self.origins:
                continue
            self.origins[form] = origin
            self.grams.add(form)
            self.longest = max(self.longest, len(form))
            if len(form) > MIN_PART_CHARACTERS:
                self.joined += f"\0{form}"
                self.begins[form[:MIN_PART_CHARACTERS]].append(form)
                self.ends[form[-MIN_PART_CHARACTERS:]].append(form)

    def find(self, text: str) -> Iterator[Found]:
        """Yield their positions in a text, and the origin of each."""
        for form in self.grams.present(text):
            yield from ((start, start + len(form), self.origins[form]) for start in find_all(text, form))
        yield from self.find_partial(text)

    def find_partial(self, text: str) -> Iterator[Found]:
        """Yield the positions of partial values at the end and at the start of a text.

        The last characters of such a text are within a value, or the first ones, which few texts come to.
        """
        size = len(text)
        if size < MIN_PART_CHARACTERS:
            return
        ending = range(max(0, size - self.longest), size - MIN_PART_CHARACTERS + 1)
        for at in ending if text[-MIN_PART_CHARACTERS:] in self.joined else ():
            for form in self.begins.get(text[at : at + MIN_PART_CHARACTERS], ()):
                if form.startswith(text[at:]):
                    yield at, size, self.origins[form]
        starting = range(MIN_PART_CHARACTERS, min(size, self.longest) + 1)
        for at in starting if text[:MIN_PART_CHARACTERS] in self.joined else ():
            for form in self.ends.get(text[at - MIN_PART_CHARACTERS : at], ()):
                if form.endswith(text[:at]):
                    yield 0, at, self.origins[form]


def find_all(text: str, part: str) -> Iterator[int]:
    """Yield the positions of a part in a text."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))
