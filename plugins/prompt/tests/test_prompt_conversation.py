"""Turns alternate, and a conversation is replaced only by one that every vendor accepts."""

import pytest

from openkoi_hookspecs import Message, Role, Text, ToolCall, ToolResult
from openkoi_prompt.conversation import Conversation, join_turns, shortening_error

pytestmark = pytest.mark.unit

TASK = Message.user("Fix it.")
ASKED = Message(Role.ASSISTANT, (ToolCall("1", "look", {}),))
FOUND = Message.user(ToolResult("it is red", call="1"))
WHOLE = [TASK, ASKED, FOUND]


def test_turns_of_one_side_are_one_and_an_empty_one_is_none() -> None:
    conversation = Conversation()
    for message in (TASK, Message.user("Now."), Message(Role.ASSISTANT, ())):
        conversation.say(message)

    assert [Message.user(Text("Fix it."), Text("Now."))] == conversation.messages
    assert conversation.messages == join_turns([TASK, Message(Role.ASSISTANT, ()), Message.user("Now.")])


@pytest.mark.parametrize(
    ("shorter", "why"),
    [
        ("Fix it.", "str"),
        ([], "first or last"),
        ([ASKED, FOUND], "first or last"),
        ([TASK, ASKED], "first or last"),
        ([TASK, TASK], "same role"),
        ([TASK, Message(Role.ASSISTANT, (Text("I look."),)), FOUND], "separated"),
        ([FOUND], "separated"),
    ],
)
def test_what_no_vendor_accepts_replaces_nothing(shorter: list[Message], why: str) -> None:
    assert why in shortening_error(shorter, WHOLE)


def test_a_sound_one_may_replace_it() -> None:
    assert "" == shortening_error([TASK], [TASK, ASKED, FOUND])
    assert "" == shortening_error(WHOLE, WHOLE)
