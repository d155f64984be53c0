"""Queue outgoing messages (the outbox): store them, send them in order within rate limits, resend after a failure."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from enum import StrEnum
from functools import partial
from time import time

from openkoi_hookspecs import AppRejectedError, AppUnavailableError, Koi, KoiError, SignInRequiredError
from openkoi_hookspecs.integrations import Attachment, Messenger, Post, SupportsEdit
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import decode, encode

from .database import delete_old, transaction, write
from .rate_limits import RateLimits

REPEATED = "(Sent again after an interruption; you may already have this message.)\n\n"
KEPT_SECONDS = 7 * 24 * 3600.0  # after it was sent, so that a repeated post is recognised (estimate)
CLOSE_SECONDS = 5.0  # for posts that are being sent when the daemon stops
SIGN_IN_SECONDS = 60.0  # how often a post is tried where the user must sign in


class Stage(StrEnum):
    """The stage of a post. A LOST one may have been sent by a process that was killed meanwhile."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    LOST = "lost"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A post to send once. ``replaces`` is the key of an earlier post to edit instead, if that is possible."""

    post: Post
    replaces: str = ""

    @property
    def key(self) -> str:
        """The key under which it is stored."""
        return self.post.key


@dataclass(slots=True)
class Outbox:
    """Sends posts with the apps of a ``Koi``. ``rate_limits`` say when each app may be called again.

    ``refused`` is called with an app that rejects a post, ``accepted`` with an app that accepts one.
    """

    koi: Koi
    database: sqlite3.Connection
    rate_limits: dict[str, RateLimits] = field(default_factory=dict)
    senders: dict[tuple[str, str], asyncio.Task[None]] = field(default_factory=dict)
    delivering: set[tuple[str, str]] = field(default_factory=set)
    refused: Callable[[str, KoiError], None] = field(default=lambda app, error: None)
    accepted: Callable[[str], None] = field(default=lambda app: None)
    closed: bool = False

    def limits(self, app: str) -> RateLimits:
        """Return when an app may be called again."""
        return self.rate_limits.setdefault(app, RateLimits())

    # What is kept

    def put(self, *posts: Outgoing) -> None:
        """Store posts, without secrets; those that are already known stay unchanged."""
        with transaction(self.database):
            for one in posts:
                clean = redact_post(one.post, self.koi.redact)
                kept = (one.key, clean.app, clean.channel, Stage.QUEUED, json.dumps(encode(clean)), one.replaces)
                self.database.execute(
                    "INSERT OR IGNORE INTO outbox (key, app, channel, state, post, replaces, at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*kept, time()),
                )

    def sent_id(self, key: str) -> str:
        """Return the id with which a post was sent; empty if it was not sent yet."""
        row = self.database.execute("SELECT sent_id FROM outbox WHERE key = ?", (key,)).fetchone()
        return str(row["sent_id"]) if row else ""

    def is_sent(self, key: str) -> bool:
        """Return whether a post was sent."""
        query = "SELECT 1 FROM outbox WHERE key = ? AND state = ?"
        return self.database.execute(query, (key, Stage.SENT)).fetchone() is not None

    def find(self, key: str) -> Post | None:
        """Return a post by its key."""
        row = self.database.execute("SELECT post FROM outbox WHERE key = ?", (key,)).fetchone()
        return decode(Post, json.loads(row["post"])) if row else None

    def key_of(self, app: str, channel: str, sent_id: str) -> str:
        """Return the key of the post that was sent with an id."""
        query = "SELECT key FROM outbox WHERE app = ? AND channel = ? AND sent_id = ? ORDER BY seq DESC LIMIT 1"
        row = self.database.execute(query, (app, channel, sent_id)).fetchone()
        return str(row["key"]) if row else ""

    def counts(self) -> dict[str, int]:
        """Return how many posts there are at each stage."""
        rows = self.database.execute("SELECT state, COUNT(*) AS n FROM outbox GROUP BY state")
        return {str(row["state"]): int(row["n"]) for row in rows}

    def prune(self) -> None:
        """Delete posts that were sent long ago."""
        delete_old(self.database, "outbox", [Stage.SENT, Stage.LOST, Stage.FAILED], KEPT_SECONDS)

    def mark(self, key: str, stage: Stage, sent_id: str = "") -> None:
        """Set the stage of a post."""
        write(
            self.database,
            "UPDATE outbox SET state = ?, sent_id = CASE WHEN ? = '' THEN sent_id ELSE ? END WHERE key = ?",
            (stage, sent_id, sent_id, key),
        )

    def drop_files(self, post: Post) -> None:
        """Delete the files of a sent post, which is kept only so that it is recognised."""
        if post.attachments:
            kept = json.dumps(encode(replace(post, attachments=())))
            write(self.database, "UPDATE outbox SET post = ? WHERE key = ?", (kept, post.key))

    def next_post(self, app: str, channel: str) -> tuple[Post, str] | None:
        """Return the oldest queued post of a channel, and the key of the post that it replaces."""
        query = "SELECT post, replaces FROM outbox WHERE state = ? AND app = ? AND channel = ? ORDER BY seq LIMIT 1"
        row = self.database.execute(query, (Stage.QUEUED, app, channel)).fetchone()
        return (decode(Post, json.loads(row["post"])), str(row["replaces"])) if row else None

    # What is sent

    async def recover(self, app: str, channel: str) -> None:
        """Repeat posts to a channel that may have been sent by an earlier process, or before the disk was full."""
        query = "SELECT key FROM outbox WHERE state = ? AND app = ? AND channel = ?"
        for row in self.database.execute(query, (Stage.SENDING, app, channel)).fetchall():
            messenger = await self.koi.load("integrations", app)
            if isinstance(messenger, Messenger):
                self.repeat(str(row["key"]), messenger)

    def repeat(self, key: str, messenger: Messenger) -> None:
        """Queue a post again that may have been sent already; unless repeating it is harmless, note that in its text.

        If the service has no keys, a progress post is dropped, an answer is marked, and an edit is simply repeated.
        """
        row = self.database.execute("SELECT post, replaces FROM outbox WHERE key = ?", (key,)).fetchone()
        post = decode(Post, json.loads(row["post"]))
        edits = bool(row["replaces"] and self.sent_id(row["replaces"]))
        if messenger.capabilities.idempotent or edits:
            self.mark(key, Stage.QUEUED)
        elif post.partial:
            self.mark(key, Stage.LOST)
        else:
            marked = replace(post, text=REPEATED + post.text.removeprefix(REPEATED))
            query = "UPDATE outbox SET state = ?, post = ? WHERE key = ?"
            write(self.database, query, (Stage.QUEUED, json.dumps(encode(marked)), key))

    def wake(self, app: str, channels: Iterable[str] | None = None) -> None:
        """Start sending the queued posts for these channels of an app, or for all of them."""
        if channels is None:
            query = "SELECT DISTINCT channel FROM outbox WHERE state IN (?, ?) AND app = ?"
            rows = self.database.execute(query, (Stage.QUEUED, Stage.SENDING, app))
            channels = [str(row["channel"]) for row in rows]
        for channel in channels:
            place = (app, channel)
            if not self.closed and place not in self.senders:
                self.senders[place] = asyncio.create_task(self.send_all(app, channel))
                self.senders[place].add_done_callback(partial(self.end_sender, place))

    def end_sender(self, place: tuple[str, str], task: "asyncio.Task[None]") -> None:
        """Remove a finished sender, and start again if a post was queued meanwhile; report a failed one."""
        self.senders.pop(place, None)
        if task.cancelled():
            return
        if error := task.exception():
            self.koi.warn(f"Posts to {place[0]} cannot be sent: {error}")
        elif self.next_post(*place):
            self.wake(place[0], [place[1]])

    async def send_all(self, app: str, channel: str) -> None:
        """Send the queued posts of a channel, one after the other."""
        limits = self.limits(app)
        await self.recover(app, channel)
        while self.next_post(app, channel):
            await limits.wait(channel)
            if self.closed or not (found := self.next_post(app, channel)):
                return
            post, replaces = found
            self.mark(post.key, Stage.SENDING)
            await self.send_one(post, self.sent_id(replaces) if replaces else "", limits)

    async def send_one(self, post: Post, edited: str, limits: RateLimits) -> None:
        """Send a post, or edit the post with this id; record the outcome."""
        self.delivering.add((post.app, post.channel))
        try:
            id = await self.deliver(post, edited)
        except AppUnavailableError as error:
            app = await self.koi.load("integrations", post.app)
            if error.uncertain and isinstance(app, Messenger):
                self.repeat(post.key, app)
            else:
                self.mark(post.key, Stage.QUEUED)
            limits.block(error, post.channel)
        except SignInRequiredError as error:
            self.mark(post.key, Stage.QUEUED)
            self.koi.warn(str(error))
            self.refused(post.app, error)
            limits.hold(SIGN_IN_SECONDS)
        except KoiError as error:
            self.mark(post.key, Stage.FAILED)
            self.koi.warn(f"A post to {post.app} could not be sent: {error}")
            self.refused(post.app, error)
        else:
            limits.succeed(post.channel)
            self.mark(post.key, Stage.SENT, id)
            self.accepted(post.app)
            self.drop_files(post)
        finally:
            self.delivering.discard((post.app, post.channel))

    async def deliver(self, post: Post, edited: str) -> str:
        """Send a post in the best way that the service accepts: as an edit, as a new post, or as plain text."""
        app = await self.koi.load("integrations", post.app)
        if edited and isinstance(app, SupportsEdit):
            try:
                return await self.send_readable(replace(post, id=edited))
            except AppRejectedError:  # deleted by the user, or too old to be edited: from now on it is a new post
                write(self.database, "UPDATE outbox SET replaces = '' WHERE key = ?", (post.key,))
        return await self.send_readable(post)

    async def send_readable(self, post: Post) -> str:
        """Send a post, and again as plain text if the service cannot read its format."""
        try:
            return await self.koi.send(post)
        except AppRejectedError as error:
            if not error.unreadable_format or post.format == "plain":
                raise
            return await self.koi.send(replace(post, format="plain"))

    async def close(self) -> None:
        """Stop sending; the next process sends the rest."""
        self.closed = True
        for place, task in self.senders.items():
            if place not in self.delivering:
                task.cancel()
        tasks = list(self.senders.values())
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def redact_post(post: Post, redact: Callable[[str], str]) -> Post:
    """Mask the secrets in a post, its buttons and its files."""
    choices = tuple(replace(one, label=redact(one.label)) for one in post.choices)
    files = tuple(replace(one, name=redact(one.name), data=redact_file(one, redact)) for one in post.attachments)
    clean = replace(post, text=redact(post.text), subject=redact(post.subject))
    return replace(clean, choices=choices, attachments=files)


def redact_file(file: Attachment, redact: Callable[[str], str]) -> bytes:
    """Mask the secrets in a text file."""
    try:
        return redact(file.data.decode()).encode()
    except UnicodeDecodeError:
        return file.data
