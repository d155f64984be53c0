"""Check the log's blobs for secrets."""

from collections.abc import Callable


def has_secret(content: bytes, redact: Callable[[str], str]) -> bool:
    """Return whether a text contains a secret, which may have been unknown when it was logged."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return redact(text) != text
