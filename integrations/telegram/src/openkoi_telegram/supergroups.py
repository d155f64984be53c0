"""Track groups that became supergroups: OpenKoi keeps each as one chat, under its first id.

Telegram gives a supergroup another id, and counts its messages from one, so those have ids such as ``-1001234/5`` here.
"""

import json
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from openkoi_base.files.private_files import replace_file
from openkoi_hookspecs import AppRejectedError
from openkoi_hookspecs.integrations import Post
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(slots=True)
class Supergroups:
    """The current ids of groups by their first ones, kept in a file."""

    file: Path
    present: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with suppress(OSError, ValueError, AttributeError):  # AttributeError: it is JSON of another shape
            self.present = {str(first): str(now) for first, now in json.loads(self.file.read_bytes()).items()}

    def add(self, group: str, supergroup: str) -> bool:
        """Record that a group has become a supergroup; return whether that was unknown."""
        if self.chat_of(group) == supergroup:
            return False
        self.present[self.first_of(group)] = supergroup
        with suppress(OSError):  # a full disk: Telegram says it again when something is sent
            replace_file(self.file, json.dumps(self.present))
        return True

    def chat_of(self, channel: str) -> str:
        """Return the current id of a chat."""
        return self.present.get(channel, channel)

    def first_of(self, chat: str) -> str:
        """Return the first id of a chat."""
        return next((first for first, now in self.present.items() if now == chat), chat)

    def describe(self) -> dict[str, str]:
        """Return the groups whose ids have changed, for the health report."""
        moved = ", ".join(f"{first} is now {now}" for first, now in self.present.items())
        return {"supergroups": moved} if moved else {}

    def move(self, post: Post) -> Post:
        """Return a post with the ids that OpenKoi uses for its chat and messages."""
        first = self.first_of(post.channel)
        if first == post.channel:
            return post
        answered = f"{post.channel}/{post.reply_to}" if post.reply_to else ""
        return replace(post, channel=first, id=f"{post.channel}/{post.id}", reply_to=answered)


def id_of(message: dict[str, object], channel: str) -> str:
    """Return the id of a message that was sent to a channel."""
    chat = message["chat"]
    assert isinstance(chat, dict)
    return str(message["message_id"]) if str(chat["id"]) == channel else f"{chat['id']}/{message['message_id']}"


def find_message(channel: str, id: str) -> tuple[str, int]:
    """Return the chat of a message, and its number there."""
    chat, _, number = id.rpartition("/")
    if not number.isdecimal():
        raise AppRejectedError(f"Telegram has no message {id!r}.")
    return chat or channel, int(number)
