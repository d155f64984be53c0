"""Keep the channels of the fake Slack, and let users write, press and react in them."""

import threading
import time
from abc import ABC, abstractmethod
from typing import Any

Facts = dict[str, Any]
TEAM, BOT, BOT_ID = "T0000TEAM", "U0000KOI", "B00000KOI"


class SlackChats(ABC):
    """``messages`` are all messages, by channel and id; ``envelopes`` those that no client has acknowledged."""

    def __init__(self) -> None:
        self.messages: dict[tuple[str, str], Facts] = {}
        self.files: dict[str, tuple[str, bytes]] = {}
        self.types: dict[str, str] = {}
        self.limits: dict[str, float] = {}
        self.envelopes: dict[str, Facts] = {}
        self.changed = threading.RLock()
        self._last = 0.0
        self._count = 0

    def new_ts(self) -> str:
        """Return an id for a message: its time, which no other one has."""
        with self.changed:
            self._last = max(time.time(), self._last + 0.000002)
            return f"{self._last:.6f}"

    def number(self) -> int:
        """Return the next number."""
        with self.changed:
            self._count += 1
            return self._count

    def add_message(self, channel: str, user: str, text: str, **content: Any) -> Facts:
        """Add a message to a channel."""
        with self.changed:
            ts = self.new_ts()
            message = {"type": "message", "user": user, "text": text, "ts": ts, "team": TEAM, **content}
            self.messages[channel, ts] = message
            root = self.messages.get((channel, content.get("thread_ts", "")))
            if root:
                message["parent_user_id"] = root["user"]
                replies = root.get("reply_count", 0) + 1
                users = [*dict.fromkeys([*root.get("reply_users", ()), user])]
                root.update(thread_ts=root["ts"], reply_count=replies, subscribed=False, latest_reply=ts)
                root.update(reply_users=users, reply_users_count=len(users))
            return message

    def deliver(self, kind: str, payload: Facts) -> None:
        """Put an event in an envelope for a connected client; if there is none, it is lost, as at Slack."""
        id = f"envelope-{self.number()}"
        envelope = {"type": kind, "envelope_id": id, "payload": payload, "accepts_response_payload": False}
        if self.push(envelope):
            self.envelopes[id] = envelope

    @abstractmethod
    def push(self, envelope: Facts) -> bool:
        """Send an envelope to a client; return whether one is connected."""

    def deliver_event(self, event: Facts) -> None:
        """Deliver an event of the Events API."""
        number = self.number()
        outer = {"token": "x", "team_id": TEAM, "api_app_id": "A1", "type": "event_callback"}
        self.deliver(
            "events_api", {**outer, "event": event, "event_id": f"Ev{number:08}", "event_time": int(time.time())}
        )

    # What users do

    def say(self, text: str, *, channel: str = "D00000ANN", user: str = "U0000ANN", **content: Any) -> str:
        """Let a user write; return the message's id. A mention is delivered as an event of its own as well."""
        if content.get("subtype") == "thread_broadcast":
            content = {**content, "root": event_of(channel, self.messages[channel, content["thread_ts"]])}
        message = self.add_message(channel, user, text, client_msg_id=f"{self.number():032x}", **content)
        event = event_of(channel, message)
        self.deliver_event(event)
        if f"<@{BOT}>" in text:
            self.deliver_event({**event, "type": "app_mention"})
        return str(message["ts"])

    def redeliver(self, channel: str, ts: str) -> None:
        """Deliver a message again, in another envelope with another id."""
        self.deliver_event(event_of(channel, self.messages[channel, ts]))

    def change(self, channel: str, ts: str, text: str) -> None:
        """Let a user edit a message."""
        message = self.messages[channel, ts]
        before = dict(message)
        message.update(text=text, edited={"user": message["user"], "ts": self.new_ts()})
        self.deliver_change(channel, "message_changed", message=dict(message), previous_message=before)

    def erase(self, channel: str, ts: str) -> None:
        """Let a user delete a message."""
        self.deliver_change(
            channel, "message_deleted", deleted_ts=ts, previous_message=self.messages.pop((channel, ts))
        )

    def deliver_change(self, channel: str, kind: str, **content: Any) -> None:
        """Deliver the change of a message."""
        event = event_of(channel, {"type": "message", "subtype": kind, "ts": self.new_ts()})
        self.deliver_event({**event, "hidden": True, **content})

    def react(self, channel: str, ts: str, name: str, *, user: str = "U0000ANN") -> None:
        """Let a user react to a message."""
        item = {"type": "message", "channel": channel, "ts": ts}
        event = {"type": "reaction_added", "user": user, "reaction": name, "item": item, "item_user": BOT}
        self.deliver_event({**event, "event_ts": self.new_ts()})

    def press(self, channel: str, ts: str, value: str, *, user: str = "U0000ANN") -> None:
        """Let a user press a button of a message."""
        message = self.messages[channel, ts]
        action = {
            "type": "button",
            "action_id": "choice-0",
            "block_id": "b",
            "text": label_of(message, value),
            "value": value,
            "action_ts": self.new_ts(),
        }
        payload = {
            "type": "block_actions",
            "user": {"id": user, "username": user.lower(), "team_id": TEAM},
            "team": {"id": TEAM, "domain": "pond"},
            "channel": {"id": channel, "name": "general"},
            "container": {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": False},
            "message": dict(message),
            "actions": [action],
            "token": "x",
            "response_url": f"https://hooks.slack.com/actions/{TEAM}/1/x",
            "trigger_id": "1.2",
            "api_app_id": "A1",
        }
        self.deliver("interactive", payload)

    def list_sent(self, channel: str = "D00000ANN") -> list[Facts]:
        """Return the bot's current messages in a channel."""
        return [one for (where, _), one in list(self.messages.items()) if where == channel and one["user"] == BOT]


def event_of(channel: str, message: Facts) -> Facts:
    """Return a message as an event."""
    kind = "im" if channel.startswith("D") else "channel"
    return {**message, "channel": channel, "channel_type": kind, "event_ts": message["ts"]}


def label_of(message: Facts, value: str) -> Facts:
    """Return the text of the button that has a value."""
    buttons = (one for block in message.get("blocks", ()) for one in block.get("elements", ()))
    unknown = {"type": "plain_text", "text": "A button", "emoji": True}
    return next((one["text"] for one in buttons if one.get("value") == value), unknown)
