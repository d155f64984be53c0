"""The logins of other programs on this machine. Knows where they lie; passes over what cannot be read or has ended."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from openkoi_hookspecs import Json

from .sources import KeySource
from .tokens import claude_token, codex_token, parse_json, qwen_token

LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class LoginFile:
    """A file that another program keeps its login in, below the home folder, and what it is a login for."""

    source: KeySource
    provider: str
    program: str
    file: str
    token: Callable[[Json, float], str]


PLACES = (
    LoginFile(
        KeySource.CLAUDE_CLI_CREDENTIALS, "anthropic", "the Claude CLI", ".claude/.credentials.json", claude_token
    ),
    LoginFile(KeySource.OPENAI_CODEX_CLI, "openai", "the Codex CLI", ".codex/auth.json", codex_token),
    LoginFile(KeySource.QWEN_CLI, "qwen", "the Qwen CLI", ".qwen/oauth_creds.json", qwen_token),
)


@dataclass(frozen=True, slots=True)
class Login:
    """A token of another program's; ``consent`` is what a person is asked before it is used."""

    source: KeySource
    provider: str
    token: str
    consent: str


def logins(home: Path, now: float) -> Iterator[Login]:
    """The logins that files in the home folder hold."""
    for place in PLACES:
        if token := place.token(parse_json(contents(home / place.file)), now):
            yield Login(place.source, place.provider, token, asking(place.program, f"~/{place.file}", place.provider))


def asking(program: str, where: str, provider: str) -> str:
    """What a person is asked."""
    return f"There is a login of {program} in {where}. Use it for {provider}?"


def contents(file: Path) -> bytes:
    """What is in a file; nothing when it is none, cannot be read, or is far too large."""
    try:
        return file.read_bytes() if file.is_file() and file.stat().st_size <= LARGEST else b""
    except OSError:
        return b""
