"""The bytes of images and files that the log keeps beside its lines."""

from collections.abc import Callable


def has_secret(content: bytes, redact: Callable[[str], str]) -> bool:
    """Whether there is a secret in a text, which may not have been known when it was logged; other bytes have none."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return redact(text) != text
