"""BM25 over texts that are held in memory: which word stands how often in which text, as columns of numbers.

Knows words and numbers of texts; knows no database. ``ranking`` does the same over the tables of the memory file.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Scores: TypeAlias = NDArray[numpy.float32]
    Numbers: TypeAlias = NDArray[numpy.int64]
    Matrix: TypeAlias = NDArray[numpy.float32]

K1, B = 0.9, 0.4
CODE = (1.2, 0.75)


@dataclass(frozen=True, slots=True)
class WordPosting:
    """The texts that contain a word, and its weight in each."""

    texts: "Numbers"
    worth: "Scores"


@dataclass(frozen=True, slots=True)
class Postings:
    """All words of ``size`` texts."""

    words: Mapping[str, WordPosting]
    size: int

    def scores(self, asked: Iterable[str]) -> "Scores":
        """How well each text answers these words; 0 where it has none of them."""
        import numpy

        found: Scores = numpy.zeros(self.size, numpy.float32)
        for word in dict.fromkeys(asked):
            posted = self.words.get(word)
            if posted is not None:
                found[posted.texts] += posted.worth
        return found

    def shares(self, asked: Sequence[str]) -> "Scores":
        """Which share of these words each text has; words that no text has do not count."""
        import numpy

        found: Scores = numpy.zeros(self.size, numpy.float32)
        known = [self.words[word].texts for word in asked if word in self.words]
        for texts in known:
            found[texts] += numpy.float32(1 / len(known))
        return found


def postings(texts: Sequence[Sequence[str]], shape: tuple[float, float] = (K1, B)) -> Postings:
    """Post texts, each as its words. ``shape``: how soon a word is often enough, and what a length counts."""
    import numpy

    mean = sum(map(len, texts)) / max(len(texts), 1) or 1.0
    lengths = numpy.array([len(words) for words in texts], numpy.float32) / numpy.float32(mean)
    leaning = shape[0] * (1 - shape[1] + shape[1] * lengths)
    places: dict[str, tuple[list[int], list[int]]] = {}
    for number, words in enumerate(texts):
        for word, times in Counter(words).items():
            where, often = places.setdefault(word, ([], []))
            where.append(number)
            often.append(times)
    posted = {}
    for word, (where, often) in places.items():
        rows = numpy.array(where, numpy.int64)
        posted[word] = WordPosting(rows, worth(numpy.array(often, numpy.float32), leaning[rows], len(texts)))
    return Postings(posted, len(texts))


def worth(times: "Scores", leaning: "Scores", size: int) -> "Scores":
    """What a word is worth in the texts that have it: more where it is rare, comes often, and the text is short."""
    rarity = log(1 + (size - len(times) + 0.5) / (len(times) + 0.5))
    found: Scores = (rarity * times / (times + leaning)).astype("float32")
    return found
