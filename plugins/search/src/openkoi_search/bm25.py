"""BM25 over texts in memory: word counts per text, as columns of numbers.

``ranking`` does the same over the tables of a database.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Scores: TypeAlias = NDArray[numpy.float32]
    Numbers: TypeAlias = NDArray[numpy.int64]
    Matrix: TypeAlias = NDArray[numpy.float32]

# Anserini's defaults for prose; Lucene's for code (compared in tests/benchmarks/recall.py).
K1, B = 0.9, 0.4
CODE_SHAPE = (1.2, 0.75)


@dataclass(frozen=True, slots=True)
class WordPosting:
    """The texts that contain a word, and its weight in each."""

    texts: "Numbers"
    weights: "Scores"


@dataclass(frozen=True, slots=True)
class Postings:
    """All words of ``size`` texts."""

    words: Mapping[str, WordPosting]
    size: int

    def scores(self, asked: Iterable[str]) -> "Scores":
        """Score each text against these words; 0 if it contains none of them."""
        import numpy

        found: Scores = numpy.zeros(self.size, numpy.float32)
        for word in dict.fromkeys(asked):
            posted = self.words.get(word)
            if posted is not None:
                found[posted.texts] += posted.weights
        return found

    def shares(self, asked: Sequence[str]) -> "Scores":
        """Return which share of these words each text contains; words that no text contains do not count."""
        import numpy

        found: Scores = numpy.zeros(self.size, numpy.float32)
        known = [self.words[word].texts for word in asked if word in self.words]
        for texts in known:
            found[texts] += numpy.float32(1 / len(known))
        return found


def build_postings(texts: Sequence[Sequence[str]], shape: tuple[float, float] = (K1, B)) -> Postings:
    """Index texts, each given as its words. ``shape`` is BM25's k1 and b."""
    import numpy

    mean = sum(map(len, texts)) / max(len(texts), 1) or 1.0
    lengths = numpy.array([len(words) for words in texts], numpy.float32) / numpy.float32(mean)
    length_factors = shape[0] * (1 - shape[1] + shape[1] * lengths)
    places: dict[str, tuple[list[int], list[int]]] = {}
    for number, words in enumerate(texts):
        for word, times in Counter(words).items():
            where, often = places.setdefault(word, ([], []))
            where.append(number)
            often.append(times)
    posted = {}
    for word, (where, often) in places.items():
        rows = numpy.array(where, numpy.int64)
        posted[word] = WordPosting(
            rows, weigh_word(numpy.array(often, numpy.float32), length_factors[rows], len(texts))
        )
    return Postings(posted, len(texts))


def weigh_word(times: "Scores", length_factors: "Scores", size: int) -> "Scores":
    """Weigh a word in the texts that contain it: more if it is rare, occurs often, and the text is short."""
    rarity = log(1 + (size - len(times) + 0.5) / (len(times) + 0.5))
    found: Scores = (rarity * times / (times + length_factors)).astype("float32")
    return found
