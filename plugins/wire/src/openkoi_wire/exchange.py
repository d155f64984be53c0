"""One exchange with a server as a line of a cassette. Knows the line's fields; knows no file and no secret."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field

from openkoi_hookspecs import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and what came of it. ``cut`` says why it did not come to its end; status 0 is no answer at all."""

    method: str
    host: str
    path: str
    body: bytes = b""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = ()
    cut: str = ""


def written(exchange: Exchange) -> bytes:
    """Write one line."""
    line = {
        "method": exchange.method,
        "host": exchange.host,
        "path": exchange.path,
        "body": spelt(exchange.body),
        "status": exchange.status,
        "headers": dict(exchange.headers),
        "pieces": [spelt(piece) for piece in exchange.pieces],
        "cut": exchange.cut,
    }
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def read(line: bytes) -> Exchange:
    """Read one line; raises ValueError when it is none."""
    said: Json = json.loads(line)
    match said:
        case {
            "method": str(method),
            "host": str(host),
            "path": str(path),
            "body": body,
            "status": int(status),
            "headers": dict(headers),
            "pieces": list(pieces),
            "cut": str(cut),
        }:
            if isinstance(status, bool) or not (status == 0 or 100 <= status <= 599):
                raise ValueError(f"{status} is no status of an answer")
            return Exchange(
                method=method,
                host=host,
                path=path,
                body=meant(body),
                status=status,
                headers={sendable(name): sendable(str(value)) for name, value in headers.items()},
                pieces=tuple(map(meant, pieces)),
                cut=cut,
            )
    raise ValueError("it is no exchange with a server")


def sendable(header: str) -> str:
    """Return a header's name or value; raises ValueError for one that no answer can have."""
    if header.isascii() and header.isprintable():
        return header
    raise ValueError(f"a header in it holds a character that cannot be sent: {header!r}")


def spelt(data: bytes) -> Json:
    """Write bytes as text, or as base64 when they are none."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}


def meant(spelt: Json) -> bytes:
    """Read what was spelt."""
    match spelt:
        case str(text):
            return text.encode()
        case {"base64": str(text)}:
            return b64decode(text, validate=True)
    raise ValueError("a body in it is neither text nor base64")
