"""Scan untrusted content for prompt injection and other suspicious text."""

import re
import unicodedata

PATTERNS = {
    "asks the model to ignore its instructions": (
        r"(?i)\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|earlier|system)\b.{0,20}\binstructions?"
    ),
    "downloads a program and runs it": r"(?i)\b(?:curl|wget|iwr)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
    "runs a decoded command": r"(?i)base64\s+(?:-d|-D|--decode)[^\n]*\|\s*(?:ba|z|da)?sh\b",
    "asks the model to hide something from the user": (
        r"(?i)\b(?:do not|don't|never)\b.{0,20}\b(?:tell|mention|show|reveal)\b.{0,30}\b(?:user|person|human)\b"
    ),
}
PLAIN_FORMAT = {"\u200d", "\ufeff"}


def find_suspicions(text: str) -> tuple[str, ...]:
    """Return suspicious properties, as predicates for a sentence about the text."""
    hidden = [char for char in text if unicodedata.category(char) == "Cf" and char not in PLAIN_FORMAT]
    found = [what for what, pattern in PATTERNS.items() if re.search(pattern, text)]
    return (*found, *(["contains invisible characters"] if hidden else []))
