"""Watch a mailbox over IMAP, and reply over SMTP. Both block, so they are called in threads."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

from openkoi_hookspecs import AppRejectedError, DataDir, Env, Koi, Question, SignInRequiredError
from openkoi_hookspecs.integrations import Attachment, Capabilities, Delivery, Post, SenderKind
from openkoi_http.oauth import AccessToken, OAuthClient, RefreshToken, ask_for_sign_in

from .mailbox import MAX_TEXT, Login, Mail, Mailbox, quote
from .servers import Servers, servers_of

T = TypeVar("T")
IDLE_SECONDS = 60  # then the server has to answer; RFC 2177 allows 29 minutes, but a deaf connection is found sooner
RECENT = 100  # mails that are looked through for those of one channel
SIGN_IN = "Email is not signed in. Run `openkoi connect email`."
ASK_ADDRESS = "The address of a mailbox that you created for the assistant"
ASK_PASSWORD = "Password of this mailbox, or an app password"
NO_LETTERS = "Mail servers accept only ASCII passwords. Create an app password."
ASK_CHECKED_BY = (
    "The server that checks mail for you: the first word after 'Authentication-Results:' in the source of an email "
    "that this mailbox received, such as mx.example.org"
)
NO_CHECK = "no server, so all mail is ignored; set `checked_by` in [integrations.email], such as mx.example.org"


class Email:
    """A mailbox. ``[integrations.email]``: ``imap`` is imaps://HOST:PORT, ``smtp`` smtps://HOST:PORT; with imap:// and
    smtp://, STARTTLS is used. ``checked_by`` is the server that is trusted to verify senders.
    """

    capabilities = Capabilities(max_text=MAX_TEXT, formats=("markdown", "plain"), threads=True, max_file=20_000_000)

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
        self.open()

    def open(self) -> None:
        """Use the address's servers, except where others are configured; do not connect yet."""
        known = servers_of(self.address)
        self.servers = Servers(*(own or usual for own, usual in zip(self.given, known, strict=True)))
        urls = {name: getattr(self.servers, name) for name in ("token_url", "device_url", "scope")}
        self.oauth = OAuthClient(client_id=self.client_id, client_secret=self.client_secret, **urls)
        kept = RefreshToken(self.folder / "refresh-token.json", self.refresh_token)
        self.token = AccessToken(self.oauth, kept, SIGN_IN)

    async def login(self) -> Login:
        """Return how to sign in now."""
        if not self.address or not (self.password or self.refresh_token):
            raise SignInRequiredError.not_connected("email")
        token = await self.token.get() if self.refresh_token else ""
        return Login(self.user or self.address, self.password, token)

    async def use(self, work: Callable[[Mailbox], T]) -> T:
        """Call a function with a new connection."""
        with closing(Mailbox(self.servers.imap, await self.login())) as mailbox:
            await self.block(mailbox, mailbox.open)
            return await self.block(mailbox, lambda: work(mailbox))

    async def block(self, mailbox: Mailbox, work: Callable[[], T]) -> T:
        """Call a function with a new connection in a thread, then close the connection."""
        try:
            return await asyncio.to_thread(mailbox.run, work)
        except SignInRequiredError:
            self.token.forget()
            raise

    async def health(self) -> dict[str, str]:
        """Return the mailbox's address, and the server trusted to verify senders."""
        await self.use(lambda mailbox: mailbox.validity)
        return {"mailbox": self.address, "senders are checked by": self.servers.checked_by or NO_CHECK}

    async def connect(self, koi: Koi) -> str:
        """Ask for the mailbox, verify it by signing in to both servers, and save the credentials."""
        from .writing import check_addresses, submit

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
        """Ask for a password, or for a refresh token if an OAuth client is configured."""
        self.password = self.refresh_token = ""
        if self.client_id and self.servers.device_url:
            self.refresh_token = await ask_for_sign_in(self.oauth, koi)
        else:
            self.password = (await koi.ask(Question(ASK_PASSWORD, secret=True)) or "").strip()
        if not self.password.isascii():
            raise AppRejectedError(NO_LETTERS)
        koi.conceal(self.refresh_token or self.password, "the email password or token")
        self.open()

    # What arrives

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Yield the emails after a cursor, then new ones. A cursor is the number of an email and a day."""
        with closing(Mailbox(self.servers.imap, await self.login())) as mailbox:
            await self.block(mailbox, mailbox.open)
            last = await self.block(mailbox, lambda: find_start(mailbox, cursor))
            yield Delivery(write_cursor(mailbox.validity, last))
            while True:
                uids = await self.block(mailbox, partial(mailbox.list_since, last))
                for last in uids:
                    yield Delivery(write_cursor(mailbox.validity, last), await self.read_new(mailbox, last))
                if not uids and not mailbox.status("EXISTS"):
                    await self.block(mailbox, lambda: mailbox.wait(self.idle_seconds))
                    yield Delivery(write_cursor(mailbox.validity, last))

    async def read_new(self, mailbox: Mailbox, uid: int) -> Post | None:
        """Return an email that arrived; if its sender is not verified, only its headers are read."""
        head = await self.block(mailbox, partial(mailbox.fetch, uid, head=True))
        post = self.read(head) if head else None
        if post is None or post.sender.kind is not SenderKind.PERSON or not post.sender.authenticated:
            return post
        mail = await self.block(mailbox, partial(mailbox.fetch, uid))
        return self.read(mail) if mail else None

    def read(self, mail: Mail) -> Post:
        """Return an email as a post."""
        from .reading import read_mail  # Python's parser of mails, which a mailbox that waits does not need

        return read_mail(mail, self.address, self.servers.checked_by)

    async def history(self, channel: str, *, thread: str = "", since: str = "", limit: int = 20) -> Sequence[Post]:
        """Return the last emails of a channel or thread that arrived, oldest first."""
        criteria = ["OR", "HEADER", "Message-ID", quote(thread), "HEADER", "References", quote(thread)]
        found = await self.use(lambda mailbox: recent(mailbox, *(criteria if thread else ["ALL"])))
        posts = [self.read(one) for one in found]
        return [one for one in posts if one.channel == channel and one.at >= since][-limit:]

    async def search_posts(self, text: str, *, limit: int = 20) -> Sequence[Post]:
        """Search the text of emails, newest first."""
        found = await self.use(lambda mailbox: recent(mailbox, "TEXT", words=text))
        return [self.read(one) for one in reversed(found)][:limit]

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield a file in pieces."""
        from .reading import file_in

        validity, uid, number = attachment.ref.split(":")
        mail = await self.use(lambda mailbox: mailbox.fetch(int(uid)) if mailbox.validity == validity else None)
        data = file_in(mail, int(number)) if mail else None
        if data is None:
            raise AppRejectedError(f"The email with {attachment.name!r} no longer exists.")
        yield data

    # What is sent

    async def send(self, post: Post) -> str:
        """Send an email. A partial post is not sent: an email cannot be edited, and the complete post follows."""
        if post.partial:
            return ""
        from .writing import make_mail, submit

        mail = make_mail(post, self.address)
        await asyncio.to_thread(submit, self.servers.smtp, await self.login(), mail)
        return str(mail["Message-ID"])[1:-1]


def find_start(mailbox: Mailbox, cursor: str) -> int:
    """Return the number of the last email seen; if the server has renumbered them, the last one before that day."""
    if not cursor:
        return mailbox.next_uid - 1
    validity, uid, day = cursor.split(":")
    if validity == mailbox.validity:
        return int(uid)
    since = datetime.fromisoformat(day) - timedelta(days=1)
    return min(mailbox.search("SINCE", f"{since:%d-%b-%Y}"), default=mailbox.next_uid) - 1


def write_cursor(validity: str, uid: int) -> str:
    """Return the cursor after an email."""
    return f"{validity}:{uid}:{datetime.now(UTC).date()}"


def recent(mailbox: Mailbox, *criteria: str, words: str = "") -> list[Mail]:
    """Return the last emails that match criteria, oldest first."""
    uids = sorted(mailbox.search(*criteria, words=words))[-RECENT:]
    return [mail for uid in uids if (mail := mailbox.fetch(uid))]
