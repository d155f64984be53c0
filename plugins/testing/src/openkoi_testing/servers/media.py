"""The images and files in a request, whatever the vendor's format, and what a vendor would refuse about them."""

import re
from base64 import b64decode
from collections.abc import Iterator

from openkoi_hookspecs import Json, image_type

ADDRESS = re.compile(r"data:([\w/.+-]+);base64,")
BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
PDF = "application/pdf"


def media_in(body: Json) -> list[tuple[str, bytes]]:
    """List the images and PDFs in a request, in order: the media type that their bytes show, and the bytes."""
    found = ((kind, data) for text in texts_in(body) if (data := decoded(text)) and (kind := type_of(data)))
    return list(found)


def texts_in(value: Json) -> Iterator[str]:
    """List the texts in JSON, in order."""
    if isinstance(value, str):
        yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inside:
        yield from texts_in(item)


def decoded(text: str) -> bytes:
    """Return the bytes that a text is in base64, or as an address; none if it is neither."""
    plain = ADDRESS.sub("", text, count=1)
    return b64decode(plain) if len(plain) % 4 == 0 and BASE64.fullmatch(plain) else b""


def type_of(data: bytes) -> str:
    """Return the media type that bytes show."""
    return PDF if data.startswith(b"%PDF") else image_type(data)


def wrong_media(media_type: Json, text: Json, taken: tuple[str, ...]) -> str:
    """Say why bytes in base64 are not taken as what they are said to be; nothing if they are."""
    if media_type not in taken:
        return f"Unsupported MIME type: {media_type}"
    data = decoded(text) if isinstance(text, str) else b""
    if not data:
        return "Could not process image: it is not base64"
    shown = type_of(data)
    return "" if shown == media_type else f"The data was specified as {media_type}, but appears to be {shown or 'none'}"
