"""A conversation is made shorter without breaking it."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from openkoi.compaction import compacted
from openkoi_hookspecs import Message, Role, Text, ToolCall, ToolResult


def turn(number: int, calls: int, remark: str) -> list[Message]:
    """What the model asks for, and what it is answered."""
    asked = tuple(ToolCall(f"{number}-{n}", "read", {}) for n in range(calls))
    results = tuple(ToolResult("text", call=call.id) for call in asked)
    said = (Text(remark),) if remark or not asked else ()
    return [Message(Role.ASSISTANT, (Text("I look."), *asked)), Message(Role.USER, (*results, *said))]


STORIES = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["", "Findings: fix it."])), min_size=0, max_size=12)


def story(turns: list[tuple[int, str]]) -> list[Message]:
    told = [Message.user("The task.")]
    for number, (calls, remark) in enumerate(turns):
        told += turn(number, calls, remark)
    return told


def calls_of(message: Message) -> set[str]:
    return {part.id for part in message.parts if isinstance(part, ToolCall)}


def answers_of(message: Message) -> set[str]:
    return {part.call for part in message.parts if isinstance(part, ToolResult)}


@given(STORIES)
def test_what_is_left_is_a_conversation_that_every_vendor_takes(turns: list[tuple[int, str]]) -> None:
    whole = story(turns)
    shorter = compacted(whole)

    if shorter is None:
        assert len(turns) < 3
        return
    assert len(shorter) < len(whole)
    roles = [message.role for message in shorter]
    assert roles == [Role.USER, Role.ASSISTANT] * (len(roles) // 2) + [Role.USER] * (len(roles) % 2)
    assert all(calls_of(before) == answers_of(after) for before, after in pairwise(shorter))
    assert all(message.parts for message in shorter)


@given(STORIES)
def test_what_people_said_and_the_last_turns_stay_word_for_word(turns: list[tuple[int, str]]) -> None:
    whole = story(turns)
    shorter = compacted(whole) or whole
    said = [part.text for message in shorter for part in message.parts if isinstance(part, Text)]

    assert "The task." == said[0]
    assert [remark for _, remark in turns if remark] == [text for text in said if text.startswith("Findings")]
    assert whole[-3:] == shorter[-3:] or len(turns) < 3


def test_it_says_how_much_is_missing() -> None:
    shorter = compacted(story([(1, "")] * 6))

    assert shorter is not None
    assert "[Compacted history: 2 earlier turns" in "".join(p.text for p in shorter[0].parts if isinstance(p, Text))
