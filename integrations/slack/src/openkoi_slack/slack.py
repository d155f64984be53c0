"""Call Slack: the Web API to send, Socket Mode to receive messages, and the history for messages missed meanwhile."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import time
from typing import TYPE_CHECKING, Annotated, Any, Self
from urllib.parse import urlsplit

from openkoi_hookspecs import (
    AppRejectedError,
    AppUnavailableError,
    Env,
    Json,
    Koi,
    Question,
    SignInRequiredError,
)
from openkoi_hookspecs.integrations import Attachment, Capabilities, Delivery, Document, Post, PostKind
from openkoi_http import AppClient, ResponseLimits, WebSocket
from openkoi_http.app_client import encode_fields

from .events import read_event, read_message, read_press
from .manifest import ASK_APP_TOKEN, ASK_TOKEN
from .messages import MAX_TEXT, content_of, emoji_name, escaped_length, place_in
from .missed import MissedPosts
from .refusals import raise_refusal
from .streams import CONFLICT, Streams

if TYPE_CHECKING:
    from .canvases import Canvases

LIMITS = ResponseLimits(idle_seconds=20.0)
SLACK_DIGITS = 6  # of a second, in the ids of messages
CAPABILITIES = Capabilities(
    max_text=MAX_TEXT,
    length=escaped_length,
    formats=("markdown", "plain"),
    threads=True,
    max_choices=5,
    max_file=100_000_000,
    edit_gap=1.0,
)


class Slack:
    """A bot in a workspace. ``channels`` (``[integrations.slack]``) are the ids of its channels; if empty, all."""

    capabilities = CAPABILITIES

    def __init__(
        self,
        *,
        base_url: str = "https://slack.com/api",
        files_url: str = "https://files.slack.com",
        token: Annotated[str, Env("SLACK_BOT_TOKEN", secret=True)] = "",
        app_token: Annotated[str, Env("SLACK_APP_TOKEN", secret=True)] = "",
        channels: tuple[str, ...] = (),
    ) -> None:
        self.base_url, self.files_url, self.channels = base_url, files_url, channels
        self.token, self.app_token = token, app_token
        self.me: Mapping[str, Any] = {}
        self.socket: WebSocket | None = None
        self.unacknowledged: list[tuple[str, str]] = []
        self.streams = Streams(self.call)
        self.open()

    def open(self) -> None:
        """Create the clients for the tokens without connecting."""
        self.api = AppClient(self.base_url, headers=authorize(self.token), bounds=LIMITS)
        self.files = AppClient(self.files_url, headers=authorize(self.token), bounds=LIMITS)
        self.apps = AppClient(self.base_url, headers=authorize(self.app_token), bounds=LIMITS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in (self.api, self.files, self.apps):
            await client.__aexit__()

    async def call(self, method: str, bucket: str = "", **arguments: Json) -> dict[str, Any]:
        """Call a method of the Web API with the bot's token; rate limits apply per ``bucket``."""
        return await self.call_as(self.api, method, bucket, arguments)

    async def call_as(
        self, client: AppClient, method: str, bucket: str, arguments: Mapping[str, Json]
    ) -> dict[str, Any]:
        """Call a method; raise AppError if Slack refuses."""
        token, which = (self.app_token, "app-level") if client is self.apps else (self.token, "bot")
        if not token:
            raise SignInRequiredError.not_connected("slack")
        try:
            answer = await client.submit(f"/{method}", encode_fields(arguments))  # what reads takes no JSON
        except AppUnavailableError as error:
            error.bucket = bucket
            raise
        found = answer if isinstance(answer, dict) else {}
        if not found.get("ok"):
            raise_refusal(str(found.get("error", "no reason")), which)
        return found

    async def who(self) -> Mapping[str, Any]:
        """Return the bot itself, with its workspace."""
        self.me = self.me or await self.call("auth.test")
        return self.me

    async def health(self) -> dict[str, str]:
        """Return the name of the bot, and its workspace."""
        self.me = {}
        me = await self.who()
        if not self.app_token:
            raise SignInRequiredError.not_connected("slack")
        return {"bot": f"@{me['user']}", "workspace": str(me["team"])}

    async def connect(self, koi: Koi) -> str:
        """Ask for both tokens, verify them, and save them."""
        self.token = (await koi.ask(Question(ASK_TOKEN, secret=True)) or "").strip()
        koi.conceal(self.token, "the Slack bot token")
        self.me = {}
        self.open()
        me = await self.who()
        self.app_token = (await koi.ask(Question(ASK_APP_TOKEN, secret=True)) or "").strip()
        koi.conceal(self.app_token, "the Slack app token")
        self.open()
        await self.call_as(self.apps, "apps.connections.open", "", {})
        koi.save_key("slack.token", self.token)
        koi.save_key("slack.app_token", self.app_token)
        return f"@{me['user']} in {me['team']}"

    # What arrives

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Open the socket, yield the posts since the cursor, then new ones. A cursor is the id of a message."""
        me = await self.who()
        opened = await self.call_as(self.apps, "apps.connections.open", "", {})
        async with WebSocket(str(opened["url"]), name="Slack") as socket:
            self.socket, self.unacknowledged = socket, []
            first = await receive_envelope(socket)  # its hello: from then on Slack sends messages
            early = [] if first.get("type") == "hello" else [first]
            missed = [post async for post in MissedPosts(self.call, me).since(cursor)] if cursor else []
            missed = [post for post in missed if self.is_allowed(post)]
            cursor = cursor or begin_at(time())
            yield Delivery(cursor)
            for post in sorted(missed, key=lambda one: one.revision or one.id):
                cursor = move_cursor(cursor, [post])
                yield Delivery(cursor, post)
            while True:
                envelope = early.pop() if early else await receive_envelope(socket)
                posts = [post for post in read_envelope(envelope, me) if self.is_allowed(post)]
                cursor = move_cursor(cursor, posts)
                self.unacknowledged.append((cursor, str(envelope.get("envelope_id", ""))))
                for post in posts:
                    yield Delivery(cursor, post)
                if not posts:
                    yield Delivery(cursor)

    async def commit(self, cursor: str) -> None:
        """Acknowledge all envelopes up to a cursor: Slack resends unacknowledged ones within seconds."""
        done = [id for at, id in self.unacknowledged if at <= cursor]
        self.unacknowledged = [one for one in self.unacknowledged if one[0] > cursor]
        for id in dict.fromkeys(filter(None, done)):
            if self.socket:
                await self.socket.send(json.dumps({"envelope_id": id}))

    def post_in(self, channel: str, message: Mapping[str, Any], kind: PostKind = PostKind.NEW) -> Post:
        """Return a message of a channel's history as a post."""
        return read_message({**message, "channel": channel}, self.me, kind)

    def is_allowed(self, post: Post) -> bool:
        """Return whether the bot works in the channel of a post."""
        return not self.channels or post.channel in self.channels

    async def history(self, channel: str, *, thread: str = "", since: str = "", limit: int = 20) -> Sequence[Post]:
        """Return the last messages of a channel or thread, oldest first."""
        await self.who()
        method = "conversations.replies" if thread else "conversations.history"
        more: dict[str, Json] = {"ts": thread} if thread else {}
        arguments: dict[str, Json] = {"channel": channel, "limit": limit, **more}
        found = await self.call_as(self.api, method, "", arguments)
        posts = sorted((self.post_in(channel, one) for one in found["messages"]), key=lambda one: one.id)
        return [one for one in posts if one.at >= since][-limit:]

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield a file in pieces."""
        async for piece in self.files.download(urlsplit(attachment.ref).path):
            yield piece

    # What is sent

    async def send(self, post: Post) -> str:
        """Post a message, then its files; return the id of the message."""
        id = await self.streams.begin(post, str((await self.who())["team_id"])) if post.partial else ""
        if not id and (post.text or not post.attachments):
            sent = await self.call("chat.postMessage", post.channel, **place_in(post), **content_of(post))
            id = str(sent["ts"])
        for file in post.attachments:
            shared = await self.send_file(post, file)
            id = id or shared
        return id

    async def send_file(self, post: Post, file: Attachment) -> str:
        """Upload a file and share it; return its id."""
        place = await self.call("files.getUploadURLExternal", filename=file.name, length=len(file.data))
        await self.files.upload_bytes(urlsplit(str(place["upload_url"])).path, file.data)
        shared: dict[str, Json] = {"channel_id": post.channel, "files": [{"id": place["file_id"], "title": file.name}]}
        thread: dict[str, Json] = {"thread_ts": post.thread} if post.thread else {}
        await self.call("files.completeUploadExternal", post.channel, **shared, **thread)
        return str(place["file_id"])

    async def edit(self, post: Post) -> str:
        """Change a message; extend one that is streaming, or end its stream first."""
        if not await self.streams.extend(post):
            change = partial(self.call, "chat.update", post.channel, channel=post.channel, ts=post.id)
            try:
                await change(**content_of(post))
            except AppRejectedError as error:
                if CONFLICT not in str(error):
                    raise
                await self.streams.end(post)
                await change(**content_of(post))
        return post.id

    async def delete(self, channel: str, id: str) -> None:
        """Delete a message."""
        await self.call("chat.delete", channel, channel=channel, ts=id)

    async def add_reaction(self, channel: str, id: str, emoji: str) -> None:
        """React to a message."""
        await self.call("reactions.add", channel, channel=channel, timestamp=id, name=emoji_name(emoji))

    async def remove_reaction(self, channel: str, id: str, emoji: str) -> None:
        """Remove a reaction."""
        await self.call("reactions.remove", channel, channel=channel, timestamp=id, name=emoji_name(emoji))

    # Documents

    @property
    def canvases(self) -> "Canvases":
        """The documents, imported when they are used."""
        from .canvases import Canvases

        return Canvases(self.call, self.download)

    async def read_document(self, id: str) -> Document:
        """Read a canvas, or a file that is text."""
        return await self.canvases.read(id)

    async def write_document(self, document: Document) -> Document:
        """Create a canvas, in a channel if it has a folder, or replace one that is unchanged since it was read."""
        return await self.canvases.write(document)

    async def list_documents(self, folder: str = "", *, since: str = "") -> Sequence[Document]:
        """List the canvases and texts that the bot sees, or those of a channel, most recently changed first."""
        return await self.canvases.list_all(folder, since)

    async def search_documents(self, text: str, *, limit: int = 20) -> Sequence[Document]:
        """Find documents by their titles: bots may not search contents."""
        found = await self.canvases.list_all("", "")
        return [replace(one, text=one.title) for one in found if text.lower() in one.title.lower()][:limit]


def begin_at(seconds: float) -> str:
    """Return a cursor for this machine's time; an extra digit tells it from Slack's ids, as the clock may be wrong."""
    return f"{seconds:.{SLACK_DIGITS + 1}f}"


def move_cursor(cursor: str, posts: Sequence[Post]) -> str:
    """Return the cursor after some posts: the last new one by Slack's clock, as soon as there is one."""
    ids = [post.id for post in posts if post.kind is PostKind.NEW]
    is_own = len(cursor.rpartition(".")[2]) > SLACK_DIGITS
    return max(ids, default=cursor) if is_own else max([cursor, *ids])


def authorize(token: str) -> dict[str, str]:
    """Return the header that contains a token."""
    return {"Authorization": f"Bearer {token}"} if token else {}


async def receive_envelope(socket: WebSocket) -> Mapping[str, Any]:
    """Wait for the next message of a socket; raise AppUnavailableError once Slack wants another connection."""
    envelope: dict[str, Any] = json.loads(await socket.receive())
    if envelope.get("type") == "disconnect":
        raise AppUnavailableError("Slack requested a new connection.", retry_after=0.0)
    return envelope


def read_envelope(envelope: Mapping[str, Any], me: Mapping[str, Any]) -> Iterator[Post]:
    """Yield the posts of an envelope of Socket Mode."""
    payload = envelope.get("payload", {})
    if envelope.get("type") == "events_api":
        post = read_event(payload["event"], me, shared=bool(payload.get("is_ext_shared_channel")))
        yield from [post] if post else []
    elif envelope.get("type") == "interactive" and payload.get("type") == "block_actions":
        yield from read_press(payload, me)
