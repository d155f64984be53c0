"""Watch a mailbox by IMAP, and answer by SMTP. Both block, so they are called in threads."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

from openkoi_base.files.private_files import replace_file
from openkoi_hookspecs import AppRejectedError, DataDir, Env, Koi, Question, SignInRequiredError
from openkoi_hookspecs.integrations import Attachment, Capabilities, Delivery, Post, SenderKind
from openkoi_http.oauth import AccessToken, OAuthClient, request_device_code, wait_for_refresh_token

from .mailbox import PARSE_ERRORS, Login, Mail, Mailbox, quote, translate
from .reading import part_data, parts_of, plain_header, read_mail
from .sent_mail import Filed, begin_sending, end_sending
from .servers import Servers, servers_of
from .text import MAX_TEXT
from .writing import Thread, check_addresses, make_id, make_mail, submit

T = TypeVar("T")
IDLE_SECONDS = 60  # then the server has to answer; RFC 2177 allows 29 minutes, but a deaf connection is found sooner
RECENT = 100  # mails that are looked through for those of one channel
MAX_THREADS = 1_000  # whose subjects are kept for answers
SIGN_IN = "Email is not signed in. Run `openkoi connect email`."
REPEATED = "(Sent again after a restart; you may have received it already.)\n\n"
ASK_ADDRESS = "The address of a mailbox that you created for the assistant"
ASK_PASSWORD = "Its password, or an app password"
ASK_CODE = "Open {0} and enter {1}. Once you have signed in there, press y and Enter"
ASK_CHECKED_BY = (
    "The server that checks mail for you: the first word after 'Authentication-Results:' in the source of a mail that "
    "this mailbox received, such as mx.example.org"
)
NO_CHECK = "no server, so all mail is ignored: set integrations.email.checked_by"


class Email:
    """A mailbox. ``[integrations.email]``: ``imap`` is imaps://HOST:PORT, ``smtp`` smtps://HOST:PORT; with imap:// and
    smtp://, TLS begins later. ``checked_by`` is the server whose word on the senders of mails counts.
    """

    capabilities = Capabilities(
        max_text=MAX_TEXT, formats=("markdown", "plain"), threads=True, max_file=20_000_000, idempotent=True
    )

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("email")],
        address: str = "",
        user: str = "",
        imap: str = "",
        smtp: str = "",
        checked_by: str = "",
        password: Annotated[str, Env("EMAIL_PASSWORD", secret=True)] = "",
        refresh_token: Annotated[str, Env("EMAIL_REFRESH_TOKEN", secret=True)] = "",
        client_id: str = "",
        client_secret: Annotated[str, Env("EMAIL_CLIENT_SECRET", secret=True)] = "",
        token_url: str = "",
        device_url: str = "",
        scope: str = "",
        idle_seconds: int = IDLE_SECONDS,
    ) -> None:
        self.folder, self.address, self.user = folder, address.lower(), user
        self.given = Servers(imap, smtp, checked_by, token_url, device_url, scope)
        self.client_id, self.client_secret = client_id, client_secret
        self.password, self.refresh_token, self.idle_seconds = password, refresh_token, idle_seconds
        self.threads: dict[str, Thread] = {}
        self.open()

    def open(self) -> None:
        """Use the servers of the address, but for those that are configured; nothing is connected yet."""
        known = servers_of(self.address)
        self.servers = Servers(*(own or usual for own, usual in zip(self.given, known, strict=True)))
        self.token = AccessToken(self.oauth_client(), self.load_token(), self.keep_token, SIGN_IN)

    def oauth_client(self) -> OAuthClient:
        """Return what signs in by OAuth."""
        return OAuthClient(
            client_id=self.client_id,
            client_secret=self.client_secret,
            token_url=self.servers.token_url,
            device_url=self.servers.device_url,
            scope=self.servers.scope,
        )

    def load_token(self) -> str:
        """Return the refresh token that replaced the saved one, else that itself."""
        file = self.folder / "refresh-token.json"
        kept = json.loads(file.read_text()) if self.refresh_token and file.exists() else {}
        return str(kept["now"]) if kept.get("first") == self.refresh_token else self.refresh_token

    def keep_token(self, token: str) -> None:
        """Keep a refresh token that replaces the one before."""
        replace_file(self.folder / "refresh-token.json", json.dumps({"first": self.refresh_token, "now": token}))

    async def login(self) -> Login:
        """Return how to sign in now."""
        if not self.address or not (self.password or self.refresh_token):
            raise SignInRequiredError(SIGN_IN)
        if self.refresh_token:
            return Login(self.user or self.address, token=await self.token.get())
        return Login(self.user or self.address, self.password)

    async def use(self, work: Callable[[Mailbox], T]) -> T:
        """Do something with a connection of its own."""
        mailbox = Mailbox(self.servers.imap, await self.login())
        try:
            await self.block(mailbox, mailbox.open)
            return await self.block(mailbox, lambda: work(mailbox))
        finally:
            mailbox.close()

    async def block(self, mailbox: Mailbox, work: Callable[[], T]) -> T:
        """Do something with a connection in a thread, until it is closed."""

        def run() -> T:
            with translate(mailbox.url):
                return work()

        try:
            return await asyncio.to_thread(run)
        except SignInRequiredError:
            self.token.forget()
            raise

    async def health(self) -> dict[str, str]:
        """Return which mailbox it is, and whose word on senders counts."""
        await self.use(lambda mailbox: mailbox.validity)
        return {"mailbox": self.address, "senders are checked by": self.servers.checked_by or NO_CHECK}

    async def connect(self, koi: Koi) -> str:
        """Ask for the mailbox, prove it by signing in to both servers, and save what it takes."""
        (self.address,) = check_addresses((await koi.ask(Question(ASK_ADDRESS)) or "").strip().lower())[:1]
        self.open()
        await self.sign_in(koi)
        await self.health()
        await asyncio.to_thread(submit, self.servers.smtp, await self.login(), None)
        checked_by = self.servers.checked_by or (await koi.ask(Question(ASK_CHECKED_BY)) or "").strip()
        koi.save_key("email.password", self.password)
        koi.save_key("email.refresh_token", self.refresh_token)
        koi.set_setting("integrations.email.address", self.address)
        koi.set_setting("integrations.email.checked_by", checked_by)
        return self.address

    async def sign_in(self, koi: Koi) -> None:
        """Take a password, or a refresh token where a client of OAuth is configured."""
        self.password = self.refresh_token = ""
        if self.client_id and self.servers.device_url:
            device = await request_device_code(self.oauth_client())
            await koi.ask(Question(ASK_CODE.format(device.url, device.user_code)))
            self.refresh_token = await wait_for_refresh_token(self.oauth_client(), device)
        else:
            self.password = (await koi.ask(Question(ASK_PASSWORD, secret=True)) or "").strip()
        koi.conceal(self.refresh_token or self.password, "the sign-in of Email")
        self.open()

    # What arrives

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Yield the mails after a cursor, then those that come. A cursor is the number of a mail, and a day."""
        mailbox = Mailbox(self.servers.imap, await self.login())
        try:
            await self.block(mailbox, mailbox.open)
            last = await self.block(mailbox, lambda: find_start(mailbox, cursor))
            yield Delivery(write_cursor(mailbox.validity, last))
            while True:
                uids = await self.block(mailbox, partial(mailbox.list_since, last))
                for last in uids:
                    yield Delivery(write_cursor(mailbox.validity, last), await self.read_new(mailbox, last))
                if not uids and not mailbox.has_news():
                    await self.block(mailbox, lambda: mailbox.wait(self.idle_seconds))
                    yield Delivery(write_cursor(mailbox.validity, last))
        finally:
            mailbox.close()

    async def read_new(self, mailbox: Mailbox, uid: int) -> Post | None:
        """Return a mail that arrived. Of one whose sender is not proved only the headers are read."""
        head = await self.block(mailbox, partial(mailbox.fetch, uid, head=True))
        post = self.read(head) if head else None
        if post is None or post.sender.kind is not SenderKind.PERSON or not post.sender.authenticated:
            return post
        mail = await self.block(mailbox, partial(mailbox.fetch, uid))
        return self.read(mail) if mail else None

    def read(self, mail: Mail) -> Post:
        """Return a mail as a post; note how its thread is answered."""
        try:
            post = read_mail(mail, self.address, self.servers.checked_by)
        except (*PARSE_ERRORS, RecursionError):
            post = read_mail(mail._replace(message=EmailMessage()), self.address, self.servers.checked_by)
        if post.sender.kind is not SenderKind.SELF:
            known = self.threads.pop(post.thread or post.id, Thread(plain_header(mail.message, "subject")))
            self.threads[post.thread or post.id] = known._replace(references=(post.id,))
            while len(self.threads) > MAX_THREADS:
                del self.threads[next(iter(self.threads))]
        return post

    async def history(self, channel: str, *, thread: str = "", since: str = "", limit: int = 20) -> Sequence[Post]:
        """Return the last mails of a channel or thread that arrived, oldest first."""
        criteria = ["OR", "HEADER", "Message-ID", quote(thread), "HEADER", "References", quote(thread)]
        found = await self.use(lambda mailbox: recent(mailbox, *(criteria if thread else ["ALL"])))
        posts = [self.read(one) for one in found]
        return [one for one in posts if one.channel == channel and one.at >= since][-limit:]

    async def search_posts(self, text: str, *, limit: int = 20) -> Sequence[Post]:
        """Find mails by their words, the newest first."""
        found = await self.use(lambda mailbox: recent(mailbox, "TEXT", words=text))
        return [self.read(one) for one in reversed(found)][:limit]

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield a file in pieces."""
        validity, uid, number = attachment.ref.split(":")
        mail = await self.use(lambda mailbox: mailbox.fetch(int(uid)) if mailbox.validity == validity else None)
        parts = parts_of(mail.message) if mail else []
        if int(number) >= len(parts):
            raise AppRejectedError(f"The mail with {attachment.name!r} is not there any more.")
        yield part_data(parts[int(number)])

    # What is sent

    async def send(self, post: Post) -> str:
        """Send a mail, once for each key. A partial one is not sent: mails cannot be edited, and the whole follows."""
        if post.partial:
            return ""
        id = make_id(post, self.address)
        thread = await self.thread_of(post) if post.thread else Thread()
        mail = make_mail(post, self.address, id, thread)
        filed = await self.use(lambda mailbox: begin_sending(mailbox, id, mail.as_bytes()))
        if filed is Filed.SENT:
            return id
        if filed is Filed.UNSURE:
            again = Post(REPEATED + post.text[: MAX_TEXT - len(REPEATED)], app=post.app, channel=post.channel)
            mail = make_mail(again, self.address, id, thread)
        await asyncio.to_thread(submit, self.servers.smtp, await self.login(), mail)
        await self.use(lambda mailbox: end_sending(mailbox, id))
        return id

    async def thread_of(self, post: Post) -> Thread:
        """Return how a thread is answered; one that is unknown here is looked up."""
        if post.thread not in self.threads:
            with suppress(AppRejectedError):
                await self.history(post.channel, thread=post.thread)
        return self.threads.get(post.thread, Thread())


def find_start(mailbox: Mailbox, cursor: str) -> int:
    """Return the number of the last mail seen; of the last before its day if the server counts from 1 again."""
    if not cursor:
        return mailbox.next_uid - 1
    validity, uid, day = cursor.split(":")
    if validity == mailbox.validity:
        return int(uid)
    since = datetime.fromisoformat(day) - timedelta(days=1)
    _, number, month, year, *_ = format_datetime(since).split()
    return min(mailbox.search("SINCE", f"{number}-{month}-{year}"), default=mailbox.next_uid) - 1


def write_cursor(validity: str, uid: int) -> str:
    """Return the cursor after a mail."""
    return f"{validity}:{uid}:{datetime.now(UTC).date()}"


def recent(mailbox: Mailbox, *criteria: str, words: str = "") -> list[Mail]:
    """Return the last mails that meet criteria, oldest first."""
    return list(mailbox.fetch_all(sorted(mailbox.search(*criteria, words=words))[-RECENT:]))
