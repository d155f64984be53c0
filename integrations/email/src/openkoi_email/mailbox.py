"""Talk to an IMAP server. All of it blocks: it is called in a thread."""

import imaplib
import select
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from openkoi_hookspecs import AppRejectedError, AppUnavailableError, SignInRequiredError

POLL_SECONDS = 30.0  # of a server without IDLE
ANSWER_SECONDS = 20.0  # a server that says nothing for so long is gone
MAX_BYTES = 30 * 1024 * 1024  # of a mail that is read whole; larger ones only so far
SIGN_IN = "The mail server rejected the sign-in of {0} ({1}). Run `openkoi connect email`."
PARSE_ERRORS = (ValueError, LookupError, TypeError, AttributeError)  # of Python's parser, for what attackers make
MAX_HEADER = 4_096  # characters of one header: Python takes minutes for some that are longer
MAX_HEAD = 256 * 1024  # bytes of all headers
imaplib._MAXLINE = 10_000_000  # type: ignore[attr-defined]  # a long answer to SEARCH is one line


class Login(NamedTuple):
    """How to sign in: with a password, or with an access token."""

    user: str
    password: str = ""
    token: str = ""

    @property
    def xoauth2(self) -> str:
        """What the mechanism XOAUTH2 sends."""
        return f"user={self.user}\1auth=Bearer {self.token}\1\1"


class Mail(NamedTuple):
    """A mail of a folder, with its place there."""

    validity: str
    uid: int
    message: EmailMessage

    @property
    def place(self) -> str:
        """Where it is, for as long as the folder keeps its numbers."""
        return f"{self.validity}:{self.uid}"


class ShortHeaders(EmailPolicy):
    """Reads the beginning of each header."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Return the name and the value of a header."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MAX_HEADER]


class Lines:
    """Read from the socket itself: what imaplib reads from cannot be used again after a timeout."""

    buffer = b""

    def readline(self: Any) -> bytes:
        """Return the next line."""
        while b"\n" not in self.buffer:
            data = self.sock.recv(65536)
            if not data:
                return b""
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return bytes(line + b"\n")

    def read(self: Any, size: int) -> bytes:
        """Return so many bytes."""
        pieces = [self.buffer[:size]]
        self.buffer, left = self.buffer[size:], size - len(pieces[0])
        while left > 0:
            data = self.sock.recv(min(left, 1 << 20))
            if not data:
                return b""
            pieces.append(data)
            left -= len(data)
        return b"".join(pieces)


class PlainImap(Lines, imaplib.IMAP4):
    """A connection without TLS, or with STARTTLS."""


class TlsImap(Lines, imaplib.IMAP4_SSL):
    """A connection with TLS."""


class Mailbox:
    """A connection to the folder of arriving mail, or to another one."""

    def __init__(self, url: str, login: Login, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.url, self.login, self.answer_seconds = url, login, answer_seconds
        self.imap: imaplib.IMAP4 | None = None
        self.closed = False
        self.validity, self.next_uid = "", 1

    def open(self, folder: str = "INBOX") -> None:
        """Connect, sign in, and select a folder."""
        self.imap = imap = connect(self.url, self.answer_seconds)
        if self.closed:  # meanwhile, from another thread
            self.close()
        try:
            if self.login.token:
                imap.authenticate("XOAUTH2", lambda _: self.login.xoauth2.encode())
            else:
                sign_in(imap, self.login)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            raise SignInRequiredError(SIGN_IN.format(self.login.user, describe(error))) from None
        self.select(folder)

    def select(self, folder: str) -> None:
        """Use a folder from now on."""
        self.expect(self.connection.select(quote(folder)))
        self.validity = self.status("UIDVALIDITY")
        self.next_uid = int(self.status("UIDNEXT") or 1)

    @property
    def connection(self) -> imaplib.IMAP4:
        """The connection; raises AppUnavailableError without one."""
        if self.imap is None:
            raise AppUnavailableError("The connection to the mail server is closed.")
        return self.imap

    def status(self, name: str) -> str:
        """Return a number that the server reported of the folder."""
        _, values = self.connection.response(name)
        return values[-1].decode() if values and values[-1] else ""

    def expect(self, answer: tuple[str, list[Any]]) -> list[Any]:
        """Return what a command returned; raise AppRejectedError where it failed."""
        state, data = answer
        if state != "OK":
            raise AppRejectedError(f"The mail server rejected the request: {describe(data[0] if data else state)}")
        return data

    def close(self) -> None:
        """End the connection, from any thread: a thread that waits for it stops waiting."""
        self.closed = True
        imap, self.imap = self.imap, None
        if imap:
            with suppress(OSError):
                imap.shutdown()

    def search(self, *criteria: str, words: str = "") -> list[int]:
        """Return the numbers of the mails that meet criteria, the last of which may be words of any script."""
        imap = self.connection
        if words:
            imap.literal = words.encode()  # type: ignore[assignment]
            criteria = ("CHARSET", "UTF-8", *criteria)
        found = self.expect(imap.uid("SEARCH", *criteria))
        return [int(one) for one in (found[0] or b"").split()]

    def list_since(self, uid: int) -> list[int]:
        """Return the numbers of the mails after one, in their order. ``n:*`` has the last one, too, if it is before."""
        return sorted(one for one in self.search("UID", f"{uid + 1}:*") if one > uid)

    def fetch(self, uid: int, *, head: bool = False) -> Mail | None:
        """Return a mail, or its headers alone, without marking it as read; None if it was deleted."""
        part = f"HEADER]<0.{MAX_HEAD}>" if head else f"]<0.{MAX_BYTES}>"
        found = self.expect(self.connection.uid("FETCH", str(uid), f"(UID BODY.PEEK[{part})"))
        data = next((one[1] for one in found if isinstance(one, tuple)), None)
        return None if data is None else Mail(self.validity, uid, parse_mail(data))

    def fetch_all(self, uids: Sequence[int]) -> Iterator[Mail]:
        """Yield mails."""
        for uid in uids:
            if mail := self.fetch(uid):
                yield mail

    def wait(self, seconds: float) -> None:
        """Wait for news, so many seconds at most; raise AppUnavailableError if the server is not there any more."""
        imap = self.connection
        if "IDLE" not in imap.capabilities:
            select.select([imap.sock], [], [], min(seconds, POLL_SECONDS))
            self.expect(imap.noop())
            return
        tag = imap._new_tag()  # Python has no IDLE before 3.14
        imap.send(tag + b" IDLE\r\n")
        has_news = self.skip_until(b"+")
        imap.sock.settimeout(seconds)
        with suppress(TimeoutError):
            while not has_news:
                has_news = b"EXISTS" in self.next_line()
        imap.sock.settimeout(self.answer_seconds)
        imap.send(b"DONE\r\n")
        self.skip_until(tag)

    def skip_until(self, start: bytes) -> bool:
        """Read up to a line that begins so; return whether a line before it reported new mail."""
        has_news = False
        while not (line := self.next_line()).startswith(start):
            has_news = has_news or b"EXISTS" in line
        return has_news

    def next_line(self) -> bytes:
        """Return the next line that the server sends."""
        line = self.connection.readline()
        if not line:
            raise imaplib.IMAP4.abort("it ended")
        return line

    def has_news(self) -> bool:
        """Return whether the server reported new mail in the answer to another command."""
        return self.status("EXISTS") != ""

    # The folder of sent mail

    def find_folder(self, use: bytes, name: str) -> str:
        """Return the folder with a special use, else one of this name."""
        for line in self.expect(self.connection.list()):
            if isinstance(line, bytes) and use.lower() in line.lower():
                return (
                    line.rpartition(b' "')[2].rstrip(b'"').decode()
                    if line.endswith(b'"')
                    else line.split()[-1].decode()
                )
        return name

    def append(self, folder: str, mail: bytes, flags: str) -> None:
        """File a mail."""
        state, data = self.connection.append(quote(folder), flags, "", mail)
        if state != "OK" and b"TRYCREATE" in b"".join(data):
            self.expect(self.connection.create(quote(folder)))
            state, data = self.connection.append(quote(folder), flags, "", mail)
        self.expect((state, data))


def parse_mail(data: bytes) -> EmailMessage:
    """Return a mail; an empty one for what Python cannot parse, such as a thousand mails in each other."""
    try:
        found = BytesParser(EmailMessage, policy=ShortHeaders()).parsebytes(data)
    except (*PARSE_ERRORS, RecursionError):
        return EmailMessage()
    return found if isinstance(found, EmailMessage) else EmailMessage()  # as the policy has it, which types do not say


def connect(url: str, seconds: float) -> imaplib.IMAP4:
    """Connect to imaps://HOST, or to imap://HOST, which has to begin TLS unless it is on this machine."""
    parts = urlsplit(url)
    host, context = parts.hostname or "", ssl.create_default_context()
    if parts.scheme == "imaps":
        imap: imaplib.IMAP4 = TlsImap(host, parts.port or 993, ssl_context=context, timeout=seconds)
    else:
        imap = PlainImap(host, parts.port or 143, timeout=seconds)
        if not is_local(host):
            imap.starttls(context)
    imap.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return imap


def sign_in(imap: imaplib.IMAP4, login: Login) -> None:
    """Sign in with a password; the command for that takes none with letters beyond ASCII."""
    if login.password.isascii():
        imap.login(login.user, login.password)
    else:
        imap.authenticate("PLAIN", lambda _: f"\0{login.user}\0{login.password}".encode())


def is_local(host: str) -> bool:
    """Return whether a host is this machine, to which passwords may go without TLS."""
    return host in ("localhost", "127.0.0.1", "::1")


def quote(text: str) -> str:
    """Return a quoted string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def describe(error: object) -> str:
    """Return the text of a server's answer."""
    text = error.decode(errors="replace") if isinstance(error, bytes) else str(error)
    return text.removeprefix("b'").removesuffix("'").rstrip(".")[:200]


@contextmanager
def translate(url: str) -> Iterator[None]:
    """Raise what sockets and imaplib raise as what an app raises."""
    try:
        yield
    except imaplib.IMAP4.abort as error:
        raise AppUnavailableError(f"{urlsplit(url).hostname} ended the connection ({describe(error)}).") from None
    except imaplib.IMAP4.error as error:
        raise AppRejectedError(f"{urlsplit(url).hostname} rejected the request: {describe(error)}") from None
    except (OSError, EOFError, ValueError) as error:
        raise AppUnavailableError(f"{urlsplit(url).hostname} could not be reached ({error}).") from None
