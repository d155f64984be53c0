"""Parse lessons out of a small model's answer: in the requested form, as a list, or as JSON.

Small models often do not follow the requested form.
"""

import json
import re
from collections.abc import Iterator

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

REQUESTED_LINE = lazy_pattern(r"^[-*\d.\s]*(?P<text>[^|]{8,})\|(?P<when>[^|]*)\|(?P<unless>[^|]*)\|(?P<number>[^|]*)$")
LIST_ITEM = lazy_pattern(r"^\s*(?:[-*•]|\d+[.)])\s+(?:\*\*)?(?:[A-Za-z-]{4,14}:)?(?:\*\*)?\s*(?P<text>\S[^|]{14,})$")
FENCE = lazy_pattern(r"\A\s*```\w*\n(?P<inside>.*?)\n?```\s*\Z", re.DOTALL)
TEXT_KEYS = ("lesson", "learning", "text", "content", "rule")
EMPTY_VALUES = frozenset({"", "-", "--", "none", "n/a"})


@dataclass(frozen=True, slots=True)
class LessonAnswer:
    """One lesson: what to do, when, where it does not apply, and the number of the finding that it prevents."""

    text: str
    when: str = ""
    unless: str = ""
    number: str = ""


def parse_lessons(reply: str) -> list[LessonAnswer]:
    """Parse an answer; ignore anything in another form."""
    fenced = FENCE.match(reply)
    text = fenced["inside"] if fenced else reply
    try:
        return list(parse_json(json.loads(text)))
    except (ValueError, RecursionError):
        return list(parse_lines(text))


def parse_lines(text: str) -> Iterator[LessonAnswer]:
    """Yield lessons from lines: in the requested form, or else the items of a list."""
    lines = [line.strip() for line in text.splitlines()]
    requested = [
        LessonAnswer(*map(strip_marks, match.groups())) for line in lines if (match := REQUESTED_LINE.match(line))
    ]
    if requested:
        yield from requested
    else:
        yield from (LessonAnswer(strip_marks(match["text"])) for line in lines if (match := LIST_ITEM.match(line)))


def parse_json(value: object) -> Iterator[LessonAnswer]:
    """Yield lessons from JSON: texts, objects with item, and lists of these."""
    match value:
        case str():
            yield LessonAnswer(strip_marks(value))
        case list():
            for item in value:
                yield from parse_json(item)
        case dict():
            text = next((value[key] for key in TEXT_KEYS if isinstance(value.get(key), str)), "")
            if text:
                yield LessonAnswer(
                    strip_marks(text), *(strip_marks(str(value.get(key) or "")) for key in ("when", "unless", "number"))
                )
            else:
                yield from (item for part in value.values() if isinstance(part, list) for item in parse_json(part))


def strip_marks(text: str) -> str:
    """Return text without the marks around it; an empty string for a word such as "none"."""
    stripped = text.strip(" []#*\t")
    return "" if stripped.rstrip(".").lower() in EMPTY_VALUES else stripped
