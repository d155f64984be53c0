"""When two texts say the same, when they disagree, and what they speak of, told from their words."""

import pytest

from openkoi_learning.state import squared_idf
from openkoi_learning.text_similarity import Vocabulary, agree, contradict, details_differ, stem_terms, topic_similarity

pytestmark = pytest.mark.unit

TITLES = stem_terms("separator delimiter column wrong fit charset backoff")
RARE, OFTEN = stem_terms("separator delimiter column"), stem_terms("wrong")
WEIGHTS = {word: squared_idf(2, 40) for word in RARE} | {word: squared_idf(20, 40) for word in OFTEN}
TONGUE = Vocabulary(TITLES, WEIGHTS, squared_idf(0, 40))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("Use `pipe`.", "Set the separator to pipe.", False),
        ('fixed by `separator = "pipe"`', "Use `pipe`.", False),
        ("Use `pipe`.", "Use `tab`.", True),
        ("Use `pipe`.", "Never use `pipe`.", True),
        ("Wait 3 seconds.", "Wait 5 seconds.", True),
        ("Use the pipes.", "Use `pipe`.", True),
    ],
)
def test_a_name_is_the_same_with_and_without_marks(one: str, other: str, apart: bool) -> None:
    assert apart is details_differ(one, other)


@pytest.mark.parametrize(
    ("one", "other", "against"),
    [
        ("Use pipe as the separator.", "Set the delimiter to pipe.", False),
        ("Use pipe as the separator.", "Set the delimiter to semicolon.", True),
        ("Use pipe as the separator.", "Do not use pipe as the separator.", True),
    ],
)
def test_plain_words_disagree_where_each_names_what_the_other_does_not(one: str, other: str, against: bool) -> None:
    assert against is contradict(one, other, TONGUE)
    assert (not against) is (agree(one, other, TONGUE) and not details_differ(one, other))


def test_two_texts_are_kindred_by_what_is_rarely_said_and_not_by_how_faults_are_spoken_of() -> None:
    semicolon = "The column delimiter is wrong: Set the delimiter to `semicolon`."

    assert topic_similarity(semicolon, "wrong separator: Use `pipe` as the column delimiter.", TONGUE) > 0.4
    assert 0.0 == topic_similarity(semicolon, "wrong charset: Use `utf-8`.", TONGUE)
    assert 0.0 == topic_similarity(semicolon, semicolon, Vocabulary())
