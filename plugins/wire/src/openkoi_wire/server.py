"""A server as its failures name it: by its host, without repeating what is secret. Knows no HTTP."""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote, urlsplit

from openkoi_hookspecs import (
    ConfigError,
    EmptyResponseError,
    ProviderUnavailableError,
    RequestRejectedError,
    WrongServerError,
)
from openkoi_redact import Redactor, current_redactor, is_secret_name

LONGEST = 400
LARGEST = 64 * 1024


@dataclass(frozen=True, slots=True)
class Server:
    """A host, and what masks the secrets that are shown to it."""

    host: str
    redactor: Redactor = field(default_factory=current_redactor, compare=False)

    @property
    def local(self) -> bool:
        """Whether it is this machine."""
        return loopback(self.host) or loopback(self.host.rpartition(":")[0])

    def unavailable(self, what: str, *, retry_after: float | None = None) -> ProviderUnavailableError:
        """Make the error for what may pass: ``what`` goes on from the host's name."""
        return ProviderUnavailableError(f"{self.host} {self.hide(what)}", retry_after=retry_after)

    def empty(self, what: str = "sent an empty answer.") -> EmptyResponseError:
        """Make the error for an answer with nothing in it."""
        return EmptyResponseError(f"{self.host} {what}")

    def blank(self, body: bytes) -> EmptyResponseError:
        """Make the error for a body with nothing in it, and quote that body."""
        quoted = one_line(body.decode(errors="replace"))
        return self.empty(f"sent an empty answer: {f'`{quoted}`' if quoted else 'no content at all'}.")

    def refused(self, what: str, *, context_overflow: bool = False) -> RequestRejectedError:
        """Make the error for what will not pass."""
        return RequestRejectedError(f"{self.host} {self.hide(what)}", context_overflow=context_overflow)

    def wrong(self, what: str) -> WrongServerError:
        """Make the error for what is no model server."""
        return WrongServerError(f"{self.host} {self.hide(what)}")

    def hide(self, text: str) -> str:
        """Mask our secrets, and whatever looks like one."""
        return self.redactor(harmless(self.redactor(text)))


def server_of(base_url: str, headers: Mapping[str, str]) -> Server:
    """Read a base URL and headers; raises ConfigError when HTTP could not send them."""
    try:
        url = urlsplit(base_url)
        port = f":{url.port}" if url.port else ""
    except ValueError as error:
        raise ConfigError(f"The base URL is not a web address ({error}). Write http://host:port/path.") from None
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ConfigError("The base URL is not a web address. Write one that begins with http:// or https://.")
    for name, value in headers.items():
        sendable(name, value)
    server = Server(f"{url.hostname}{port}")
    for secret in secrets_in(headers, url):
        server.redactor.hold(secret, f"the key of {server.host}", password=bool(url.password))
    return server


def sendable(name: str, value: str) -> None:
    """Raise ConfigError for a header that HTTP cannot carry, without quoting it."""
    if value.isascii() and value.isprintable() and value == value.strip():
        return
    raise ConfigError(f"The header {name} holds a character that HTTP cannot send. Enter the key again, without it.")


def secrets_in(headers: Mapping[str, str], url: SplitResult) -> Iterator[str]:
    """List what must not be repeated: whole values, and what follows a word such as Bearer."""
    for name, value in headers.items():
        if is_secret_name(name):
            yield from (value, value.rpartition(" ")[2])
    yield from login_in(url)


def login_in(url: SplitResult) -> Iterator[str]:
    """List the shapes in which the login of an address may come back; a name alone is one."""
    if url.username is None:
        return
    name, password = unquote(url.username), unquote(url.password or "")
    login = f"{name}:{password}"
    yield from (url.password or url.username, password or name, login, f"{url.username}:{url.password or ''}")
    yield base64.b64encode(login.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def one_line(text: str) -> str:
    """Make a stranger's text fit into a sentence: no secret, no control characters, no line breaks, not too long."""
    line = " ".join(harmless(current_redactor()(text[:LARGEST])).split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}..."


def harmless(text: str) -> str:
    """Put blanks in place of what cannot be seen: control characters, such as turn a line around, and halves."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


def loopback(host: str) -> bool:
    """Whether a host is this machine, which no proxy can reach for us."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def sentence(happened: str, said: str = "", advice: str = "") -> str:
    """Say what happened, what the server says to it, and what to do."""
    first = f"{happened}: {said}" if said else happened
    stop = "" if first.endswith((".", "!", "?")) else "."
    return f"{first}{stop} {advice}".rstrip()
