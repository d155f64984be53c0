"""Open a cassette for recording or replay, as configured."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias
from urllib.parse import urlsplit

from openkoi_hookspecs import ConfigError, Env

from .server import Server

if TYPE_CHECKING:
    from .recorder import Recorder
    from .recordings import Recordings

Cassette: TypeAlias = Annotated[str, Env("OPENKOI_CASSETTE")]
RECORD = "record:"
REPLAY = "replay:"


def is_replay(cassette: str) -> bool:
    """Return whether responses come from a file, so that neither a key nor a server is needed."""
    return cassette.startswith(REPLAY)


def open_cassette(cassette: str, server: Server, base_url: str) -> "Recorder | Recordings | None":
    """Open the configured cassette, if any; raise ConfigError when it cannot be used."""
    if not cassette:
        return None
    word, _, name = cassette.partition(":")
    file = Path(name).expanduser()
    if not name or f"{word}:" not in (RECORD, REPLAY):
        raise ConfigError(f"Invalid cassette {cassette!r}. Use record:FILE or replay:FILE.")
    from .recorder import Recorder
    from .recordings import Recordings

    redact = server.redactor
    return Recordings(file, redact) if is_replay(cassette) else Recorder(file, redact, server.host, root_path(base_url))


def root_path(base_url: str) -> str:
    """Return the path prefix of a base URL."""
    return urlsplit(base_url).path.rstrip("/")
