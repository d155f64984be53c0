"""Find which of many strings a text may contain, in time that does not grow with their number.

Only every ``stride``-th substring of ``size`` characters of a text is looked up: any string of at least ``size`` +
``stride`` - 1 characters in the text contains one of them.
"""

from collections import defaultdict
from collections.abc import Iterator


class Grams:
    """Strings, indexed by their first substrings."""

    def __init__(self, size: int, stride: int) -> None:
        self.size, self.stride = size, stride
        self.order: dict[str, int] = {}
        self.short: list[str] = []
        self.indexed: dict[str, set[str]] = defaultdict(set)

    def add(self, one: str) -> None:
        """Add a string to look for."""
        if one in self.order:
            return
        self.order[one] = len(self.order)
        if len(one) < self.size + self.stride - 1:
            self.short.append(one)
            return
        for at in range(self.stride):
            self.indexed[one[at : at + self.size]].add(one)

    def present(self, text: str) -> Iterator[str]:
        """Return the strings that may be in a text: first the short ones, then in the order of addition."""
        yield from (one for one in self.short if one in text)
        windows = {text[at : at + self.size] for at in range(0, len(text), self.stride)}
        likely = {one for gram in windows & self.indexed.keys() for one in self.indexed[gram]}
        yield from (one for one in sorted(likely, key=self.order.__getitem__) if one in text)
