"""Implement a messenger whose posts are lines of a file: ids, cursors and revisions are offsets in it."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from openkoi_base.files.filelock import lock_beside
from openkoi_hookspecs import AppRejectedError
from openkoi_hookspecs.integrations import Attachment, Capabilities, Delivery, Post, PostKind, Sender, SenderKind
from openkoi_runlog import decode, encode

from .shared_folder import POLL_SECONDS, SharedFolder

CAPABILITIES = Capabilities(
    formats=("markdown", "plain"), threads=True, max_choices=5, max_file=10_000_000, edit_gap=0.0, idempotent=True
)


class PostsFile(SharedFolder):
    """Implement ``Messenger``, ``SupportsEdit`` and the other optional protocols of messengers."""

    user: str
    kind: SenderKind

    @property
    def capabilities(self) -> Capabilities:
        """The limits of posts."""
        return CAPABILITIES

    @property
    def posts(self) -> Path:
        """The file of posts."""
        self.require_folder()
        return self.path / "posts.jsonl"

    # What arrives

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Yield posts as they are appended."""
        place = int(cursor) if cursor else file_size(self.posts)
        yield Delivery(str(place))
        while True:
            for post, end in read_posts(self.posts, place):
                place = end
                yield Delivery(str(end), self.as_received(post))
            await asyncio.sleep(POLL_SECONDS)

    async def history(self, channel: str, *, thread: str = "", since: str = "", limit: int = 20) -> Sequence[Post]:
        """Return the last posts of a channel or thread, oldest first."""
        there = [one for one in self.current_posts() if one.channel == channel and one.at >= since]
        return [one for one in there if not thread or thread in (one.thread, one.id)][-limit:]

    async def search_posts(self, text: str, *, limit: int = 20) -> Sequence[Post]:
        """Find posts that contain a text, newest first."""
        return [one for one in self.current_posts()[::-1] if text.casefold() in one.text.casefold()][:limit]

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of an attachment."""
        place, _, number = attachment.ref.partition("/")
        post, _ = next(read_posts(self.posts, int(place)))
        yield post.attachments[int(number)].data

    # What is sent

    async def send(self, post: Post) -> str:
        """Append a post, unless one with its key exists."""
        refuse_unsendable(post)
        with self.lock_posts():
            known = (
                one.id for one, _ in read_posts(self.posts) if post.key and self.is_own(one) and one.key == post.key
            )
            return next(known, "") or self.append(post)

    async def edit(self, post: Post) -> str:
        """Append the edited post."""
        refuse_unsendable(post)
        self.append_change(replace(post, kind=PostKind.EDITED), post.id, own=True)
        return post.id

    async def delete(self, channel: str, id: str) -> None:
        """Append the deletion of a post."""
        self.append_change(Post("", app="", channel=channel, id=id, kind=PostKind.DELETED), id, own=True)

    async def add_reaction(self, channel: str, id: str, emoji: str) -> None:
        """Append a reaction."""
        self.append_change(Post("", app="", channel=channel, reply_to=id, choice=emoji, kind=PostKind.REACTION), id)

    async def remove_reaction(self, channel: str, id: str, emoji: str) -> None:
        """Append the deletion of a reaction."""
        mine = [
            one for one, _ in read_posts(self.posts) if self.is_own(one) and (one.reply_to, one.choice) == (id, emoji)
        ]
        for reaction in mine:
            self.append_change(Post("", app="", channel=channel, id=reaction.id, kind=PostKind.DELETED), id)

    async def press(self, channel: str, id: str, value: str) -> None:
        """Press a button of a post, as its reader does."""
        self.append_change(Post("", app="", channel=channel, reply_to=id, choice=value, kind=PostKind.PRESS), id)

    # The file

    def append_change(self, post: Post, id: str, *, own: bool = False) -> None:
        """Append a change of a post.

        Raise AppRejectedError if no post has this id, or if another account wrote it.
        """
        with self.lock_posts():
            there = (one for one in self.current_posts() if (one.channel, one.id) == (post.channel, id))
            if not any(self.is_own(one) or not own for one in there):
                raise AppRejectedError(f"{self.user} has no post {id} in {post.channel}.")
            self.append(post)

    def append(self, post: Post) -> str:
        """Append a post; return its id. A line that a killed process left incomplete is ended first."""
        with self.posts.open("ab") as file:
            if file.tell() and last_byte(self.posts) != b"\n":
                file.write(b"\n")
            offset, now = str(file.tell()), datetime.now(UTC).isoformat(timespec="microseconds")
            sender = Sender(self.user, name=self.user, kind=self.kind, authenticated=True)
            revision = offset if post.id else ""
            written = replace(post, app="", sender=sender, at=now, id=post.id or offset, revision=revision)
            file.write(json.dumps(encode(written)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        return written.id

    @contextmanager
    def lock_posts(self) -> Iterator[None]:
        """Lock the file for appending."""
        with lock_beside(self.posts):
            yield

    def as_received(self, post: Post) -> Post:
        """Return a post as this account receives it."""
        files = tuple(
            replace(one, ref=f"{post.id}/{n}", size=len(one.data), data=b"") for n, one in enumerate(post.attachments)
        )
        return replace(
            post,
            app=self.name,
            account=self.user,
            attachments=files,
            direct=post.channel.startswith("@"),
            mentioned=f"@{self.user}" in post.text,
            sender=replace(post.sender, kind=SenderKind.SELF) if self.is_own(post) else post.sender,
        )

    def is_own(self, post: Post) -> bool:
        """Return whether this account wrote it."""
        return post.sender.id == self.user

    def current_posts(self) -> list[Post]:
        """Return the current state of all posts: edited, and without deleted ones."""
        posts: dict[str, Post] = {}
        for post in (self.as_received(one) for one, _ in read_posts(self.posts)):
            match post.kind:
                case PostKind.NEW:
                    posts[post.id] = post
                case PostKind.EDITED if post.id in posts:
                    posts[post.id] = replace(posts[post.id], text=post.text, choices=post.choices)
                case PostKind.DELETED:
                    posts.pop(post.id, None)
        return list(posts.values())


def refuse_unsendable(post: Post) -> None:
    """Raise AppRejectedError for a post that exceeds the app's limits."""
    if CAPABILITIES.length(post.text) > CAPABILITIES.max_text:
        raise AppRejectedError(f"The text has more than {CAPABILITIES.max_text:,} characters.")
    if len(post.choices) > CAPABILITIES.max_choices:
        raise AppRejectedError(f"The post has more than {CAPABILITIES.max_choices} buttons.")
    if any(len(one.data) > CAPABILITIES.max_file for one in post.attachments):
        raise AppRejectedError(f"An attachment has more than {CAPABILITIES.max_file:,} bytes.")


def file_size(file: Path) -> int:
    """Return the size of a file; 0 for a missing one."""
    return file.stat().st_size if file.exists() else 0


def read_posts(file: Path, start: int = 0) -> Iterator[tuple[Post, int]]:
    """Yield the posts from an offset on, each with where it ends; skip an incomplete one."""
    if start >= file_size(file):
        return
    with file.open("rb") as lines:
        lines.seek(start)
        for line in lines:
            start += len(line)
            if line.endswith(b"}\n"):
                yield decode(Post, json.loads(line)), start


def last_byte(file: Path) -> bytes:
    """Return the last byte of a file."""
    with file.open("rb") as opened:
        opened.seek(-1, os.SEEK_END)
        return opened.read()
