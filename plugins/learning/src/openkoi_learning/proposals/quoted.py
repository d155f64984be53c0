"""What a stranger wrote, made fit to be shown as an example: one short line that neither steers nor hides anything.

Findings are written by models that have read the work, and the work may be anybody's. So a finding's title is data: it
is quoted, bounded, and left out altogether where it looks like an instruction. Knows text only.
"""

import re
import unicodedata

LONGEST = 100
MARKS = re.compile(r"[`*_#<>\[\]{}|\\\"“”„«»~^=]+")
ADDRESS = re.compile(r"(?i)\b(?:https?|ftp|file|data|javascript)\s*:\S*|\bwww\.\S+")
STEERING = re.compile(
    r"(?i)\b(?:ignore|disregard|forget|override|obey|pretend|comply)\b|\binstructions?\b"
    r"|\bas an? (?:ai|assistant|model|judge|evaluator)\b|\b(?:system|developer) (?:prompt|message)"
    r"|\b(?:you|judges?|evaluators?|graders?)\s+(?:must|should|shall|have to|are to|will|need to)\b"
    r"|\balways (?:score|give|rate|accept|approve|pass|answer)\b|\b(?:no|without any?) findings?\b"
    r"|\b(?:score|rate|grade|give|award|assign)\b.{0,40}"
    r"\b(?:1(?:\.0+)?|10(?:/10)?|100\s?%?|full|maximum|perfect|highest)\b"
    r"|\b(?:accept|approve|pass)\s+(?:this|it|all|every|any|the work|everything)\b"
    r"|\bdo not (?:report|mention|flag|list|deduct)\b"
)


def plain(text: str, longest: int = LONGEST) -> str:
    """One line of a stranger's text without markup, addresses and what cannot be seen; cut at a word."""
    seen = unicodedata.normalize("NFKC", text)
    seen = "".join(" " if char.isspace() else char for char in seen if char.isspace() or is_visible(char))
    line = " ".join(MARKS.sub(" ", ADDRESS.sub(" ", seen)).split()).strip(" -:;,.'")
    if len(line) <= longest:
        return line
    return f"{line[: line.rfind(' ', 0, longest) if ' ' in line[:longest] else longest].rstrip(' -:;,.')}…"


def is_visible(char: str) -> bool:
    """Return whether a character is visible and harmless."""
    return unicodedata.category(char)[0] not in "C"


def steers(text: str) -> bool:
    """Whether a text would tell a judge what to do, in any of the ways that are known."""
    return bool(STEERING.search(plain(text, 1_000)))


def example(text: str) -> str:
    """A title as it may be quoted; empty where nothing of it should be."""
    line = plain(text)
    return "" if steers(text) or sum(char.isalpha() for char in line) < 3 else line


def slug(text: str, longest: int = 40) -> str:
    """A name for a folder: small letters, digits and single dashes; empty where nothing is left."""
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:longest].strip("-")
