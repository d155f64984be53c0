"""Find the logins of other programs on this machine (Claude Code, Codex); skip unreadable and expired ones."""

from collections.abc import Callable, Iterator
from pathlib import Path

from openkoi_hookspecs import Json
from openkoi_hookspecs.lazy_dataclass import dataclass

from .key_sources import KeySource
from .tokens import parse_json, read_claude_token, read_codex_token, read_qwen_token

MAX_FILE_BYTES = 1_000_000  # estimate: far larger than a login


@dataclass(frozen=True, slots=True)
class LoginFile:
    """A login file of another program below the home folder, and its provider."""

    source: KeySource
    provider: str
    program: str
    file: str
    token: Callable[[Json, float], str]


LOGIN_FILES = (
    LoginFile(
        KeySource.CLAUDE_CLI_CREDENTIALS, "anthropic", "Claude CLI", ".claude/.credentials.json", read_claude_token
    ),
    LoginFile(KeySource.OPENAI_CODEX_CLI, "openai", "Codex CLI", ".codex/auth.json", read_codex_token),
    LoginFile(KeySource.QWEN_CLI, "qwen", "the Qwen CLI", ".qwen/oauth_creds.json", read_qwen_token),
)


@dataclass(frozen=True, slots=True)
class Login:
    """A token of another program; ``consent`` is the question to ask before using it."""

    source: KeySource
    provider: str
    token: str
    consent: str


def find_logins(home: Path, now: float) -> Iterator[Login]:
    """Yield the logins in the home folder."""
    for place in LOGIN_FILES:
        if token := place.token(parse_json(read_contents(home / place.file)), now):
            yield Login(
                place.source, place.provider, token, consent_question(place.program, f"~/{place.file}", place.provider)
            )


def consent_question(program: str, where: str, provider: str) -> str:
    """Return the question that asks for consent."""
    return f"Found a {program} login in {where}. Use it for {provider}?"


def read_contents(file: Path) -> bytes:
    """Return a file's content; empty if it is missing, unreadable or too large."""
    try:
        return file.read_bytes() if file.is_file() and file.stat().st_size <= MAX_FILE_BYTES else b""
    except OSError:
        return b""
