"""Find held values in a text, each by the forms that it may have; also where the text begins or ends within one.

A truncated text may end in the middle of a value: a model's answer at its token limit, an output cut by ``head -c``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from .grams import Grams

PART = 12  # characters of a value that are masked without the rest of it

Found = tuple[int, int, str]


class HeldForms:
    """The forms of held values, each with the origin of its value."""

    def __init__(self) -> None:
        self.origins: dict[str, str] = {}
        self.begins: dict[str, list[str]] = defaultdict(list)
        self.ends: dict[str, list[str]] = defaultdict(list)
        self.grams = Grams(size=8, stride=9)
        self.longest = 0

    def add(self, forms: Iterable[str], origin: str) -> None:
        """Look for these as well."""
        for form in forms:
            if form in self.origins:
                continue
            self.origins[form] = origin
            self.grams.add(form)
            self.longest = max(self.longest, len(form))
            if len(form) > PART:
                self.begins[form[:PART]].append(form)
                self.ends[form[-PART:]].append(form)

    def found(self, text: str) -> Iterator[Found]:
        """Where they stand in a text, and the origin of each."""
        for form in self.grams.present(text):
            yield from ((start, start + len(form), self.origins[form]) for start in places(text, form))
        yield from self.cut_off(text)

    def cut_off(self, text: str) -> Iterator[Found]:
        """Where one has begun at the end of a text, or ends at its beginning."""
        size = len(text)
        for at in range(max(0, size - self.longest), size - PART + 1):
            for form in self.begins.get(text[at : at + PART], ()):
                if form.startswith(text[at:]):
                    yield at, size, self.origins[form]
        for at in range(PART, min(size, self.longest) + 1):
            for form in self.ends.get(text[at - PART : at], ()):
                if form.endswith(text[:at]):
                    yield 0, at, self.origins[form]


def places(text: str, part: str) -> Iterator[int]:
    """Where a part begins in a text."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))
