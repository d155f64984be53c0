"""Test the Email app with dovecot, including IDLE and XOAUTH2, and with an SMTP server."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from mail_server import PASSWORD, MailServers, run_mail_servers
from tcp_relay import TcpRelay

from openkoi_email import Email
from openkoi_email.mailbox import Login, Mailbox
from openkoi_email.writing import make_mail
from openkoi_hookspecs import AppRejectedError, AppUnavailableError, SignInRequiredError
from openkoi_hookspecs.integrations import Delivery, Post
from openkoi_testing.contracts.messenger import (
    Counterpart,
    DownloadContract,
    HistoryContract,
    MessengerContract,
    PostSearchContract,
    ThreadsContract,
)
from openkoi_testing.contracts.messenger_harness import Account
from openkoi_testing.markdown_samples import count_letters, count_letters_in_html, draw_markdown, without_numbers

KOI, ANN, BEN = "koi@koi.test", "ann@koi.test", "ben@koi.test"
PASSED = "mx.koi.test; dkim=pass header.d=koi.test; dmarc=pass (p=REJECT dis=none) header.from=koi.test"
T = TypeVar("T")
PARSER = BytesParser(policy=policy.default)


class World:
    """Mail servers, with connections that can be cut."""

    def __init__(self, servers: MailServers) -> None:
        self.servers = servers
        self.imap, self.smtp = TcpRelay(servers.imap_port), TcpRelay(servers.smtp.port)

    def sign_in(self, folder: Path, address: str = KOI, **more: Any) -> Email:
        """Return the app, connected to a mailbox."""
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

    def open(self, story: Callable[[Email], Awaitable[T]], folder: Path, address: str, **more: Any) -> T:
        """Run a scenario with a mailbox."""
        return asyncio.run(self.run(story, self.sign_in(folder, address, **more)))

    async def run(self, story: Callable[[Email], Awaitable[T]], app: Email) -> T:
        """Run a scenario with a time limit."""
        async with asyncio.timeout(60):
            return await story(app)

    def deliver(self, to: str, **headers: str) -> str:
        """Deliver an email; ``body`` is its text, ``id`` its id. Return its id."""
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
    """Another user of the mail server; a channel is the set of an email's other addresses."""

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
        """Deliver the same email again, by another path, because emails are never changed."""
        mail = next(one for one in self.sent if post.id in str(one["Message-ID"]))
        mail["Delivered-To"] = "koi-alias@koi.test"
        await asyncio.to_thread(self.world.servers.deliver, self.koi, mail.as_bytes())

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """Email has no reactions."""
        raise AssertionError("mail has none")

    async def press(self, channel: str, id: str, value: str) -> None:
        """Email has no buttons."""
        raise AssertionError("mail has none")

    async def read(self, channel: str) -> Sequence[Post]:
        """Return the emails of a channel."""
        mails = [*self.sent, *self.world.servers.sink.taken[self.before :]]
        return [Post(plain_text(one), app="", channel=channel, id=str(one["Message-ID"])[1:-1]) for one in mails]

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Cut the lines."""
        with self.world.imap.outage(), self.world.smtp.outage():
            yield


def plain_text(mail: EmailMessage) -> str:
    """Return the original text of an email."""
    part = mail.get_body(("plain",))
    return str(part.get_content()).replace("\r\n", "\n").removesuffix("\n") if part else ""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Run the servers for all tests here."""
    with run_mail_servers(KOI) as servers:
        yield World(servers)


class TestEmail(
    DownloadContract,
    HistoryContract,
    PostSearchContract,
    ThreadsContract,
    MessengerContract,
):
    """Test the app with the contract of all messengers."""

    world: ClassVar[World]

    @pytest.fixture(autouse=True)
    def on_the_servers(self, world: World) -> None:
        """Use the servers of this file."""
        type(self).world = world

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Create a separate mailbox."""
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


def mailbox_name() -> str:
    """Return the address of a new mailbox."""
    return f"koi-{uuid.uuid4().hex[:8]}@koi.test"


async def next_post(deliveries: AsyncGenerator[Delivery, None]) -> Delivery:
    """Wait for the next post."""
    async for one in deliveries:
        if one.post:
            return one
    raise AssertionError("it ended")


def test_a_mail_is_pushed_and_not_polled_for(world: World, tmp_path: Path) -> None:
    address = mailbox_name()

    async def story(app: Email) -> list[str]:
        texts = []
        async with aclosing(app.watch()) as deliveries:
            await anext(deliveries)
            for number in range(3):
                waiting = asyncio.ensure_future(next_post(deliveries))
                await asyncio.sleep(0.05 * number)
                world.deliver(address, body=f"mail {number}")
                async with asyncio.timeout(20):  # it would be polled for after 600
                    found = await waiting
                texts.append(found.post.text if found.post else "")
        return texts

    assert ["mail 0", "mail 1", "mail 2"] == world.open(story, tmp_path, address, idle_seconds=600)


def test_a_connection_that_says_nothing_is_found(world: World) -> None:
    mailbox = Mailbox(f"imap://127.0.0.1:{world.imap.port}", Login(KOI, PASSWORD), answer_seconds=2.0)
    mailbox.open()
    mailbox.wait(0.1)
    with world.imap.silence(), pytest.raises(AppUnavailableError, match="could not be reached"):
        mailbox.run(lambda: mailbox.wait(0.1))
    mailbox.close()


def test_a_mailbox_whose_numbers_begin_anew_loses_no_mail(world: World, tmp_path: Path) -> None:
    address = mailbox_name()

    async def story(app: Email) -> list[str]:
        world.deliver(address, body="old")
        async with aclosing(app.watch()) as deliveries:
            cursor = (await anext(deliveries)).cursor
        validity, uid, day = cursor.split(":")
        world.deliver(address, body="meanwhile")
        async with aclosing(app.watch(f"{int(validity) + 1}:9{uid}:{day}")) as deliveries:
            found = [await next_post(deliveries) for _ in range(2)]
        return [one.post.text for one in found if one.post]

    assert ["old", "meanwhile"] == world.open(story, tmp_path, address)


def test_oauth_signs_in_renews_its_tokens_and_keeps_those_that_replace_them(world: World, tmp_path: Path) -> None:
    address = mailbox_name()
    world.servers.tokens.address = address
    oauth = {
        "password": "",
        "refresh_token": "refresh-0",
        "client_id": "koi",
        "token_url": f"{world.servers.oauth_url}/token",
    }

    async def story(app: Email) -> dict[str, str]:
        await app.send(Post("by token", app="email", channel=ANN))
        world.servers.tokens.valid.clear()  # the server forgets what it issued
        with pytest.raises(SignInRequiredError):
            await app.health()
        return await app.health()

    health = world.open(story, tmp_path, address, **oauth)
    again = world.open(lambda app: app.health(), tmp_path, address, **oauth)
    world.servers.tokens.refresh_tokens.clear()
    with pytest.raises(SignInRequiredError, match="openkoi connect email"):
        world.open(lambda app: app.health(), tmp_path, address, **oauth)

    assert {"mailbox": address, "senders are checked by": "mx.koi.test"} == health == again
    assert "by token" == plain_text(world.servers.sink.taken[-1])
    assert 0o600 == (tmp_path / "refresh-token.json").stat().st_mode & 0o777


def test_a_mail_that_is_sent_again_has_its_id_and_a_refusal_says_whether_it_may_work_later(
    world: World, tmp_path: Path
) -> None:
    address = mailbox_name()
    post = Post("the answer", app="email", channel=ANN, key="k1")

    async def story(app: Email) -> list[str]:
        world.servers.sink.refuse = "451 later"
        with pytest.raises(AppUnavailableError):
            await app.send(post)
        world.servers.sink.refuse = "550 never"
        with pytest.raises(AppRejectedError):
            await app.send(post)
        world.servers.sink.refuse = ""
        return [await app.send(post) for _ in range(2)]

    before = len(world.servers.sink.taken)
    ids = world.open(story, tmp_path, address)
    sent = world.servers.sink.taken[before:]

    assert 1 == len(set(ids))
    assert [f"<{id}>" for id in ids] == [mail["Message-ID"] for mail in sent]


def test_an_answer_is_in_the_thread_and_nothing_answers_it(world: World, tmp_path: Path) -> None:
    address = mailbox_name()
    root = world.deliver(address, subject="Koi pond", body="How deep?")
    before = len(world.servers.sink.taken)

    async def story(app: Email) -> None:
        answer = Post("**80** cm\n\n- deep\n- <b>cold</b>", app="email", channel=ANN, thread=root, format="markdown")
        answer = replace(answer, reply_to="second@koi.test", subject="Koi pond")
        await app.send(answer)
        assert "" == await app.send(replace(answer, text="Working on it ...", partial=True))
        for bad in ("ann", "a@b.c\r\nBcc: eve@evil.test", ""):
            with pytest.raises(AppRejectedError):
                await app.send(Post("x", app="email", channel=bad))

    world.open(story, tmp_path, address)
    (mail,) = world.servers.sink.taken[before:]
    html = mail.get_body(("html",))

    assert ("Re: Koi pond", "<second@koi.test>") == (mail["Subject"], mail["In-Reply-To"])
    assert f"<{root}> <second@koi.test>" == mail["References"]
    assert (address, ANN, "auto-replied") == (mail["From"], mail["To"], mail["Auto-Submitted"])
    assert html is not None
    assert "<strong>80</strong> cm" in html.get_content()
    assert "&lt;b&gt;cold" in html.get_content()


def test_three_hundred_samples_of_markdown_arrive_whole() -> None:
    for seed in range(300):
        text = draw_markdown(seed)
        mail = PARSER.parsebytes(make_mail(Post(text, app="email", channel=ANN, format="markdown"), KOI).as_bytes())
        html = mail.get_body(("html",))

        assert text.rstrip("\n") == plain_text(mail).rstrip("\n")
        assert html is not None
        assert not count_letters(without_numbers(text)) - count_letters_in_html(str(html.get_content()))


def test_a_wrong_password_names_the_way_out(world: World, tmp_path: Path) -> None:
    for given in ({"password": "wrong"}, {"password": ""}):
        with pytest.raises(SignInRequiredError, match="openkoi connect email"):
            world.open(lambda app: app.health(), tmp_path, KOI, **given)
