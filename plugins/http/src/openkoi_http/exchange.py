"""Serialize an exchange with a server as a line of a cassette."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import field

from openkoi_hookspecs import Json
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and its response; ``cut`` is why the response ended early; status 0 means no response."""

    method: str
    host: str
    path: str
    body: bytes = b""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = ()
    cut: str = ""


def encode_exchange(exchange: Exchange) -> bytes:
    """Return an exchange as a line."""
    line = {
        "method": exchange.method,
        "host": exchange.host,
        "path": exchange.path,
        "body": encode_bytes(exchange.body),
        "status": exchange.status,
        "headers": dict(exchange.headers),
        "pieces": [encode_bytes(piece) for piece in exchange.pieces],
        "cut": exchange.cut,
    }
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def parse_exchange(line: bytes) -> Exchange:
    """Parse a line; raise ValueError when it is not an exchange."""
    line_object: Json = json.loads(line)
    match line_object:
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
                raise ValueError(f"{status} is not an HTTP status")
            return Exchange(
                method=method,
                host=host,
                path=path,
                body=decode_bytes(body),
                status=status,
                headers={check_header(name): check_header(str(value)) for name, value in headers.items()},
                pieces=tuple(map(decode_bytes, pieces)),
                cut=cut,
            )
    raise ValueError("it is not an exchange with a server")


def check_header(header: str) -> str:
    """Return a header's name or value; raise ValueError when HTTP cannot carry it."""
    if header.isascii() and header.isprintable():
        return header
    raise ValueError(f"a header has a character that HTTP does not allow: {header!r}")


def encode_bytes(data: bytes) -> Json:
    """Return bytes as text, or as base64 when they are not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}


def decode_bytes(encoded: Json) -> bytes:
    """Return the bytes that ``encode_bytes`` encoded."""
    match encoded:
        case str(text):
            return text.encode()
        case {"base64": str(text)}:
            return b64decode(text, validate=True)
    raise ValueError("a body is neither text nor base64")
