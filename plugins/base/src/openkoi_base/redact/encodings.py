"""List the encodings in which a known secret may appear in a text.

Not covered: compression, encryption, reversal, and base64 of base64.
"""

import base64
import html
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus


def encode_all(secret: str) -> Iterator[str]:
    """Return the value itself, its bytes as Latin-1, escaped for JSON (twice), Python, HTML, a shell and URLs, hex,
    base64.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (secret, raw.decode("latin-1"), repr(secret)[1:-1], html.escape(secret), secret.replace("'", "'\\''"))
    yield from in_json(secret)
    yield from in_urls(raw)
    yield from pack_bytes(secret)


def pack_bytes(secret: str) -> Iterator[str]:
    """Return hex and base64, which programs break into lines."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (raw.hex(), raw.hex().upper())
    yield from in_base64(raw)


def in_json(secret: str) -> Iterator[str]:
    """Return the value within a JSON text, and within one that is itself a text in JSON."""
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield from (once, json.dumps(once, ensure_ascii=ascii_only)[1:-1])
        yield once.replace("/", "\\/")


def in_urls(raw: bytes) -> Iterator[str]:
    """Return the value percent-encoded in part or as a whole, in either case, and encoded twice for a URL in a URL."""
    for encoded in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield from (encoded, lower_escapes(encoded), quote(encoded, safe=""))
    every = "".join(f"%{byte:02X}" for byte in raw)
    yield from (every, every.lower())


def lower_escapes(encoded: str) -> str:
    """Return the same with its escapes in lower case."""
    first, *rest = encoded.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def in_base64(raw: bytes) -> Iterator[str]:
    """Return the characters that encode only the secret, whatever precedes and follows it in the same base64 text."""
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        alone = whole[(0, 2, 3)[shift] : len(whole) - ((shift + len(raw)) % 3 != 0)]
        yield from (alone, alone.replace("+", "-").replace("/", "_"))
