"""Fence data between two lines that it cannot imitate."""

from hashlib import sha256


def fence_text(name: str, text: str) -> str:
    """Return the text between markers derived from its digest, so that no text closes its own."""
    tag = f"{name}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    return f"<{tag}>\n{text}\n</{tag}>"
