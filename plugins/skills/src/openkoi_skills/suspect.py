"""Find suspicious text in untrusted content."""

import re
import unicodedata

PATTERNS = {
    "tells the model to forget its instructions": (
        r"(?i)\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|earlier|system)\b.{0,20}\binstructions?"
    ),
    "fetches a program and runs it unseen": r"(?i)\b(?:curl|wget|iwr)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
    "runs what it decodes": r"(?i)base64\s+(?:-d|-D|--decode)[^\n]*\|\s*(?:ba|z|da)?sh\b",
    "wants something kept from the person": (
        r"(?i)\b(?:do not|don't|never)\b.{0,20}\b(?:tell|mention|show|reveal)\b.{0,30}\b(?:user|person|human)\b"
    ),
}
PLAIN_FORMAT = {"\u200d", "\ufeff"}


def suspicions(text: str) -> tuple[str, ...]:
    """Sentences without a subject, about what is in it."""
    hidden = [char for char in text if unicodedata.category(char) == "Cf" and char not in PLAIN_FORMAT]
    found = [what for what, pattern in PATTERNS.items() if re.search(pattern, text)]
    return (*found, *(["hides characters that cannot be seen"] if hidden else []))
