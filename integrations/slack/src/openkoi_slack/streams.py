"""Stream a growing post in a thread, which costs less than edits; fall back to edits where Slack has no streams."""

from collections import OrderedDict
from dataclasses import field

from openkoi_hookspecs import AppRejectedError, Json
from openkoi_hookspecs.integrations import Post
from openkoi_hookspecs.lazy_dataclass import dataclass

from .api_types import Call

CONFLICT = "streaming_state_conflict"  # a message that still streams cannot be changed
MAX_STREAMS = 100  # that are known; Slack ends each after about five minutes


@dataclass(frozen=True, slots=True)
class Streams:
    """The streams that were started, by message, with their text. ``call`` calls the Web API."""

    call: Call
    texts: OrderedDict[str, str] = field(default_factory=OrderedDict)

    async def begin(self, post: Post, team: str) -> str:
        """Start a post as a stream; return its id, or an empty string if Slack cannot stream it."""
        if not (post.partial and post.thread and len(post.recipients) == 1) or post.choices or post.attachments:
            return ""
        reader: dict[str, Json] = {"recipient_user_id": post.recipients[0], "recipient_team_id": team}
        place: dict[str, Json] = {"channel": post.channel, "thread_ts": post.thread}
        try:
            sent = await self.call("chat.startStream", post.channel, **place, **reader, markdown_text=post.text)
        except AppRejectedError:
            return ""
        self.texts[str(sent["ts"])] = post.text
        while len(self.texts) > MAX_STREAMS:
            self.texts.popitem(last=False)
        return str(sent["ts"])

    async def extend(self, post: Post) -> bool:
        """Append the new text of a post to its stream; return whether that was possible."""
        before = self.texts.pop(post.id, None)
        if before is None or not post.partial or not post.text.startswith(before):
            return False
        added = post.text[len(before) :]
        try:
            if added:
                await self.call(
                    "chat.appendStream", post.channel, channel=post.channel, ts=post.id, markdown_text=added
                )
        except AppRejectedError:  # it has ended
            return False
        self.texts[post.id] = post.text
        return True

    async def end(self, post: Post) -> None:
        """End a stream, so that its message can be changed."""
        self.texts.pop(post.id, None)
        await self.call("chat.stopStream", post.channel, channel=post.channel, ts=post.id)
