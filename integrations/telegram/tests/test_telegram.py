"""The Telegram app against a Bot API that refuses what Telegram refuses."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openkoi_hookspecs.integrations import Post
from openkoi_telegram import Telegram
from openkoi_testing import MessengerContract
from openkoi_testing.contracts.messenger import Counterpart
from openkoi_testing.servers import TelegramServer

GROUP, USER = -100, 7


@dataclass(slots=True)
class Ann:
    """Another user of Telegram, in a group and a private chat with the bot."""

    server: TelegramServer
    channel: str = str(GROUP)
    direct: str = str(USER)
    mention: str = "@koi_test_bot"

    def connect(self) -> Telegram:
        """Sign in as the bot."""
        return Telegram(base_url=self.server.url, token=self.server.token, poll_seconds=5)

    async def say(self, post: Post) -> str:
        """Write something."""
        content: dict[str, Any] = {}
        if post.attachments:
            (file,) = post.attachments
            content = {"document": self.server.keep_file(file.name, file.media_type, file.data), "caption": post.text}
        if self.mention in post.text:
            place = post.text.index(self.mention)
            content["entities"] = [{"type": "mention", "offset": place, "length": len(self.mention)}]
        text = "" if post.attachments else post.text
        return str(self.server.say(text, chat=int(post.channel), **content))

    async def change(self, post: Post) -> None:
        """Edit a message."""
        self.server.change(int(post.channel), int(post.id), post.text)

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """React to a message."""
        self.server.react(int(channel), int(id), emoji)

    async def press(self, channel: str, id: str, value: str) -> None:
        """Press a button."""
        self.server.press(int(channel), int(id), value)

    async def read(self, channel: str) -> Sequence[Post]:
        """Look at a chat."""
        there = (one for (chat, _), one in self.server.messages.items() if chat == int(channel))
        return [Post(one.get("text", ""), app="", channel=channel, id=str(one["message_id"])) for one in there]

    def outage(self) -> AbstractContextManager[None]:
        """Let Telegram be away."""
        return self.server.outage()


class TestTelegram(MessengerContract):
    """What every messenger promises."""

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Start the Bot API."""
        with TelegramServer() as server:
            yield Ann(server)
