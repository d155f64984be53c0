"""What is recorded from the wire, or played back in its place. Knows the two words that a configuration says."""

from pathlib import Path
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from openkoi_hookspecs import ConfigError, Env

from .recorder import Recorder
from .recordings import Recordings
from .server import Server

Cassette: TypeAlias = Annotated[str, Env("OPENKOI_CASSETTE")]
RECORD = "record:"
REPLAY = "replay:"


def replays(cassette: str) -> bool:
    """Whether answers come from a file: neither a key nor a server is needed."""
    return cassette.startswith(REPLAY)


def inserted(cassette: str, server: Server, base_url: str) -> Recorder | Recordings | None:
    """Open a cassette, if there is one; raises ConfigError when it cannot be used."""
    if not cassette:
        return None
    word, _, name = cassette.partition(":")
    file = Path(name).expanduser()
    if not name or f"{word}:" not in (RECORD, REPLAY):
        raise ConfigError(f"The cassette is {cassette!r}. Write record:FILE or replay:FILE.")
    redact = server.redactor
    return Recordings(file, redact) if replays(cassette) else Recorder(file, redact, server.host, root_of(base_url))


def root_of(base_url: str) -> str:
    """The path that all addresses of a server begin with."""
    return urlsplit(base_url).path.rstrip("/")
