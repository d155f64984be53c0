"""List the encodings in which a known secret may appear in a text."""

import base64
import json
from binascii import b2a_qp
from codecs import utf_16_le_encode
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

MIN_REVERSED_CHARACTERS = 8  # a shorter value, reversed, may be an ordinary word (estimate)
IN_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
ESCAPES = (("\\u", "04x", ""), ("\\u", "04X", ""), ("&#", "d", ";"), ("&#x", "x", ";"), ("&#x", "X", ";"))
BYTE_ESCAPES = (("\\x", "02x"), ("\\x", "02X"), ("\\", "03o"), ("=", "02X"))


def encode_all(secret: str) -> Iterator[str]:
    """Return the value itself, escaped in part or as a whole, packed into hex, base64 and base32, and reversed."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (secret, raw.decode("latin-1"), repr(secret)[1:-1])
    yield from (secret.translate(IN_HTML), secret.replace("'", "'\\''"))
    yield from in_json(secret)
    yield from in_urls(raw)
    yield from escape_all(secret, raw)
    yield from pack_bytes(secret)
    if len(secret) >= MIN_REVERSED_CHARACTERS:
        backwards = secret[::-1]
        yield from (backwards, backwards.encode("utf-8", "surrogatepass").decode("latin-1"))


def pack_bytes(secret: str) -> Iterator[str]:
    """Return hex, base64 and base32, which programs break into lines; base64 also of UTF-16, as PowerShell uses it."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield from (raw.hex(), raw.hex().upper())
    yield from in_base64(raw)
    yield from in_base64(utf_16_le_encode(secret, "surrogatepass")[0])
    yield from in_base32(raw)


def escape_all(secret: str, raw: bytes) -> Iterator[str]:
    """Return every character escaped: for JSON and JavaScript, Python, C, HTML, and mail (quoted-printable)."""
    points = [ord(letter) for letter in secret]
    yield from (f"{''.join(f'{prefix}{point:{form}}{end}' for point in points)}" for prefix, form, end in ESCAPES)
    yield from ("".join(f"{prefix}{byte:{form}}" for byte in raw) for prefix, form in BYTE_ESCAPES)
    yield b2a_qp(raw).decode("ascii").replace("=\n", "")


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


def in_base32(raw: bytes) -> Iterator[str]:
    """Return the characters that encode only the secret, whatever precedes it in the same base32 text."""
    for shift in range(5):
        whole = base64.b32encode(b"\0" * shift + raw).decode().rstrip("=")
        alone = whole[-(-shift * 8 // 5) : len(whole) - ((shift + len(raw)) % 5 != 0)]
        yield from (alone, alone.lower())


def in_base64(raw: bytes) -> Iterator[str]:
    """Return the characters that encode only the secret, whatever precedes and follows it in the same base64 text."""
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        alone = whole[(0, 2, 3)[shift] : len(whole) - ((shift + len(raw)) % 3 != 0)]
        yield from (alone, alone.replace("+", "-").replace("/", "_"))
