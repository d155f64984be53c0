"""Decide which rooms this account is in: those its users invited it to, unless they are encrypted."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from openkoi_hookspecs import AppRejectedError, Json

from .events import ENCRYPTION, MEMBER, Me, in_room
from .messages import transaction_id

ENCRYPTED = (
    "This room is encrypted, and I cannot read encrypted messages, so I am leaving. "
    "Create a room without encryption, and invite me there."
)
Call = Callable[..., Awaitable[Any]]


class Rooms:
    """The rooms of an account. ``users`` may invite it; ``allowed`` are the ids of those it works in (empty: all)."""

    def __init__(self, call: Call, users: tuple[str, ...], allowed: tuple[str, ...]) -> None:
        self.call, self.users, self.allowed = call, users, allowed
        self.members: dict[str, int] = {}

    def is_allowed(self, room: str) -> bool:
        """Return whether this account works in a room."""
        return not self.allowed or room in self.allowed

    async def is_direct(self, room: str, me: Me) -> bool:
        """Return whether only one other user is in a room."""
        if room not in self.members:
            try:
                found = await self.call("GET", f"{in_room(room)}/joined_members")
            except AppRejectedError:  # it has just been removed from there
                return False
            self.members[room] = len(found["joined"].keys() - {me.id})
        return self.members[room] <= 1

    def forget_changed(self, room: str, part: Mapping[str, Any]) -> None:
        """Recount the members of a room after one has joined or left."""
        timeline = part.get("timeline") or {}
        if timeline.get("limited") or any(one.get("type") == MEMBER for one in timeline.get("events", ())):
            self.members.pop(room, None)

    async def answer_invitations(self, found: Mapping[str, Any], me: Me) -> None:
        """Join the rooms to which one of the users invites this account; ignore other invitations."""
        for room, part in (found.get("rooms", {}).get("invite") or {}).items():
            senders = inviters_of(part, me)
            if self.is_allowed(room) and senders and senders <= set(self.users):
                with suppress(AppRejectedError):  # withdrawn meanwhile
                    await self.call("POST", f"v3/join/{quote(room, safe='')}", {})

    async def leave_encrypted(self, room: str, part: Mapping[str, Any]) -> bool:
        """Leave a room if it is encrypted, and explain that there; return whether it is."""
        events = [*part.get("state", {}).get("events", ()), *part.get("timeline", {}).get("events", ())]
        if not any(one.get("type") == ENCRYPTION and one.get("state_key") == "" for one in events):
            return False
        notice: dict[str, Json] = {"msgtype": "m.notice", "body": ENCRYPTED, "m.mentions": {}}
        with suppress(AppRejectedError):  # it has been left already
            await self.call("PUT", f"{in_room(room)}/send/m.room.message/{transaction_id('encrypted', room)}", notice)
            await self.call("POST", f"{in_room(room)}/leave", {"reason": ENCRYPTED})
        return True


def inviters_of(part: Mapping[str, Any], me: Me) -> set[str]:
    """Return all senders of invitations to this account; other servers may forge some."""
    events = (part.get("invite_state") or {}).get("events") or ()
    own = [
        one for one in events if isinstance(one, dict) and one.get("type") == MEMBER and one.get("state_key") == me.id
    ]
    return {str(one.get("sender")) for one in own}
