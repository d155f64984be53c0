"""Find the images and files in a request of any vendor, and what a vendor would refuse about them."""

import re
from base64 import b64decode
from collections.abc import Iterator

from openkoi_hookspecs import Json, image_type

ADDRESS = re.compile(r"data:([\w/.+-]+);base64,")
BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
PDF = "application/pdf"


def media_in(body: Json) -> list[tuple[str, bytes]]:
    """Return the images and PDFs in a request, in order: the media type that their bytes show, and the bytes."""
    found = (
        (kind, data) for text in texts_in(body) if (data := decode_base64(text)) and (kind := detect_media_type(data))
    )
    return list(found)


def texts_in(value: Json) -> Iterator[str]:
    """Yield the texts in JSON, in order."""
    if isinstance(value, str):
        yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inside:
        yield from texts_in(item)


def decode_base64(text: str) -> bytes:
    """Return the bytes that a text is in base64, or as an address; none if it is neither."""
    plain = ADDRESS.sub("", text, count=1)
    return b64decode(plain) if len(plain) % 4 == 0 and BASE64.fullmatch(plain) else b""


def detect_media_type(data: bytes) -> str:
    """Return the media type that bytes show."""
    return PDF if data.startswith(b"%PDF") else image_type(data)


def find_media_error(media_type: Json, text: Json, taken: tuple[str, ...]) -> str:
    """Return why bytes in base64 do not match their declared media type; empty if they do."""
    if media_type not in taken:
        return f"Unsupported MIME type: {media_type}"
    data = decode_base64(text) if isinstance(text, str) else b""
    if not data:
        return "Could not process image: it is not base64"
    detected = detect_media_type(data)
    return (
        ""
        if detected == media_type
        else f"The data was specified as {media_type}, but appears to be {detected or 'none'}"
    )
