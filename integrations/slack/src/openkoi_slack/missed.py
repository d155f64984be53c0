"""Read all messages that arrived while no socket was open."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from openkoi_hookspecs import AppUnavailableError, Json
from openkoi_hookspecs.integrations import Post, PostKind
from openkoi_hookspecs.lazy_dataclass import dataclass

from .api_types import Call, Facts
from .events import read_message

PAGE = 100  # messages in a call; threads are looked for among so many at least
CHANNELS = "public_channel,private_channel,im,mpim"


@dataclass(frozen=True, slots=True)
class MissedPosts:
    """Reads the histories of the bot's channels. ``call`` calls the Web API, ``me`` is the bot."""

    call: Call
    me: Facts

    async def since(self, cursor: str) -> AsyncGenerator[Post, None]:
        """Yield what was posted and edited since a message, in channels and their threads."""
        async for channel in self.list_all("users.conversations", "channels", types=CHANNELS, limit=200):
            async with aclosing(self.in_channel(str(channel["id"]), cursor)) as posts:
                async for post in posts:
                    yield post

    async def in_channel(self, channel: str, cursor: str) -> AsyncGenerator[Post, None]:
        """Yield what was posted and edited in a channel since a message."""
        number = 0
        async with aclosing(
            self.list_all("conversations.history", "messages", channel=channel, limit=PAGE)
        ) as messages:  # the newest first
            async for message in messages:
                number += 1
                if str(message["ts"]) > cursor:
                    yield self.post_in(channel, message)
                elif number > PAGE:
                    return
                if str(message.get("edited", {}).get("ts", "")) > cursor:
                    yield self.post_in(channel, message, PostKind.EDITED)
                if str(message.get("latest_reply", "")) > cursor:
                    async for post in self.in_thread(channel, str(message["ts"]), cursor):
                        yield post

    async def in_thread(self, channel: str, root: str, cursor: str) -> AsyncGenerator[Post, None]:
        """Yield what was posted in a thread since a message."""
        place: dict[str, Json] = {"channel": channel, "ts": root, "oldest": cursor, "limit": PAGE}
        async for message in self.list_all("conversations.replies", "messages", **place):
            if str(message["ts"]) > max(cursor, root):
                yield self.post_in(channel, message)

    async def list_all(self, method: str, name: str, **arguments: Json) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the items of a list, page by page."""
        page: dict[str, Json] = {}
        while True:
            found = await self.call_patiently(method, **arguments, **page)
            for item in found[name]:
                yield item
            page = {"cursor": str(found.get("response_metadata", {}).get("next_cursor") or "")}
            if not page["cursor"]:
                return

    async def call_patiently(self, method: str, **arguments: Json) -> dict[str, Any]:
        """Call a method; wait when Slack's rate limit is reached."""
        while True:
            try:
                return await self.call(method, **arguments)
            except AppUnavailableError as error:
                if error.retry_after is None:
                    raise
                await asyncio.sleep(error.retry_after)

    def post_in(self, channel: str, message: Facts, kind: PostKind = PostKind.NEW) -> Post:
        """Return a message of a channel's history as a post."""
        return read_message({**message, "channel": channel}, self.me, kind)
