"""Keep the chats of the fake Telegram, and let users write, press and react in them."""

import threading
import time
from collections import defaultdict
from typing import Any

BOT = {
    "id": 123456789,
    "is_bot": True,
    "first_name": "Koi",
    "username": "koi_test_bot",
    "can_join_groups": True,
    "can_read_all_group_messages": False,
    "supports_inline_queries": False,
}
Facts = dict[str, Any]


class TelegramChats:
    """Chats with positive ids are private, others are groups. ``messages`` are all messages, by chat and id.

    ``moved`` are the groups that have become others.
    """

    def __init__(self) -> None:
        self.messages: dict[tuple[int, int], Facts] = {}
        self.files: dict[str, tuple[str, bytes]] = {}
        self.limits: dict[int, float] = {}
        self.moved: dict[int, int] = {}
        self.updates: list[Facts] = []
        self.changed = threading.Condition()
        self._numbers: dict[str, int] = defaultdict(int)

    def add_message(self, chat: int, sender: Facts, **content: Any) -> Facts:
        """Add a message to a chat."""
        with self.changed:
            id = self.number(f"message of {chat}" if is_supergroup(chat) else "message")
            message = {"message_id": id, "date": int(time.time()), "chat": chat_of(chat), "from": sender, **content}
            self.messages[chat, id] = message
            return message

    def keep_file(self, name: str, media_type: str, data: bytes) -> Facts:
        """Store a file; return its description in a message."""
        id = f"file{self.number('file')}"
        self.files[id] = (name, data)
        facts = {"file_id": id, "file_unique_id": id, "file_name": name, "mime_type": media_type}
        return {**facts, "file_size": len(data)}

    def number(self, kind: str) -> int:
        """Return the next number of a kind."""
        with self.changed:
            self._numbers[kind] += 1
            return self._numbers[kind]

    def deliver(self, **update: Any) -> None:
        """Add an update for the bot."""
        with self.changed:
            self.updates.append({"update_id": 1000 + self.number("update"), **update})
            self.changed.notify_all()

    # What users do

    def say(self, text: str, *, user: int = 7, chat: int = 0, name: str = "ann", **content: Any) -> int:
        """Let a user write in a chat, by default the private one with the bot; return the message's id."""
        sender = {"id": user, "is_bot": False, "first_name": name, "username": name}
        content = {**({"text": text} if text else {}), **content}
        message = self.add_message(chat or user, sender, **content)
        self.deliver(message=message)
        return int(message["message_id"])

    def change(self, chat: int, id: int, text: str) -> None:
        """Let a user edit a message."""
        message = self.messages[chat, id]
        message.update(text=text, edit_date=int(time.time()))
        self.deliver(edited_message=message)

    def press(self, chat: int, id: int, data: str, *, user: int = 7, name: str = "ann") -> None:
        """Let a user press a button of a message."""
        sender = {"id": user, "is_bot": False, "first_name": name, "username": name}
        query = {"id": f"4382{self.number('press'):015}", "from": sender, "chat_instance": "1", "data": data}
        self.deliver(callback_query={**query, "message": self.messages[chat, id]})

    def react(self, chat: int, id: int, emoji: str, *, user: int = 7) -> None:
        """Let a user react to a message."""
        sender = {"id": user, "is_bot": False, "first_name": "ann"}
        reaction = {"chat": chat_of(chat), "message_id": id, "user": sender, "date": int(time.time())}
        new = [{"type": "emoji", "emoji": emoji}]
        self.deliver(message_reaction={**reaction, "old_reaction": [], "new_reaction": new})

    def upgrade(self, group: int, supergroup: int) -> None:
        """Turn a group into a supergroup, with another id; announce it in both."""
        self.moved[group] = supergroup
        owner = {"id": 7, "is_bot": False, "first_name": "ann"}
        self.deliver(message=self.add_message(group, owner, migrate_to_chat_id=supergroup))
        self.deliver(message=self.add_message(supergroup, owner, migrate_from_chat_id=group))

    def redeliver(self, id: int, chat: int = 7) -> None:
        """Deliver a message again, in another update."""
        self.deliver(message=self.messages[chat, id])

    def limit(self, chat: int, seconds: float) -> None:
        """Refuse messages to a chat for this many seconds."""
        self.limits[chat] = time.monotonic() + seconds

    def list_sent(self, chat: int = 7) -> list[Facts]:
        """Return the bot's current messages in a chat."""
        there = list(self.messages.items())
        return [one for (where, _), one in there if where == chat and one["from"]["id"] == BOT["id"]]


def is_supergroup(chat: int) -> bool:
    """Return whether a chat is a supergroup, which counts its own messages."""
    return chat <= -1000


def chat_of(id: int) -> Facts:
    """Return a chat by its id."""
    if id > 0:
        return {"id": id, "type": "private", "first_name": "ann"}
    return {"id": id, "type": "supergroup" if is_supergroup(id) else "group", "title": "team"}
