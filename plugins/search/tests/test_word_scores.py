"""Only what can be among the best is scored, and the result is that of scoring everything."""

import random
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from openkoi_hookspecs import Query
from openkoi_search.bm25 import K1, B
from openkoi_search.index import encode_words, read_encoded
from openkoi_search.segment import Postings
from openkoi_search.segment_documents import SegmentDocuments
from openkoi_search.segment_index import SegmentIndex
from openkoi_search.word_scores import BLOCK_ROWS, BestScores

MOST = 20
ANY = Query("", scope="all")


def texts(chance: random.Random, size: int) -> list[Counter[str]]:
    """Return texts with words of every rarity: one that all have, and more the rarer they are."""
    lengths, vocabulary = chance.choice(((3, 3), (3, 40))), chance.choice((5, 60))
    found = []
    for _ in range(size):
        words = [f"w{int(vocabulary * chance.random() ** 2)}" for _ in range(chance.randint(*lengths))]
        found.append(Counter(["all", *(["most"] if chance.random() < 0.95 else []), *words]))
    return found


def index_in_parts(counted: Sequence[Counter[str]], parts: int) -> SegmentDocuments:
    """Return an index of texts in several segments; the numbers of documents are those in each segment, times parts."""
    segments = []
    for part in range(parts):
        [segment] = read_encoded(encode_words(counted[part::parts], ["x"] * len(counted[part::parts]))).segments
        segment.numbers[:] = array("q", (number * parts + part for number in segment.numbers))
        segments.append(segment)
    return SegmentDocuments(SegmentIndex(segments))


def score_all(
    documents: SegmentDocuments, counted: Sequence[Counter[str]], words: Sequence[str]
) -> Mapping[int, float]:
    """Return the best scores by BM25's formula."""
    size, mean = len(counted), sum(one.total() for one in counted) / len(counted)
    weights = {word: documents.weigh(sum(word in one for one in counted), size) for word in words}
    scores = {
        number: round(
            sum(
                weights[word] * one[word] / (one[word] + K1 * (1 - B) + K1 * B / mean * one.total())
                for word in words
                if word in one
            ),
            9,
        )
        for number, one in enumerate(counted)
        if any(word in one for word in words)
    }
    return {number: scores[number] for number in sorted(scores, key=lambda number: (-scores[number], number))[:MOST]}


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(n, marks=pytest.mark.campaign) for n in range(6, 80))])
def test_the_best_are_those_of_scoring_every_document(seed: int) -> None:
    chance = random.Random(seed)
    counted = texts(chance, chance.choice((7, 300, 9 * BLOCK_ROWS + 9)))
    documents = index_in_parts(counted, chance.choice((1, 3)))

    for _ in range(6):
        words = [*{chance.choice(("all", "most", "w0", "w1", f"w{chance.randrange(60)}")) for _ in range(4)}]
        expected = score_all(documents, counted, words)
        found = documents.rank_by_words(ANY, [*documents.index.scopes], words, MOST)
        assert [*expected] == [*found]
        assert pytest.approx(expected) == found


@pytest.mark.parametrize("common", [("all",), ("all", "most")])
def test_texts_that_share_common_words_alone_are_scored_until_enough_share_more(common: Sequence[str]) -> None:
    size = 5 * BLOCK_ROWS
    rare, everywhere = (
        Postings(array("I", rows), array("H", [1] * len(rows)))
        for rows in (range(0, size, BLOCK_ROWS // MOST), range(size))
    )
    words = [*((0.1, [everywhere]) for _ in common), (5.0, [rare])]
    best, numbers, lengths = BestScores(MOST, 0.5, 0.04), array("q", range(size)), array("i", [9] * size)

    scored = 0
    for found in best.score_rows((numbers, lengths, range(9, 10)), words):
        scored += len(found)
        best.add(numbers, found)

    assert BLOCK_ROWS <= scored <= BLOCK_ROWS + len(rare.rows)
    assert [*rare.rows[:MOST]] == [*best.scores]


@pytest.mark.parametrize("having", [range(9), range(8)], ids=["all", "most"])
@pytest.mark.parametrize("counts", [[2], [1, 2]], ids=["equal", "varied"])
def test_of_texts_that_share_a_word_those_that_cannot_be_among_the_best_are_not_scored(
    counts: list[int], having: range
) -> None:
    size = 4 * BLOCK_ROWS
    rows = array("I", (row for row in range(size) if row % 9 in having))
    posted = Postings(rows, array("H", (counts[row % len(counts)] for row in rows)))
    numbers, lengths = array("q", range(size)), array("i", [9] * 4 * MOST + [10] * (size - 4 * MOST))
    best = BestScores(MOST, 0.5, 0.04)

    scored: list[int] = []
    for found in best.score_rows((numbers, lengths, range(9, 11)), [(5.0, [posted])]):
        scored += found
        best.add(numbers, found)

    assert 2 * BLOCK_ROWS > max(scored)
    assert [row for row in rows if counts[row % len(counts)] == 2][:MOST] == [*best.scores]


@pytest.mark.parametrize("asked", [[], [3], [3, 4, 9], range(40)])
def test_the_postings_of_some_rows_are_found_however_many_are_asked_for(asked: Sequence[int]) -> None:
    posted = Postings(array("I", [1, 3, 9, *range(100, 200)]), array("H", [5, 6, 7, *range(100)]))

    assert [(row, often) for row, often in zip(*posted, strict=True) if row in asked] == sorted(posted.among({*asked}))


def test_of_equal_scores_the_lower_numbers_stay_whatever_order_they_come_in() -> None:
    best = BestScores(3, 0.5, 0.04)
    for numbers in ([9, 8, 7], [6, 2, 5], [4, 3, 1]):
        best.add(array("q", numbers), dict.fromkeys(range(3), 1.0))

    assert [1, 2, 3] == [*best.scores]
