"""Whatever was said, what is left is a conversation: calls with their results, sides in turn, people word for word."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_compaction.placeholders import format_summary, omitted_turns
from openkoi_compaction.rolling_window import roll_window
from openkoi_compaction.turns import remove_oldest
from openkoi_hookspecs import Image, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

WORDS = st.text(min_size=1, max_size=12)
REPLY = st.lists(st.one_of(WORDS.map(Text), WORDS.map(Reasoning)), max_size=2)
REMARKS = st.lists(st.one_of(WORDS.map(Text), st.just(Image(b"", "image/png"))), max_size=2)
IDS = st.lists(st.sampled_from("abc"), max_size=3, unique=True)


def turn(reply: list[Text | Reasoning], ids: list[str], remarks: list[Text | Image]) -> tuple[Message, Message]:
    """What the model says and asks for, and what it is answered; ids come again in other turns."""
    asked = (*reply, *(ToolCall(id, "read_file", {"path": id}) for id in ids)) or (Text("Hm."),)
    answered = (*(ToolResult("text", call=id) for id in ids), *remarks) or (Text("Go on."),)
    return Message(Role.ASSISTANT, asked), Message(Role.USER, answered)


TURNS = st.lists(st.builds(turn, REPLY, IDS, REMARKS), max_size=14)


@st.composite
def stories(draw: st.DrawFn) -> list[Message]:
    """A task and what came after it; the last word is with either side."""
    texts_of = [message for pair in draw(TURNS) for message in pair]
    return [Message.user("The task.", *draw(REMARKS)), *texts_of[: len(texts_of) - draw(st.integers(0, 1))]]


def parts(messages: Sequence[Message]) -> list[Part]:
    return [part for message in messages for part in message.parts]


def people(messages: Sequence[Message]) -> list[Part]:
    """What the user's side said, our own marks left out."""
    reply = parts([message for message in messages if message.role is Role.USER])
    return [part for part in reply if not isinstance(part, ToolResult) and not omitted_turns(part)]


def steps(whole: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """Every form of a conversation until it becomes no shorter."""
    shorter = roll_window(whole)
    while shorter is not whole:
        yield shorter
        whole, shorter = shorter, roll_window(shorter)


@settings(max_examples=40)
@given(stories())
def test_what_is_left_is_a_conversation_that_every_vendor_takes(whole: list[Message]) -> None:
    for shorter in steps(whole):
        assert all(message.parts for message in shorter)
        assert all(one.role is not other.role for one, other in pairwise(shorter))
        assert all(calls(reply) == answers(answered) for reply, answered in pairwise(shorter))
        assert not answers(shorter[0])


@settings(max_examples=40)
@given(stories())
def test_every_time_it_has_fewer_turns_and_no_more_parts(whole: list[Message]) -> None:
    sizes = [(len(form), len(parts(form))) for form in (whole, *steps(whole))]

    assert all(after[0] < before[0] and after[1] <= before[1] for before, after in pairwise(sizes))


@settings(max_examples=40)
@given(stories())
def test_people_s_words_stay_and_so_do_the_latest_turns(whole: list[Message]) -> None:
    for shorter in steps(whole):
        assert people(whole) == people(shorter)
        assert Text("The task.") == shorter[0].parts[0]
        assert spoken(whole)[-2:] == spoken(shorter)[-2:]
        assert len(shorter) >= min(len(whole), 4)


@settings(max_examples=40)
@given(stories())
def test_the_mark_counts_what_is_missing_and_stands_once(whole: list[Message]) -> None:
    for shorter in steps(whole):
        marks = [omitted_turns(part) for part in parts(shorter) if omitted_turns(part)]

        assert [(range(1, 1 + len(spoken(whole)) - len(spoken(shorter))),)] == marks


@settings(max_examples=40)
@given(stories(), st.text())
def test_a_note_stands_where_the_turns_were(whole: list[Message], summary: str) -> None:
    note = format_summary(range(1, 2), summary)
    if not spoken(whole):
        return
    shorter = remove_oldest(whole, 1, note)

    assert (*whole[0].parts, note) == shorter[0].parts[: len(whole[0].parts) + 1]
    assert spoken(whole)[1:] == spoken(shorter)


def test_it_says_how_much_is_missing() -> None:
    whole = [Message.user("The task."), *(message for n in range(8) for message in turn([], [f"{n}"], []))]
    once, twice, *_ = steps(whole)

    reply = "with their tool results, are omitted here; read_history shows them again]"
    assert ("The task.", f"[Compacted history: 3 earlier turns of yours (1-3), {reply}") == texts_of(once[0])
    assert ("The task.", f"[Compacted history: 5 earlier turns of yours (1-5), {reply}") == texts_of(twice[0])


def spoken(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.role is Role.ASSISTANT]


def calls(message: Message) -> set[str]:
    return {part.id for part in message.parts if isinstance(part, ToolCall)}


def answers(message: Message) -> set[str]:
    return {part.call for part in message.parts if isinstance(part, ToolResult)}


def texts_of(message: Message) -> tuple[str, ...]:
    return tuple(part.text for part in message.parts if isinstance(part, Text))
