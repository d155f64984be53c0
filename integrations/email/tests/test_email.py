"""The Email app against dovecot, with IDLE and XOAUTH2, and against an SMTP server."""

import asyncio
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any, ClassVar

import pytest
from mail_server import PASSWORD, MailServers, run_mail_servers
from tcp_relay import TcpRelay

from openkoi_email import Email
from openkoi_hookspecs.integrations import Post
from openkoi_testing import MessengerContract
from openkoi_testing.contracts.messenger import Counterpart
from openkoi_testing.contracts.messenger_harness import Account

KOI, ANN, BEN = "koi@koi.test", "ann@koi.test", "ben@koi.test"
PASSED = "mx.koi.test; dkim=pass header.d=koi.test; dmarc=pass (p=REJECT dis=none) header.from=koi.test"
PARSER = BytesParser(policy=policy.default)


class World:
    """Mail servers, and lines to them that can be cut."""

    def __init__(self, servers: MailServers) -> None:
        self.servers = servers
        self.imap, self.smtp = TcpRelay(servers.imap_port), TcpRelay(servers.smtp.port)

    def sign_in(self, folder: Path, address: str = KOI, **more: Any) -> Email:
        """Return the app as it is connected to a mailbox."""
        given: dict[str, Any] = {
            "folder": folder,
            "address": address,
            "imap": f"imap://127.0.0.1:{self.imap.port}",
            "smtp": f"smtp://127.0.0.1:{self.smtp.port}",
            "checked_by": "mx.koi.test",
            "password": PASSWORD,
            "idle_seconds": 20,
        }
        return Email(**{**given, **more})

    def deliver(self, to: str, **headers: str) -> str:
        """Let a mail arrive; ``body`` is its text, ``id`` its id. Return its id."""
        id = headers.pop("id", f"{uuid.uuid4().hex}@koi.test")
        body = headers.pop("body", "")
        mail = EmailMessage(policy=policy.SMTP)
        given = {"Authentication-Results": PASSED, "From": f"Ann <{ANN}>", "To": to, "Message-ID": f"<{id}>"}
        for name, value in {**given, **{key.replace("_", "-"): value for key, value in headers.items()}}.items():
            mail[name] = value
        mail.set_content(body)
        self.servers.deliver(to, mail.as_bytes())
        return id


class Ann:
    """Another user of the mail server; a channel is whoever a mail is between."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.koi = f"koi-{uuid.uuid4().hex[:8]}@koi.test"  # a mailbox of its own for each test
        self.channel, self.direct = f"{ANN},{BEN}", ANN
        self.mention = f"@{self.koi.partition('@')[0]}"
        world.servers.tokens.address = self.koi
        self.sent: list[EmailMessage] = []
        self.before = len(world.servers.sink.taken)

    def connect(self) -> Email:
        """Sign in as the assistant."""
        return self.world.sign_in(self.folder, self.koi)

    async def say(self, post: Post) -> str:
        """Write a mail."""
        mail = EmailMessage(policy=policy.SMTP)
        mail["Authentication-Results"] = PASSED
        mail["From"] = f"Ann <{ANN}>"
        mail["To"] = self.koi if post.channel == self.direct else BEN
        if post.channel != self.direct:
            mail["Cc"] = self.koi
        mail["Message-ID"] = f"<{uuid.uuid4().hex}@koi.test>"
        if post.thread:
            mail["In-Reply-To"] = mail["References"] = f"<{post.thread}>"
        mail.set_content(post.text)
        for file in post.attachments:
            kind, _, subtype = file.media_type.partition("/")
            mail.add_attachment(file.data, maintype=kind, subtype=subtype, filename=file.name)
        self.sent.append(mail)
        await asyncio.to_thread(self.world.servers.deliver, self.koi, mail.as_bytes())
        return str(mail["Message-ID"])[1:-1]

    async def change(self, post: Post) -> None:
        """Let the same mail arrive again, by another way: mails are never changed."""
        mail = next(one for one in self.sent if post.id in str(one["Message-ID"]))
        mail["Delivered-To"] = "koi-alias@koi.test"
        await asyncio.to_thread(self.world.servers.deliver, self.koi, mail.as_bytes())

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """Mail has no reactions."""
        raise NotImplementedError

    async def press(self, channel: str, id: str, value: str) -> None:
        """Mail has no buttons."""
        raise NotImplementedError

    async def read(self, channel: str) -> Sequence[Post]:
        """Look at the mails of a channel."""
        mails = [*self.sent, *self.world.servers.sink.taken[self.before :]]
        return [Post(plain_text(one), app="", channel=channel, id=str(one["Message-ID"])[1:-1]) for one in mails]

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Cut the lines."""
        with self.world.imap.outage(), self.world.smtp.outage():
            yield


def plain_text(mail: EmailMessage) -> str:
    """Return the text of a mail as it was written."""
    part = mail.get_body(("plain",))
    return str(part.get_content()).replace("\r\n", "\n").removesuffix("\n") if part else ""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Run the servers for all tests here."""
    with run_mail_servers(KOI) as servers:
        yield World(servers)


class TestEmail(MessengerContract):
    """What every messenger promises."""

    world: ClassVar[World]

    @pytest.fixture(autouse=True)
    def on_the_servers(self, world: World) -> None:
        """Use the servers of this file."""
        type(self).world = world

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Make a mailbox of its own."""
        yield Ann(self.world, folder)

    def test_a_post_that_comes_again_has_the_same_identity_and_an_edit_another(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[list[Post], list[Post]]:
            cursor = await account.current_cursor()
            id = await account.say("first")
            await account.say("second")
            posts = await account.receive_posts(cursor, 2)
            await other.change(replace(posts[0], id=id))
            await account.say("third")
            return posts, await account.receive_posts(cursor, 3)

        posts, again = self.run_story(other, story)

        assert ["first", "second", "third"] == [post.text for post in again]
        assert [post.identity for post in posts] == [post.identity for post in again[:2]]
