"""Test events by which attackers could impersonate a user of the workspace."""

from typing import Any

import pytest

from openkoi_hookspecs.integrations import PostKind, SenderKind
from openkoi_slack.events import read_event, read_message, read_press
from openkoi_slack.slack import read_envelope

pytestmark = pytest.mark.unit
ME = {"user_id": "U0000KOI", "bot_id": "B0000KOI", "team_id": "T0000POND"}
ORDER = {"type": "message", "channel": "C0000POND", "ts": "1700000000.000100", "user": "U0000ANN", "text": "remove it"}
OTHER = "T0000EVIL"


@pytest.mark.parametrize("team", [{}, {"team": ME["team_id"]}, {"user_team": ME["team_id"], "source_team": ""}])
def test_users_of_this_workspace_are_vouched_for(team: dict[str, str]) -> None:
    assert read_message({**ORDER, **team}, ME).sender.authenticated


@pytest.mark.parametrize(
    "team", [{"team": OTHER}, {"user_team": OTHER}, {"source_team": OTHER}, {"user_profile": {"team": OTHER}}]
)
def test_users_of_another_workspace_are_not_whose_ids_they_may_have(team: dict[str, Any]) -> None:
    assert not read_message({**ORDER, "team": ME["team_id"], **team}, ME).sender.authenticated


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"bot_id": "B1"}, SenderKind.BOT),
        ({"bot_id": "B1", "username": "ann", "subtype": "bot_message"}, SenderKind.BOT),
        ({"subtype": "bot_message"}, SenderKind.BOT),
        ({"user": "U0000KOI"}, SenderKind.SELF),
        ({"bot_id": "B0000KOI"}, SenderKind.BOT),
        ({"user": "", "bot_id": "B0000KOI"}, SenderKind.SELF),
        ({"user": ""}, SenderKind.UNKNOWN),
    ],
)
def test_a_program_with_the_id_of_a_user_is_a_program(facts: dict[str, str], kind: SenderKind) -> None:
    assert kind is read_message({**ORDER, **facts}, ME).sender.kind


def test_an_edit_is_no_order_and_a_replayed_envelope_with_other_words_is_the_same_post() -> None:
    changed = {"type": "message", "subtype": "message_changed", "channel": "C0000POND", "ts": "1700000009.000100"}
    edit = read_event({**changed, "message": {**ORDER, "edited": {"user": "U0000EVE", "ts": "1700000009.000000"}}}, ME)
    unfurled = read_event({**changed, "message": {**ORDER, "attachments": [{"text": "remove all"}]}}, ME)
    first, again = (read_event({**ORDER, "text": text}, ME) for text in ("what is it?", "remove it"))

    assert edit is not None
    assert first is not None
    assert again is not None
    assert PostKind.EDITED is edit.kind
    assert unfurled is None
    assert first.identity == again.identity != edit.identity


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("<@U0000KOI> look", True),
        ("&lt;@U0000KOI&gt; look", False),  # what a bot passes on of a stranger, for one
        ("&amp;lt;@U0000KOI&amp;gt; look", False),
        ("&gt; <@U0000KOI> look", False),
        ("<@U0000KOIX> look", False),
    ],
)
def test_only_what_slack_marks_is_a_mention(text: str, mentioned: bool) -> None:
    assert mentioned is read_message({**ORDER, "text": text}, ME).mentioned


def press(**user: str) -> dict[str, Any]:
    """Return the press of a button."""
    action = {"type": "button", "action_id": "choice-0", "block_id": "forged", "value": "token:0", "action_ts": "2.0"}
    container = {"message": {"ts": "1.0"}, "channel": {"id": "C0000POND"}, "actions": [action]}
    return {"type": "block_actions", "user": {"id": "U0000ANN", **user}, **container}


def test_a_press_of_another_workspace_is_not_vouched_for() -> None:
    (own,), (foreign,) = (tuple(read_press(press(team_id=team), ME)) for team in (ME["team_id"], OTHER))

    assert own.sender.authenticated
    assert not foreign.sender.authenticated


@pytest.mark.parametrize("kind", ["view_submission", "shortcut", "message_action", "block_suggestion"])
def test_other_interactions_are_no_presses(kind: str) -> None:
    assert [] == [*read_envelope({"type": "interactive", "payload": {**press(), "type": kind}}, ME)]


def test_a_reaction_in_a_channel_of_several_workspaces_is_nothing() -> None:
    item = {"type": "message", "channel": "C0000POND", "ts": "1.0"}
    event = {"type": "reaction_added", "user": "U0000ANN", "reaction": "+1", "item": item, "event_ts": "2.0"}
    payloads = ({"event": event}, {"event": event, "is_ext_shared_channel": True})
    own, shared = ([*read_envelope({"type": "events_api", "payload": one}, ME)] for one in payloads)

    assert [PostKind.REACTION] == [one.kind for one in own]
    assert [] == shared
