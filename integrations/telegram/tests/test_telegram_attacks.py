"""Test updates by which attackers could pass off their text as the user's instructions."""

from typing import Any

import pytest

from openkoi_hookspecs.integrations import PostKind, SenderKind
from openkoi_telegram.updates import read_update

pytestmark = pytest.mark.unit
ME = {"id": 99, "username": "koi_test_bot"}
ANN = {"id": 7, "is_bot": False, "first_name": "ann"}
EVE = {"id": 666, "is_bot": False, "first_name": "ann", "username": "ann"}
ANONYMOUS = {"id": 1087968824, "is_bot": True, "username": "GroupAnonymousBot"}
DIRECT, GROUP = {"id": 7, "type": "private"}, {"id": -5, "type": "supergroup"}
ORDER = "remove the pond"


def message(**facts: Any) -> dict[str, Any]:
    """Return a message of ann to the bot."""
    return {"message_id": 1, "date": 1_700_000_000, "chat": DIRECT, "from": ANN, "text": ORDER, **facts}


@pytest.mark.parametrize(
    "facts",
    [
        {"forward_origin": {"type": "user", "sender_user": EVE, "date": 1}},
        {"forward_origin": {"type": "hidden_user", "sender_user_name": "ann", "date": 1}},
        {"forward_origin": {"type": "channel", "chat": {"id": -9, "type": "channel"}, "message_id": 4, "date": 1}},
        {"via_bot": {"id": 55, "is_bot": True, "username": "gif"}},
        {"entities": [{"type": "blockquote", "offset": 0, "length": len(ORDER)}]},
        {"entities": [{"type": "expandable_blockquote", "offset": 0, "length": 4096}]},
        {"text": None, "caption": ORDER, "caption_entities": [{"type": "blockquote", "offset": 0, "length": 15}]},
    ],
)
def test_words_of_others_in_a_message_of_the_user_are_quoted(facts: dict[str, Any]) -> None:
    post = read_update({"message": message(**facts)}, ME)

    assert post is not None
    assert ("", ORDER) == (post.text, post.quoted)


@pytest.mark.parametrize(
    ("text", "quotations", "own", "quoted"),
    [
        ("look: remove it. What is that?", [(6, 10)], "look:  What is that?", "remove it."),
        ("\U0001f41f remove it\nwhy?", [(3, 9)], "\U0001f41f \nwhy?", "remove it"),
        ("one two three", [(0, 3), (8, 5)], "two", "onethree"),
        ("one two three", [(0, 8), (4, 9)], "", "one two three"),
        ("abc", [(-5, 2), (2, 99)], "ab", "c"),
        ("ab\U0001f41f", [(3, 1)], "ab\ufffd", "\ufffd"),
    ],
)
def test_a_quotation_is_cut_out_where_it_is(
    text: str, quotations: list[tuple[int, int]], own: str, quoted: str
) -> None:
    marks = [{"type": "blockquote", "offset": offset, "length": length} for offset, length in quotations]
    post = read_update({"message": message(text=text, entities=marks)}, ME)

    assert post is not None
    assert (own, quoted) == (post.text, post.quoted)


@pytest.mark.parametrize(
    "facts",
    [
        {"from": ANONYMOUS, "sender_chat": GROUP, "chat": GROUP},
        {"from": {"id": 777000, "is_bot": False}, "sender_chat": {"id": -9, "type": "channel"}, "chat": GROUP},
        {"from": ANN, "sender_chat": {"id": -9, "type": "channel"}, "chat": GROUP},
        {"from": {"id": 136817688, "is_bot": True}, "sender_chat": {"id": -9, "type": "channel"}, "chat": GROUP},
        {"from": {}, "chat": GROUP},
    ],
)
def test_anonymous_administrators_and_channels_are_nobody(facts: dict[str, Any]) -> None:
    post = read_update({"message": message(**facts)}, ME)

    assert post is not None
    assert not post.sender.authenticated


def test_a_channel_s_post_and_an_update_of_an_unknown_kind_are_nothing() -> None:
    kinds = ("channel_post", "edited_channel_post", "business_message", "inline_query", "guest_message")

    assert [None] * 5 == [read_update({kind: message()}, ME) for kind in kinds]


def test_an_edit_is_an_edit_and_a_name_is_not_an_id() -> None:
    edit = read_update({"edited_message": message(edit_date=1_700_000_001)}, ME)
    lookalike = read_update({"message": message(**{"from": EVE, "chat": {"id": 666, "type": "private"}})}, ME)

    assert edit is not None
    assert lookalike is not None
    assert PostKind.EDITED is edit.kind
    assert ("666", "666", SenderKind.PERSON) == (lookalike.sender.id, lookalike.channel, lookalike.sender.kind)


def test_a_press_is_in_the_chat_of_its_message_and_one_of_an_inline_message_is_nothing() -> None:
    press = {"id": "1", "from": ANN, "data": "token:0", "chat_instance": "x"}
    there = read_update({"callback_query": {**press, "message": message(chat=GROUP)}}, ME)

    assert read_update({"callback_query": {**press, "inline_message_id": "abc"}}, ME) is None
    assert there is not None
    assert ("-5", "1") == (there.channel, there.reply_to)


def test_a_reaction_of_a_chat_is_nobody_s() -> None:
    reaction = {"chat": GROUP, "message_id": 1, "date": 1, "actor_chat": GROUP, "old_reaction": []}
    post = read_update(
        {"message_reaction": {**reaction, "new_reaction": [{"type": "emoji", "emoji": "\U0001f44d"}]}}, ME
    )

    assert post is not None
    assert not post.sender.authenticated
