"""Recognize an empty body, whatever its content type."""

BLANK_BODIES = frozenset((b"", b"null", b"{}", b"[]", b'""', b"[null]", b"[{}]"))
MAX_BLANK_BYTES = 64


def is_blank(body: bytes) -> bool:
    """Return whether a body is white space or empty JSON."""
    return len(body) <= MAX_BLANK_BYTES and b"".join(body.removeprefix(b"\xef\xbb\xbf").split()) in BLANK_BODIES
