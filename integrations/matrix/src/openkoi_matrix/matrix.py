"""Call a homeserver: receive by long polling, and send requests with transaction ids."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import quote

from openkoi_hookspecs import (
    AppRejectedError,
    AppUnavailableError,
    DataDir,
    Env,
    Json,
    Koi,
    Question,
    SignInRequiredError,
)
from openkoi_hookspecs.integrations import Attachment, Capabilities, Delivery, Post
from openkoi_http import AppClient, ResponseLimits, Server
from openkoi_http.oauth import RefreshToken

from .events import Me, Room, in_room, read_event
from .messages import MAX_TEXT, Content, edit_of, file_of, length_in_event, message_of, transaction_id
from .rooms import Rooms
from .sign_in import ASK_OWNER, ASK_SECRET, ASK_USER, check_user, find_homeserver, refresh_tokens, sign_in
from .sync import Batch, read_cursor, sync_path, write_cursor

POLL_SECONDS = 25
# A poll without an answer is a dead connection: it is found after 25 x 11/6 = 46 seconds.
LIMITS = ResponseLimits(idle_seconds=25.0)
SIGN_IN = "Matrix rejected the access token ({0}). Run `openkoi connect matrix`."
SOFT_LOGOUT = "the session has ended, and signing in again resumes it"
OWN = 200  # ids of sent messages that are known to be ours
KINDS = json.dumps({"types": ["m.room.message"]})
CAPABILITIES = Capabilities(
    max_text=MAX_TEXT,
    length=length_in_event,
    formats=("markdown", "plain"),
    threads=True,
    max_file=50_000_000,
    edit_gap=1.5,
    idempotent=True,
)


class Matrix:
    """An account of a homeserver. ``[integrations.matrix]``: ``channels`` are the ids of the rooms that it works in.

    ``users`` are those whose invitations are accepted. ``base_url`` is the address of the homeserver.
    """

    capabilities = CAPABILITIES

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("matrix")] = Path(),
        base_url: str = "",
        token: Annotated[str, Env("MATRIX_TOKEN", secret=True)] = "",
        refresh_token: Annotated[str, Env("MATRIX_REFRESH_TOKEN", secret=True)] = "",
        users: tuple[str, ...] = (),
        channels: tuple[str, ...] = (),
        poll_seconds: int = POLL_SECONDS,
    ) -> None:
        self.base_url, self.token, self.poll_seconds = base_url, token, poll_seconds
        self.renewing, self.folder = asyncio.Lock(), folder
        self.kept = self.keep(refresh_token)
        self.users, self.channels = users, channels
        self.me = Me("", "")
        self.own: deque[str] = deque(maxlen=OWN)
        self.open()

    def open(self) -> None:
        """Create the client without connecting."""
        self.api = AppClient(self.base_url or "http://localhost", sign=self.authorize, bounds=LIMITS, explain=explain)
        self.rooms = Rooms(self.call, self.users, self.channels)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.api.__aexit__()

    def authorize(self, *_: object) -> dict[str, str]:
        """Return the header with the current token."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def keep(self, refresh_token: str) -> RefreshToken:
        """Return a refresh token and the file for its replacements."""
        return RefreshToken(self.folder / "refresh-token.json", refresh_token)

    async def call(self, method: str, path: str, arguments: Mapping[str, Json] | None = None) -> Any:
        """Call the Client-Server API, again if the session has ended; a path begins with the API version."""
        if not (self.token and self.base_url):
            raise SignInRequiredError.not_connected("matrix")
        token = self.token
        try:
            return await self.request(method, path, arguments)
        except SignInRequiredError:
            if not self.kept.first:
                raise
        await self.renew(token)
        return await self.request(method, path, arguments)

    async def request(self, method: str, path: str, arguments: Mapping[str, Json] | None) -> Any:
        """Call the Client-Server API."""
        where = f"/_matrix/client/{path}"
        return await (self.api.fetch(where) if arguments is None else self.api.call(where, arguments, method=method))

    async def renew(self, token: str) -> None:
        """Replace an expired token, once for all calls that used it."""
        async with self.renewing:
            if self.token == token:
                new = await refresh_tokens(self.base_url, self.kept.load())  # another process may have renewed it
                self.kept.save(new.refresh)
                self.token = new.access

    async def who(self) -> Me:
        """Return the account itself."""
        if not self.me.id:
            id = str((await self.call("GET", "v3/account/whoami"))["user_id"])
            name = ""
            with suppress(AppRejectedError):  # an account without a profile
                name = str((await self.call("GET", f"v3/profile/{quote(id, safe='')}")).get("displayname") or "")
            self.me = Me(id, name)
        return self.me

    async def health(self) -> dict[str, str]:
        """Return the account's id."""
        self.me = Me("", "")
        me = await self.who()
        return {"account": me.id, "rooms": str(len((await self.call("GET", "v3/joined_rooms"))["joined_rooms"]))}

    async def connect(self, koi: Koi) -> str:
        """Ask for the accounts of the user and of the assistant, sign in, and save the token."""
        owner = check_user(await koi.ask(Question(ASK_OWNER)) or "")
        user = check_user(await koi.ask(Question(ASK_USER)) or "")
        secret = (await koi.ask(Question(ASK_SECRET.format(user), secret=True)) or "").strip()
        koi.conceal(secret, "the Matrix password or token")
        self.base_url = self.base_url or await find_homeserver(user)
        self.token, refresh_token = await sign_in(self.base_url, user, secret)
        self.kept = self.keep(refresh_token)
        koi.conceal(self.token, "the Matrix access token")
        koi.conceal(refresh_token, "the Matrix refresh token")
        self.me = Me("", "")
        self.open()
        me = await self.who()
        koi.save_key("matrix.token", self.token)
        koi.save_key("matrix.refresh_token", refresh_token)
        koi.set_setting("integrations.matrix.base_url", self.base_url)
        koi.set_setting("integrations.matrix.users", list(dict.fromkeys([*self.users, owner])))
        return me.id

    # What arrives

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Poll for events; invitations of the configured users are accepted, and encrypted rooms are left."""
        me = await self.who()
        since, handled = read_cursor(cursor)
        if not since:
            found = await self.call("GET", sync_path("", 0))
            await self.rooms.answer_invitations(found, me)
            since = str(found["next_batch"])
        yield Delivery(write_cursor(since, handled))
        while True:
            found = await self.call("GET", sync_path(since, self.poll_seconds))
            batch = Batch(since, handled)
            for id, part in (found.get("rooms", {}).get("join") or {}).items():
                async for delivery in self.read_room(id, part, batch, me):
                    yield delivery
            await self.rooms.answer_invitations(found, me)
            since, handled = str(found["next_batch"]), ()
            yield Delivery(write_cursor(since, handled))

    async def read_room(self, id: str, part: Mapping[str, Any], batch: Batch, me: Me) -> AsyncGenerator[Delivery, None]:
        """Yield what was posted in a room since the last poll."""
        self.rooms.forget_changed(id, part)
        if not self.rooms.is_allowed(id) or await self.rooms.leave_encrypted(id, part):
            return
        async for event in batch.events_of(id, part, me, self.call):
            if batch.take(event):
                room = Room(id, await self.rooms.is_direct(id, me))
                yield Delivery(batch.cursor, read_event(event, room, me))

    async def history(self, channel: str, *, thread: str = "", since: str = "", limit: int = 20) -> Sequence[Post]:
        """Return the last messages of a room or thread, oldest first."""
        me = await self.who()
        room = Room(channel, await self.rooms.is_direct(channel, me))
        place, events = in_room(channel), []
        if thread:
            found = await self.call(
                "GET", f"{in_room(channel, 1)}/relations/{quote(thread, safe='')}/m.thread?limit={limit}"
            )
            events = [await self.call("GET", f"{place}/event/{quote(thread, safe='')}")]
        else:
            found = await self.call("GET", f"{place}/messages?dir=b&limit={limit}&filter={quote(KINDS)}")
        events += reversed(found["chunk"])
        posts = [post for event in events if (post := read_event(event, room, me))]
        return [one for one in posts if one.at >= since and one.kind == "new"][-limit:]

    async def search_posts(self, text: str, *, limit: int = 20) -> Sequence[Post]:
        """Find messages in the rooms of this account."""
        me = await self.who()
        query: Json = {"search_term": text, "keys": ["content.body"], "filter": {"limit": limit}, "order_by": "rank"}
        found = await self.call("POST", "v3/search", {"search_categories": {"room_events": query}})
        hits = [one["result"] for one in found["search_categories"]["room_events"].get("results", ())]
        posts = [read_event(one, Room(str(one["room_id"]), direct=False), me) for one in hits]
        return [post for post in posts if post and self.rooms.is_allowed(post.channel)]

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield a file in pieces."""
        place = quote(attachment.ref.removeprefix("mxc://"))
        async for piece in self.api.download(f"/_matrix/client/v1/media/download/{place}"):
            yield piece

    # What is sent

    async def send(self, post: Post) -> str:
        """Send a message, then its files; return the id of the first."""
        ids: list[str] = []
        if post.text or not post.attachments:
            ids.append(await self.put(post.channel, "m.room.message", message_of(post), transaction_id(post.key)))
        for number, file in enumerate(post.attachments):
            content = file_of(file, await self.upload(file))
            relation = {key: value for key, value in message_of(post).items() if key == "m.relates_to"}
            transaction = transaction_id(post.key, str(number))
            ids.append(await self.put(post.channel, "m.room.message", {**content, **relation}, transaction))
        return ids[0]

    async def put(self, channel: str, kind: str, content: Content, transaction: str) -> str:
        """Send an event; return its id."""
        sent = await self.call("PUT", f"{in_room(channel)}/send/{kind}/{transaction}", content)
        self.own.append(str(sent["event_id"]))
        return self.own[-1]

    async def upload(self, file: Attachment) -> str:
        """Upload a file; return its address."""
        found: Any = await self.api.upload_file(f"/_matrix/media/v3/upload?filename={quote(file.name)}", file.data)
        return str(found["content_uri"])

    async def edit(self, post: Post) -> str:
        """Replace a message of this account; its id stays."""
        if post.id not in self.own:
            there = await self.call("GET", f"{in_room(post.channel)}/event/{quote(post.id, safe='')}")
            if there.get("sender") != (await self.who()).id:
                raise AppRejectedError("Matrix does not allow editing messages of other users.")
        transaction = transaction_id(post.key, post.id, post.text)
        await self.put(post.channel, "m.room.message", edit_of(post), transaction)
        return post.id

    async def delete(self, channel: str, id: str) -> None:
        """Delete a message."""
        await self.call("PUT", f"{in_room(channel)}/redact/{quote(id, safe='')}/{transaction_id('')}", {})

    async def add_reaction(self, channel: str, id: str, emoji: str) -> None:
        """React to a message."""
        content: Content = {"m.relates_to": {"rel_type": "m.annotation", "event_id": id, "key": emoji}}
        await self.put(channel, "m.reaction", content, transaction_id(""))

    async def remove_reaction(self, channel: str, id: str, emoji: str) -> None:
        """Remove a reaction of this account."""
        me = await self.who()
        place = f"{in_room(channel, 1)}/relations/{quote(id, safe='')}/m.annotation/m.reaction?limit=100"
        for one in (await self.call("GET", place))["chunk"]:
            if one["sender"] == me.id and one["content"].get("m.relates_to", {}).get("key") == emoji:
                await self.delete(channel, str(one["event_id"]))


def explain(server: Server, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raise the error that the homeserver reports; return None to judge by the HTTP status."""
    try:
        answer = json.loads(body)
        code, text = str(answer["errcode"]), str(answer.get("error", ""))
    except (ValueError, TypeError, KeyError):
        return
    if code in ("M_UNKNOWN_TOKEN", "M_MISSING_TOKEN"):
        raise SignInRequiredError(SIGN_IN.format(SOFT_LOGOUT if answer.get("soft_logout") else text.rstrip(".")))
    if code == "M_LIMIT_EXCEEDED":
        from openkoi_http.rate_limit_wait import parse_retry_headers  # Python's module of dates in mails

        wait = answer.get("retry_after_ms")
        seconds = wait / 1000 if isinstance(wait, int | float) else parse_retry_headers(headers)
        raise AppUnavailableError("Matrix rate limit reached.", retry_after=seconds or 1.0)
    if 400 <= status < 500:
        raise AppRejectedError(f"Matrix rejected the request: {text.rstrip('.')} ({code}).")
