"""Read what a poll (``/sync``) returns: each event once, in the order of its room, without gaps."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from secrets import randbelow
from typing import Any
from urllib.parse import quote

from .events import ENCRYPTION, MEMBER, MESSAGE, REACTION, REDACTION, Facts, Me, in_room, since_invitation

Call = Callable[..., Awaitable[Any]]
SHORT_ID_LENGTH = 10  # characters of an event's id, which is a hash: two of one batch are the same once in 2^60
KINDS = [MESSAGE, REACTION, REDACTION, MEMBER]
PAGE = 100
FILTER = {
    "presence": {"types": []},
    "account_data": {"types": []},
    "room": {
        "account_data": {"types": []},
        "ephemeral": {"types": []},
        "state": {"types": [ENCRYPTION]},
        "timeline": {"limit": 50, "types": [*KINDS, ENCRYPTION]},
    },
}


def sync_path(since: str, seconds: int) -> str:
    """Return the path of a poll. The first poll never waits, and its path differs each time, because synapse caches the
    responses to equal ones for minutes.
    """
    wanted = quote(json.dumps(FILTER, separators=(",", ":")))
    if not since:
        return f"v3/sync?filter={wanted}&timeout={randbelow(10**9)}"
    return f"v3/sync?filter={wanted}&timeout={seconds * 1000}&since={quote(since)}"


def write_cursor(since: str, handled: tuple[str, ...]) -> str:
    """Return a cursor: where a poll begins, and which of its events were already yielded."""
    return " ".join([since, *handled])


def read_cursor(cursor: str) -> tuple[str, tuple[str, ...]]:
    """Return the parts of a cursor."""
    since, *handled = cursor.split(" ")
    return since, tuple(handled)


class Batch:
    """The response to one poll. A poll from the same place returns the same events, and newer ones."""

    def __init__(self, since: str, handled: tuple[str, ...]) -> None:
        self.since = since
        self.handled = dict.fromkeys(handled)

    @property
    def cursor(self) -> str:
        """The cursor after the events yielded so far."""
        return write_cursor(self.since, tuple(self.handled))

    def take(self, event: Facts) -> bool:
        """Record an event; return whether it is new."""
        short = str(event.get("event_id", ""))[1 : SHORT_ID_LENGTH + 1]
        is_new = short not in self.handled
        self.handled[short] = None
        return is_new

    async def events_of(self, room: str, part: Mapping[str, Any], me: Me, call: Call) -> AsyncGenerator[Facts, None]:
        """Yield the events of a room; if the response contains only the last ones, fetch those before them first."""
        timeline = part.get("timeline") or {}
        events = timeline.get("events") or []
        invited = since_invitation(events, me)
        if invited is None and timeline.get("limited"):
            async for event in self.read_gap(room, str(timeline["prev_batch"]), call):
                yield event
        for event in events if invited is None else invited:
            yield event

    async def read_gap(self, room: str, end: str, call: Call) -> AsyncGenerator[Facts, None]:
        """Yield the events between this poll's place and the first ones that it returned."""
        place, kinds = self.since, quote(json.dumps({"types": KINDS}))
        while place:
            found = await call(
                "GET",
                f"{in_room(room)}/messages?dir=f&from={quote(place)}&to={quote(end)}&limit={PAGE}&filter={kinds}",
            )
            for event in found["chunk"]:
                yield event
            place = str(found.get("end") or "") if found["chunk"] else ""
