"""Make untrusted text safe to quote as an example: one short line without instructions and hidden characters.

Findings are written by models that have read the work, which may be anyone's. So a title is data: it is quoted,
shortened, and dropped if it looks like an instruction.
"""

import re
import unicodedata

from openkoi_hookspecs.lazy_pattern import lazy_pattern

MAX_EXAMPLE_CHARACTERS = 100
MARKS = lazy_pattern(r"[`*_#<>\[\]{}|\\\"“”„«»~^=]+")
ADDRESS = lazy_pattern(r"(?i)\b(?:https?|ftp|file|data|javascript)\s*:\S*|\bwww\.\S+")
STEERING = lazy_pattern(
    r"(?i)\b(?:ignore|disregard|forget|override|obey|pretend|comply)\b|\binstructions?\b"
    r"|\bas an? (?:ai|assistant|model|judge|evaluator)\b|\b(?:system|developer) (?:prompt|message)"
    r"|\b(?:you|judges?|evaluators?|graders?)\s+(?:must|should|shall|have to|are to|will|need to)\b"
    r"|\balways (?:score|give|rate|accept|approve|pass|answer)\b|\b(?:no|without any?) findings?\b"
    r"|\b(?:score|rate|grade|give|award|assign)\b.{0,40}"
    r"\b(?:1(?:\.0+)?|10(?:/10)?|100\s?%?|full|maximum|perfect|highest)\b"
    r"|\b(?:accept|approve|pass)\s+(?:this|it|all|every|any|the work|everything)\b"
    r"|\bdo not (?:report|mention|flag|list|deduct)\b"
)


def sanitize_line(text: str, limit: int = MAX_EXAMPLE_CHARACTERS) -> str:
    """Return one line of untrusted text without markup, addresses and invisible characters; cut at a word."""
    visible_text = unicodedata.normalize("NFKC", text)
    visible_text = "".join(
        " " if char.isspace() else char for char in visible_text if char.isspace() or is_visible(char)
    )
    line = " ".join(MARKS.sub(" ", ADDRESS.sub(" ", visible_text)).split()).strip(" -:;,.'")
    if len(line) <= limit:
        return line
    return f"{line[: line.rfind(' ', 0, limit) if ' ' in line[:limit] else limit].rstrip(' -:;,.')}…"


def is_visible(char: str) -> bool:
    """Return whether a character is visible and harmless."""
    return unicodedata.category(char)[0] not in "C"


def is_instruction(text: str) -> bool:
    """Return whether a text would instruct a judge, in any known way."""
    return bool(STEERING.search(sanitize_line(text, 1_000)))


def safe_example(text: str) -> str:
    """Return a title if it is safe to quote, else an empty string."""
    line = sanitize_line(text)
    return "" if is_instruction(text) or sum(char.isalpha() for char in line) < 3 else line


def make_slug(text: str, limit: int = 40) -> str:
    """Return a folder name: lower-case letters, digits and single dashes; empty if nothing remains."""
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:limit].strip("-")
