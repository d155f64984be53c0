"""Read mail from an IMAP server, and wait for new mail (IDLE). All calls block, so they are made in a thread."""

import imaplib
import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Timer
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from openkoi_hookspecs import AppRejectedError, AppUnavailableError, SignInRequiredError
from openkoi_http.authorities import load_authorities
from openkoi_http.server import is_loopback

ANSWER_SECONDS = 20.0  # a server that says nothing for so long is gone
MAX_TEXT = 200_000  # characters of a mail that are read
MAX_BYTES = 30 * 1024 * 1024  # of a mail that is read whole; larger ones only so far
T = TypeVar("T")
SIGN_IN = "The mail server rejected the sign-in as {0} ({1}). Run `openkoi connect email`."
MAX_HEAD = 256 * 1024  # bytes of all headers
imaplib._MAXLINE = 10_000_000  # type: ignore[attr-defined]  # a long answer to SEARCH is one line


class Login(NamedTuple):
    """How to sign in: with a password, or with an access token."""

    user: str
    password: str = ""
    token: str = ""

    @property
    def xoauth2(self) -> str:
        """The credentials as the XOAUTH2 mechanism sends them."""
        return f"user={self.user}\1auth=Bearer {self.token}\1\1"


class Mail(NamedTuple):
    """An email as it arrived, and its place in the folder until that is renumbered: UIDVALIDITY:UID."""

    place: str
    data: bytes


class Mailbox:
    """A connection to the folder of arriving mail."""

    imap: imaplib.IMAP4

    def __init__(self, url: str, login: Login, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.url, self.login, self.answer_seconds = url, login, answer_seconds
        self.closed = False
        self.validity, self.next_uid = "", 1

    def open(self) -> None:
        """Connect, sign in, and select the folder of arriving mail."""
        self.imap = imap = connect(self.url, self.answer_seconds)
        if self.closed:  # meanwhile, from another thread
            self.close()
        try:
            if self.login.token:
                imap.authenticate("XOAUTH2", lambda _: self.login.xoauth2.encode())
            else:
                imap.login(self.login.user, self.login.password)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            raise SignInRequiredError(SIGN_IN.format(self.login.user, describe(error))) from None
        self.expect(imap.select())
        self.validity = self.status("UIDVALIDITY")
        self.next_uid = int(self.status("UIDNEXT") or 1)

    def run(self, work: Callable[[], T]) -> T:
        """Call a function; raise errors of sockets and imaplib as app errors."""
        host = urlsplit(self.url).hostname
        try:
            return work()
        except imaplib.IMAP4.abort as error:
            raise AppUnavailableError(f"{host} closed the connection ({describe(error)}).") from None
        except imaplib.IMAP4.error as error:
            raise AppRejectedError(f"{host} rejected the request: {describe(error)}") from None
        except (OSError, EOFError, ValueError) as error:
            raise AppUnavailableError(f"{host} could not be reached ({describe(error)}).") from None

    def status(self, name: str) -> str:
        """Return a number that the server reported about the folder."""
        _, values = self.imap.response(name)
        return values[-1].decode() if values and values[-1] else ""

    def expect(self, answer: tuple[str, list[Any]]) -> list[Any]:
        """Return the result of a command; raise AppRejectedError if it failed."""
        state, data = answer
        if state != "OK":
            raise AppRejectedError(f"The mail server rejected the request: {describe(data[0] if data else state)}")
        return data

    def close(self) -> None:
        """End the connection, from any thread: a thread that waits for it stops waiting."""
        self.closed = True
        if imap := getattr(self, "imap", None):
            with suppress(OSError):
                imap.sock.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                imap.shutdown()

    def search(self, *criteria: str, words: str = "") -> list[int]:
        """Return the numbers of the emails that match criteria; the last criterion may be text in any script."""
        imap = self.imap
        if words:
            imap.literal = words.encode()  # type: ignore[assignment]
            criteria = ("CHARSET", "UTF-8", *criteria)
        found = self.expect(imap.uid("SEARCH", *criteria))
        return [int(one) for one in (found[0] or b"").split()]

    def list_since(self, uid: int) -> list[int]:
        """Return the numbers of the emails after one, in order. ``n:*`` also contains the last one, if it is before."""
        return sorted(one for one in self.search("UID", f"{uid + 1}:*") if one > uid)

    def fetch(self, uid: int, *, head: bool = False) -> Mail | None:
        """Return an email, or only its headers, without marking it as read; None if it was deleted."""
        part = f"HEADER]<0.{MAX_HEAD}>" if head else f"]<0.{MAX_BYTES}>"
        found = self.expect(self.imap.uid("FETCH", str(uid), f"(UID BODY.PEEK[{part})"))
        data = next((one[1] for one in found if isinstance(one, tuple)), None)
        return None if data is None else Mail(f"{self.validity}:{uid}", data)

    def wait(self, seconds: float) -> None:
        """Wait for new mail, at most ``seconds``; raise AppUnavailableError if the server is gone.

        imaplib cannot read on after a timeout, so a timer ends the command instead, and the server answers.
        """
        imap, ends = self.imap, Lock()
        tag = imap._new_tag()  # Python has no IDLE before 3.14

        def end() -> None:
            if ends.acquire(blocking=False):  # once
                with suppress(OSError):
                    imap.send(b"DONE\r\n")

        timer, has_news = Timer(seconds, end), False
        imap.sock.settimeout(seconds + self.answer_seconds)
        imap.send(tag + b" IDLE\r\n")
        try:
            while not (line := imap.readline()).startswith(tag):
                if not line:
                    raise imaplib.IMAP4.abort("it ended")
                has_news = has_news or b"EXISTS" in line
                if line.startswith(b"+"):
                    timer.start()
                if has_news and timer.ident:
                    end()
        finally:
            timer.cancel()
        imap.sock.settimeout(self.answer_seconds)
        self.expect((line.split()[1].decode(), [line]))


def connect(url: str, seconds: float) -> imaplib.IMAP4:
    """Connect to imaps://HOST, or to imap://HOST, which must support STARTTLS unless it is on this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "imaps":
        imap: imaplib.IMAP4 = imaplib.IMAP4_SSL(
            host, parts.port or 993, ssl_context=load_authorities(), timeout=seconds
        )
    else:
        imap = imaplib.IMAP4(host, parts.port or 143, timeout=seconds)
        if not is_loopback(host):
            imap.starttls(load_authorities())
    imap.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return imap


def quote(text: str) -> str:
    """Return a quoted string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def describe(error: object) -> str:
    """Return the text of a server's answer, or the system's reason."""
    why = getattr(error, "strerror", None) or error
    text = why.decode(errors="replace") if isinstance(why, bytes) else str(why)
    return text.removeprefix("b'").removesuffix("'").rstrip(".")[:200]
