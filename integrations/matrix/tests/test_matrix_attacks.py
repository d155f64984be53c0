"""Test invitations by which strangers could bring this account into a room, and unusual refusals."""

import asyncio
import json
from typing import Any

import pytest

from openkoi_hookspecs import AppUnavailableError
from openkoi_http import Server
from openkoi_matrix.events import Me
from openkoi_matrix.matrix import explain
from openkoi_matrix.rooms import Rooms

ME, ANN, EVE = Me("@koi:koi.test", "koi"), "@ann:koi.test", "@eve:evil.test"


def invitation(sender: object, *, key: object = ME.id, membership: object = "invite") -> dict[str, Any]:
    """Return a member event as it appears in an invitation."""
    return {"type": "m.room.member", "sender": sender, "state_key": key, "content": {"membership": membership}}


@pytest.mark.unit
@pytest.mark.parametrize(
    ("events", "joined"),
    [
        ([invitation(ANN)], True),
        ([invitation(ANN, key=ANN, membership="join"), invitation(ANN)], True),
        ([invitation(EVE)], False),
        ([invitation(ANN, key="@ben:koi.test"), invitation(EVE)], False),
        ([invitation(ANN), invitation(EVE)], False),
        ([invitation(EVE), invitation(ANN)], False),
        ([invitation(ANN, key=None)], False),
        ([invitation("@Ann:koi.test")], False),
        ([invitation("@аnn:koi.test")], False),  # noqa: RUF001  # a Cyrillic letter
        ([invitation([ANN])], False),
        (["no event", None, {"type": "m.room.member"}, {"type": "m.room.member", "state_key": ME.id}], False),
        ([{**invitation(EVE), "content": []}], False),
        ([], False),
        (None, False),
    ],
)
def test_an_invitation_counts_by_who_invites_this_account(events: list[Any] | None, joined: bool) -> None:
    calls: list[str] = []

    async def call(method: str, path: str, arguments: object = None) -> None:
        calls.append(path)

    found = {"rooms": {"invite": {"!r:evil.test": {"invite_state": {"events": events}}}}}
    asyncio.run(Rooms(call, (ANN,), ()).answer_invitations(found, ME))

    assert joined == bool(calls)


@pytest.mark.parametrize(
    ("after", "wait", "seconds"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", None, 1.0),
        ("soon", None, 1.0),
        ("7", "soon", 7.0),
        ("7", [], 7.0),
        ("", 500, 0.5),
    ],
)
def test_a_limit_in_whatever_words_is_a_limit(after: str, wait: object, seconds: float) -> None:
    body = json.dumps({"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": wait}).encode()

    with pytest.raises(AppUnavailableError) as limited:
        explain(Server("koi.test"), 429, {"retry-after": after}, body)

    assert seconds == limited.value.retry_after
