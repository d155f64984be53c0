"""Name a server in error messages, without secrets."""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import field
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote, urlsplit

from openkoi_base.redact import Redactor, current_redactor, is_secret_name
from openkoi_hookspecs import (
    ConfigError,
    EmptyResponseError,
    ProviderUnavailableError,
    RequestRejectedError,
    WrongServerError,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_LINE_CHARACTERS = 400
MAX_INPUT_CHARACTERS = 64 * 1024


@dataclass(frozen=True, slots=True)
class Server:
    """A host, and the redactor of its secrets."""

    host: str
    redactor: Redactor = field(default_factory=current_redactor, compare=False)

    @property
    def is_local(self) -> bool:
        """Whether it is this machine."""
        return is_loopback(self.host) or is_loopback(self.host.rpartition(":")[0])

    def unavailable(
        self, what: str, *, retry_after: float | None = None, uncertain: bool = False
    ) -> ProviderUnavailableError:
        """Return a temporary error; ``what`` continues the sentence that starts with the host."""
        text = f"{self.host} {self.redact(what)}"
        return ProviderUnavailableError(text, retry_after=retry_after, uncertain=uncertain)

    def empty_error(self, what: str = "sent an empty response.") -> EmptyResponseError:
        """Return the error for an empty response."""
        return EmptyResponseError(f"{self.host} {what}")

    def blank(self, body: bytes) -> EmptyResponseError:
        """Return the error for a body without content, which it quotes."""
        quoted = one_line(body.decode(errors="replace"))
        return self.empty_error(f"sent an empty response: {f'`{quoted}`' if quoted else 'no content at all'}.")

    def rejected_error(self, what: str, *, context_overflow: bool = False) -> RequestRejectedError:
        """Return a permanent error."""
        return RequestRejectedError(f"{self.host} {self.redact(what)}", context_overflow=context_overflow)

    def wrong_server(self, what: str) -> WrongServerError:
        """Return the error for a server that is not a model server."""
        return WrongServerError(f"{self.host} {self.redact(what)}")

    def redact(self, text: str) -> str:
        """Mask secrets."""
        return self.redactor(drop_unprintable(self.redactor(text)))


def make_server(base_url: str, headers: Mapping[str, str]) -> Server:
    """Return the server of a base URL; raise ConfigError when the URL or a header is invalid."""
    try:
        url = urlsplit(base_url)
        port = f":{url.port}" if url.port else ""
    except ValueError as error:
        raise ConfigError(f"Invalid base URL ({error}). Use http://host:port/path.") from None
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ConfigError(
            "Invalid base URL. It must be http:// or https:// followed by a host, such as https://api.example.com/v1."
        )
    for name, value in headers.items():
        check_header(name, value)
    server = Server(f"{url.hostname}{port}")
    for secret in find_secrets(headers, url):
        server.redactor.hold(secret, f"the key for {server.host}", password=bool(url.password))
    return server


def check_header(name: str, value: str) -> None:
    """Raise ConfigError for a header that HTTP cannot carry, without quoting it."""
    if value.isascii() and value.isprintable() and value == value.strip():
        return
    raise ConfigError(f"The header {name} has a character that HTTP does not allow. Enter the key again without it.")


def find_secrets(headers: Mapping[str, str], url: SplitResult) -> Iterator[str]:
    """Yield secret header values, and the part after a word such as Bearer."""
    for name, value in headers.items():
        if is_secret_name(name):
            yield from (value, value.rpartition(" ")[2])
    yield from find_login(url)


def find_login(url: SplitResult) -> Iterator[str]:
    """Yield the forms in which a URL's login may be echoed."""
    if url.username is None:
        return
    name, password = unquote(url.username), unquote(url.password or "")
    login = f"{name}:{password}"
    yield from (url.password or url.username, password or name, login, f"{url.username}:{url.password or ''}")
    yield base64.b64encode(login.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def one_line(text: str) -> str:
    """Return untrusted text as one short line without secrets or control characters."""
    line = " ".join(drop_unprintable(current_redactor()(text[:MAX_INPUT_CHARACTERS])).split())
    return line if len(line) <= MAX_LINE_CHARACTERS else f"{line[:MAX_LINE_CHARACTERS].rstrip()}..."


def drop_unprintable(text: str) -> str:
    """Replace unprintable characters by spaces."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, which no proxy can reach."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def make_sentence(happened: str, detail: str = "", advice: str = "") -> str:
    """Return what happened, the server's message, and advice as one sentence."""
    first = f"{happened}: {detail}" if detail else happened
    stop = "" if first.endswith((".", "!", "?")) else "."
    return f"{first}{stop} {advice}".rstrip()
