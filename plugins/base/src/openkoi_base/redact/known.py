"""Collect the secrets that are known: from variables, settings and URLs.

Known values are masked wherever they appear, so some are not collected: those shorter than MIN_SECRET_CHARACTERS,
lower-case words (a placeholder such as ``ollama``; a password of 8 letters is collected), and paths of files.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .names import is_secret_name
from .parts import ORDINARY, PASSWORD, USUAL_PASSWORDS, named_texts, unnamed_parts

MIN_PASSWORD_CHARACTERS = 8  # a shorter password must look random (estimate)
MIN_SECRET_CHARACTERS = 6  # shorter values occur inside ordinary words (estimate)
PATH = lazy_pattern(
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.@ +-]+[/\\])*[\w@ +-]*\.\w{1,5}|(?:~|\.{1,2})?(?:/[\w.-]*[a-z_.-]{2}){2,}/?"
    r"|~/[\w./-]+|[\w.-]+(?:\\{1,2}[\w.-]+)+\.[a-z]{2,6}"
)
LOGIN = lazy_pattern(r"[A-Za-z][\w+.-]*://[^\s/?#\"']*@")
MIN_USER_NAME_CHARACTERS = 16  # a URL's user name without a password is a token (GitHub, Sentry) if long (estimate)


class Secret(NamedTuple):
    """A value to mask, its origin, and whether it is a password, which may be a single word."""

    value: str
    origin: str
    password: bool = False

    @property
    def is_maskable(self) -> bool:
        """Whether it can be masked in all texts without masking ordinary words."""
        if self.password and len(self.value) >= MIN_PASSWORD_CHARACTERS and self.value not in USUAL_PASSWORDS:
            return True
        return (
            len(self.value) >= MIN_SECRET_CHARACTERS and not ORDINARY.fullmatch(self.value) and not is_path(self.value)
        )


def is_path(value: str) -> bool:
    """Return whether a value is the path of a file or a folder."""
    return ("/" in value or "\\" in value) and bool(PATH.fullmatch(value))


def secrets_of(named: Iterable[tuple[str, object]], origin: str = "{}") -> Iterator[Secret]:
    """Yield the secret values of names (variables, settings), each with its origin."""
    for name, value in named:
        for at, text in named_texts(name, value):
            where = origin.format(at)
            if is_secret_name(at.rpartition(".")[2]):
                password = bool(PASSWORD.search(at)) and not is_path(text)
                yield Secret(text, where, password)
            else:
                yield from (Secret(part, where) for part in unnamed_parts(text))
            yield from (Secret(secret, where, password=True) for secret in url_secrets(text))


def url_secrets(text: str) -> Iterator[str]:
    """Yield the credentials in the URLs of a value: the password, the login, a long user name; also decoded."""
    for found in LOGIN.finditer(text):
        login = found[0].partition("://")[2].rpartition("@")[0]
        user, _, password = login.partition(":")
        for secret in (
            (password, unquote(password)) if password else (user,) if len(user) >= MIN_USER_NAME_CHARACTERS else ()
        ):
            yield secret
            yield f"{unquote(user)}:{secret}"


def has_login(value: str) -> bool:
    """Return whether a value is a URL with credentials."""
    return any(True for _ in url_secrets(value))


def environment_secrets(environment: Mapping[str, str]) -> Iterator[Secret]:
    """Yield the secrets in environment variables, each with its origin."""
    return secrets_of(environment.items(), "${}")
