"""Test that only rows that can be among the best are scored, with the same result as scoring all."""

import random
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import pytest

from openkoi_hookspecs import Query
from openkoi_search.bm25 import K1, B
from openkoi_search.index import encode_words, read_encoded
from openkoi_search.segment import Postings, cut_numbers, decode_postings, encode_postings
from openkoi_search.segment_documents import SegmentDocuments
from openkoi_search.segment_index import SegmentIndex
from openkoi_search.word_counts import RARE_SHARE, CommonWord, RareWord, count_word
from openkoi_search.word_scores import FIRST_SCORED, MAX_LIMITED_WORDS, BestScores

MOST = 20
ANY = Query("", scope="all")


def texts(chance: random.Random, size: int) -> list[Counter[str]]:
    """Return texts with words of every rarity: one that all have, and more words the rarer they are."""
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
    counted = texts(chance, chance.choice((7, 300, 18 * FIRST_SCORED + 9)))
    documents = index_in_parts(counted, chance.choice((1, 3)))

    for _ in range(6):
        words = [*{chance.choice(("all", "most", "w0", "w1", f"w{chance.randrange(60)}")) for _ in range(4)}]
        expected = score_all(documents, counted, words)
        found = documents.rank_by_words(ANY, [*documents.index.scopes], words, MOST)
        assert [*expected] == [*found]
        assert pytest.approx(expected) == found


def store(rows: Iterable[int], counts: Iterable[int]) -> Postings:
    """Return postings as they are read from a file."""
    return decode_postings(encode_postings(array("I", rows), array("H", counts)))


def score_columns(
    best: BestScores, lengths: Sequence[int], words: Sequence[tuple[float, Mapping[int, int]]]
) -> list[int]:
    """Score rows by their words, each with its counts by row, in segments of different sizes; return those scored."""
    cuts = [0, len(lengths) // 7, len(lengths) // 2, len(lengths)]
    weighed = []
    for weight, counts in words:
        posted = [
            (first, store([row - first for row in rows], map(counts.__getitem__, rows)))
            for first, end in pairwise(cuts)
            if (rows := [row for row in counts if first <= row < end])
        ]
        if counted := count_word(posted, len(lengths)):
            weighed.append((weight, counted))
    numbers, column = array("q", range(len(lengths))), array("I", lengths)
    scored: list[int] = []
    for found in best.score_rows((numbers, column, cut_numbers(column), range(min(column), max(column) + 1)), weighed):
        scored += found
        best.add(numbers, found)
    return scored


@pytest.mark.parametrize("common", [1, 2])
def test_of_texts_that_share_common_words_alone_few_are_scored(common: int) -> None:
    size = 20 * FIRST_SCORED
    rare, everywhere = (dict.fromkeys(rows, 1) for rows in (range(0, size, size // MOST // 4), range(size)))
    best = BestScores(MOST, 0.5, 0.04)

    scored = score_columns(best, [9] * size, [*((0.1, everywhere) for _ in range(common)), (5.0, rare)])

    assert FIRST_SCORED + len(rare) >= len(scored)
    assert [*rare][:MOST] == [*best.scores]


@pytest.mark.parametrize("having", [range(9), range(8)], ids=["all", "most"])
@pytest.mark.parametrize("counts", [[2], [1, 2]], ids=["equal", "varied"])
def test_of_texts_that_share_a_word_those_that_cannot_be_among_the_best_are_not_scored(
    counts: list[int], having: range
) -> None:
    size = 20 * FIRST_SCORED
    word = {row: counts[row % len(counts)] for row in range(size) if row % 9 in having}
    best = BestScores(MOST, 0.5, 0.04)

    scored = score_columns(best, [9] * 4 * MOST + [10] * (size - 4 * MOST), [(5.0, word)])

    assert 4 * FIRST_SCORED > len(scored)
    assert [row for row, count in word.items() if count == 2][:MOST] == [*best.scores]


@pytest.mark.parametrize(("size", "longest", "largest"), [(900, 900, 700), (66_000, 30, 3)])
def test_however_long_and_many_texts_are_and_however_often_they_repeat_a_word_the_best_are_found(
    size: int, longest: int, largest: int
) -> None:
    chance = random.Random(size)
    lengths = [chance.randint(3, longest) for _ in range(size)]
    words = [
        (
            weight,
            {row: chance.randint(1, chance.choice((1, 3, largest))) for row in range(size) if chance.random() < of},
        )
        for weight, of in ((5.0, 0.01), (2.0, 0.1), (0.3, 1.0), (0.2, 0.96))
    ]
    best = BestScores(MOST, 0.5, 0.04)

    score_columns(best, lengths, words)

    scores = {
        row: round(sum(weight * has[row] / (has[row] + 0.5 + 0.04 * length) for weight, has in words if row in has), 9)
        for row, length in enumerate(lengths)
    }
    assert sorted(scores, key=lambda row: (-scores[row], row))[:MOST] == [*best.scores]
    assert [scores[row] for row in best.scores] == [*best.scores.values()]


@pytest.mark.parametrize("count", [MAX_LIMITED_WORDS, MAX_LIMITED_WORDS + 1, 2 * MAX_LIMITED_WORDS])
def test_however_many_words_a_query_has_the_best_are_found(count: int) -> None:
    size = 4 * FIRST_SCORED
    words = [(5.0 - n / 100, dict.fromkeys(range(n % 7, size, n % 7 + 3), 1)) for n in range(count)]
    best = BestScores(MOST, 0.5, 0.04)

    score_columns(best, [9] * size, words)

    scores = [round(sum(weight / (1.5 + 0.04 * 9) for weight, has in words if row in has), 9) for row in range(size)]
    assert sorted(range(size), key=lambda row: (-scores[row], row))[:MOST] == [*best.scores]


@pytest.mark.parametrize("asked", [[], [3], [3, 4, 9], range(40)])
@pytest.mark.parametrize("apart", [1, 9], ids=["together", "apart"])
@pytest.mark.parametrize("size", [200, 200 * RARE_SHARE], ids=["common", "rare"])
def test_the_counts_of_some_rows_are_found_whether_a_word_is_common_or_rare(
    asked: Sequence[int], apart: int, size: int
) -> None:
    counts = {row: 1 + row % 300 % 7 for row in (1, 3, *range(9, 200, apart))}
    posted = store(counts, counts.values())
    counted, left = (count_word([(0, one)], size) for one in (posted, posted.without({*asked})))

    assert counted
    assert left
    assert (CommonWord if size == 200 else RareWord) is type(counted)
    assert len(counts) == counted.size
    assert {row: counts[row] for row in asked if row in counts} == dict(counted.among(dict.fromkeys(asked)))
    kept = {row: counts[row] for row in counts if row not in asked}
    assert len(kept) == left.size
    assert kept == dict(left.among(dict.fromkeys(range(200))))


def test_common_words_of_several_projects_count_in_each_of_them() -> None:
    every = [(0, store(range(start, 90, 3), [start + 1] * 30)) for start in range(3)]

    counted = count_word(every, 90)

    assert counted
    assert {row: row % 3 + 1 for row in range(90)} == dict(counted.among(dict.fromkeys(range(90))))


@pytest.mark.parametrize("often", [3, 254, 255, 65_535])
def test_counts_of_a_common_word_are_kept_however_large_they_are(often: int) -> None:
    rows, counts = range(5, 90), [1, often] * 42 + [1]

    counted = count_word([(10, store(rows, counts))], 100)

    assert counted
    expected = {row + 10: count for row, count in zip(rows, counts, strict=True)}
    assert expected == dict(counted.among(dict.fromkeys(range(100))))


def test_of_equal_scores_the_lower_numbers_stay_whatever_order_they_come_in() -> None:
    best = BestScores(3, 0.5, 0.04)
    for numbers in ([9, 8, 7], [6, 2, 5], [4, 3, 1]):
        best.add(array("q", numbers), dict.fromkeys(range(3), 1.0))

    assert [1, 2, 3] == [*best.scores]
