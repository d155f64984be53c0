"""What was written once is not written again."""

from dataclasses import dataclass

import pytest

from openkoi_http import SerializedCache

pytestmark = pytest.mark.unit


@dataclass(frozen=True, slots=True)
class Fact:
    text: str


class Pen:
    """Counts how often it writes."""

    def __init__(self) -> None:
        self.written = 0

    def write(self, fact: Fact) -> bytes:
        self.written += 1
        return fact.text.encode()


def test_facts_are_joined_as_the_inside_of_an_array() -> None:
    history = SerializedCache(Pen().write)

    assert history.join([Fact("1"), Fact(""), Fact("2")]) == b"1,2"


def test_each_fact_is_written_once_however_long_the_story_grows() -> None:
    pen, story = Pen(), [Fact(str(n)) for n in range(100)]
    history = SerializedCache(pen.write)

    for length in range(100):
        history.join(story[:length])

    assert pen.written == 99


def test_equal_facts_are_not_taken_for_each_other() -> None:
    pen = Pen()
    history = SerializedCache(pen.write)

    history.join([Fact("same"), Fact("same")])

    assert pen.written == 2


def test_a_fact_that_was_thrown_away_never_lends_its_bytes_to_another() -> None:
    history = SerializedCache(Pen().write)

    assert all(str(n).encode() == history.join([Fact(str(n))]) for n in range(10_000))


def test_the_least_recently_used_is_forgotten_first() -> None:
    pen, facts = Pen(), [Fact("x" * 600) for _ in range(3)]
    history = SerializedCache(pen.write, max_bytes=2_000)

    history.join(facts)
    history.join([facts[2]])
    history.join([facts[0]])

    assert pen.written == 4
    assert history.size <= 2_000
