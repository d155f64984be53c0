"""Serve a chat service on loopback: channels, threads, buttons, files, unacknowledged updates, and faults."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openkoi_testing.servers import ReceivedRequest, ServerFault, ServerResponse
from openkoi_testing.servers.http_server import HttpServer

MAX_TEXT, POLL = 2_000, 0.2
USERS = {"token-ann": "ann", "token-koi": "koi"}
Facts = dict[str, Any]


class ChatServer(HttpServer):
    """``updates`` are all events in order; ``limited`` says when a bot may post to a channel again."""

    def __init__(self) -> None:
        super().__init__(self.route)
        self.updates: list[Facts] = []
        self.acknowledged: dict[str, int] = {}
        self.limited: dict[str, float] = {}
        self.refused = 0
        self.away = False
        self.changed = threading.Condition()

    def route(self, request: ReceivedRequest) -> ServerResponse:
        """Answer a request by its path."""
        user = USERS.get(request.headers.get("authorization", "").removeprefix("Bearer "), "")
        address = urlsplit(request.path)
        if self.away:
            return ServerResponse([b"{}"], fault=ServerFault(status=503))
        if not user:
            return ServerResponse([b"{}"], fault=ServerFault(status=401))
        if len(request.body) != int(request.headers.get("content-length", 0)):  # the client was killed while it wrote
            return ServerResponse([b"{}"], fault=ServerFault(status=400))
        facts = json.loads(request.body) if request.body else dict(parse_qsl(address.query))
        answer = getattr(self, f"do_{address.path.strip('/')}")(user, facts)
        return answer if isinstance(answer, ServerResponse) else ServerResponse([json.dumps(answer).encode()])

    def do_me(self, user: str, _: Facts) -> Facts:
        """Return the owner of the token."""
        return {"user": user}

    def do_post(self, user: str, facts: Facts) -> Facts | ServerResponse:
        """Store a post, unless it already exists, is too long, or exceeds the rate limit."""
        if user == "koi" and (left := self.limited.get(facts["channel"], 0) - time.monotonic()) > 0:
            self.refused += 1
            return ServerResponse([b"{}"], fault=ServerFault(status=429, headers={"retry-after": f"{left:.2f}"}))
        if len(facts["text"]) > MAX_TEXT:
            return ServerResponse([b"{}"], fault=ServerFault(status=400))
        with self.changed:
            known = [one for one in self.updates if facts.get("key") and one.get("key") == facts["key"]]
            return known[0] if known else self.add(user, facts, "message")

    def do_edit(self, user: str, facts: Facts) -> Facts | ServerResponse:
        """Change a post of the same user."""
        with self.changed:
            mine = (one for one in self.updates if (one["ts"], one["user"]) == (facts["ts"], user))
            if not any(one["type"] == "message" for one in mine):
                return ServerResponse([b"{}"], fault=ServerFault(status=404))
            return self.add(user, facts, facts.get("type", "edit"))

    def do_press(self, user: str, facts: Facts) -> Facts:
        """Press a button of a post, or give it a reaction, or take that back."""
        with self.changed:
            return self.add(user, facts, facts.get("type", "press"))

    def do_updates(self, user: str, facts: Facts) -> list[Facts]:
        """Wait briefly for unacknowledged updates after a number."""
        after = max(int(facts.get("after") or len(self.updates)), self.acknowledged.get(user, 0))
        with self.changed:
            self.changed.wait_for(lambda: len(self.updates) > after or self.is_ending, POLL)
            return self.updates[after:]

    def do_now(self, _: str, __: Facts) -> Facts:
        """Return the number of the last update."""
        return {"seq": len(self.updates)}

    def do_ack(self, user: str, facts: Facts) -> Facts:
        """Forget updates up to a number."""
        self.acknowledged[user] = max(self.acknowledged.get(user, 0), int(facts["seq"]))
        return {}

    def do_history(self, _: str, facts: Facts) -> list[Facts]:
        """Return the posts of a channel or thread as they are now."""
        return self.posts(facts["channel"], facts.get("thread", ""))[-int(facts.get("limit", 100)) :]

    def do_search(self, _: str, facts: Facts) -> list[Facts]:
        """Find posts."""
        channels = {one["channel"] for one in self.updates}
        return [one for channel in channels for one in self.posts(channel) if facts["text"] in one["text"]]

    def do_file(self, _: str, facts: Facts) -> ServerResponse:
        """Return the bytes of a file."""
        file = self.updates[int(facts["seq"]) - 1]["files"][int(facts["n"])]
        return ServerResponse([base64.b64decode(file["data"])], type="application/octet-stream")

    def add(self, user: str, facts: Facts, type: str) -> Facts:
        """Append an event."""
        seq = len(self.updates) + 1
        own = {"seq": seq, "type": type, "user": user, "at": datetime.now(UTC).isoformat(), "team": "acme"}
        self.updates.append({"ts": str(seq), **facts, **own})
        self.changed.notify_all()
        return self.updates[-1]

    def redeliver(self, ts: str) -> None:
        """Deliver a post again, in another update."""
        with self.changed:
            same = next(one for one in self.updates if one["ts"] == ts)
            self.updates.append({**same, "seq": len(self.updates) + 1})
            self.changed.notify_all()

    def posts(self, channel: str, thread: str = "") -> list[Facts]:
        """Return the posts of a channel as they are now."""
        there: dict[str, Facts] = {}
        for one in self.updates:
            if one["channel"] == channel and one["type"] in ("message", "edit"):
                there[one["ts"]] = {**there.get(one["ts"], {}), **one}
            elif one["type"] == "delete":
                there.pop(one["ts"], None)
        return [one for one in there.values() if not thread or thread in (one.get("thread"), one["ts"])]

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Answer every request with an outage."""
        self.away = True
        yield
        self.away = False
