"""Keep the streams of the fake Slack: messages that grow, and cannot be changed until they are ended."""

from abc import abstractmethod
from typing import Any

from .slack_chats import BOT, BOT_ID, Facts, SlackChats

MAX_PIECE = 12_000


class SlackCallError(Exception):
    """A call that Slack refuses, with its error."""


class SlackStreams(SlackChats):
    """``streaming`` are the messages that grow; ``end_streams`` lets them die, as they do after some minutes."""

    def __init__(self) -> None:
        super().__init__()
        self.streaming: set[tuple[str, str]] = set()

    @abstractmethod
    def message(self, channel: str, ts: str) -> Facts:
        """Return a message; raise SlackCallError if there is none."""

    def do_chat_startStream(
        self,
        channel: str,
        thread_ts: str,
        markdown_text: str = "",
        recipient_user_id: str = "",
        recipient_team_id: str = "",
        **_: Any,
    ) -> Facts:
        """Begin a stream, which is possible only in a thread."""
        self.message(channel, thread_ts)
        if not channel.startswith("D") and not (recipient_user_id and recipient_team_id):
            raise SlackCallError("missing_recipient_user_id")
        refuse_long(markdown_text)
        message = self.add_message(channel, BOT, markdown_text, bot_id=BOT_ID, thread_ts=thread_ts)
        self.streaming.add((channel, message["ts"]))
        return {"channel": channel, "ts": message["ts"]}

    def do_chat_appendStream(self, channel: str, ts: str, markdown_text: str = "", **_: Any) -> Facts:
        """Add to a stream."""
        self.require_stream(channel, ts)
        refuse_long(markdown_text)
        self.message(channel, ts)["text"] += markdown_text
        return {"channel": channel, "ts": ts}

    def do_chat_stopStream(self, channel: str, ts: str, markdown_text: str = "", **_: Any) -> Facts:
        """End a stream."""
        self.do_chat_appendStream(channel, ts, markdown_text)
        self.streaming.discard((channel, ts))
        return {"channel": channel, "ts": ts, "message": self.message(channel, ts)}

    def require_stream(self, channel: str, ts: str) -> None:
        """Raise SlackCallError for a message that is not streaming."""
        if (channel, ts) not in self.streaming:
            raise SlackCallError("message_not_in_streaming_state")

    def refuse_streaming(self, channel: str, ts: str) -> None:
        """Raise SlackCallError for a message that is still streaming."""
        if (channel, ts) in self.streaming:
            raise SlackCallError("streaming_state_conflict")

    def end_streams(self) -> None:
        """Let all streams die."""
        self.streaming.clear()


def refuse_long(text: str) -> None:
    """Raise SlackCallError for more text than a call may have."""
    if len(text) > MAX_PIECE:
        raise SlackCallError("msg_too_long")
