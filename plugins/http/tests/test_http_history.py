"""Test that encoded messages are reused."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest

from openkoi_hookspecs import Message, Role, Text
from openkoi_http import ConversationEncoder, SerializedCache
from openkoi_http.conversation import MAX_KEPT_BYTES

pytestmark = pytest.mark.unit


@dataclass(frozen=True, slots=True)
class Fact:
    text: str


class Pen:
    """An encoder that counts its calls."""

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


class MessageWriter:
    """Counts how many messages it converts."""

    def __init__(self) -> None:
        self.written = 0

    def write(self, message: Message) -> Iterable[Mapping[str, object]]:
        """Return the message in a vendor's format."""
        self.written += 1
        return [{"text": part.text} for part in message.parts if isinstance(part, Text)]


def long_story(name: str) -> list[Message]:
    """Return two messages that take a quarter of the cache."""
    return [Message(Role.USER, (Text(name),)), Message(Role.ASSISTANT, (Text("x" * (MAX_KEPT_BYTES // 4)),))]


def test_conversations_that_have_ended_are_kept_by_how_large_they_are() -> None:
    writer, stories = MessageWriter(), [long_story(str(n)) for n in range(4)]
    encoder = ConversationEncoder(writer.write)

    for story in stories:
        encoder.encode(story)
    for story in reversed(stories):
        encoder.encode([*story, Message(Role.USER, (Text("More."),))])

    assert writer.written == 8 + 4 + 2  # the first of all is written again


def test_a_conversation_that_is_larger_than_what_is_kept_is_written_once() -> None:
    writer, story = MessageWriter(), [message for n in range(3) for message in long_story(str(n)) * 2]
    encoder = ConversationEncoder(writer.write)

    for length in range(1, len(story) + 1):
        encoder.encode(story[:length])

    assert writer.written == len(story)
