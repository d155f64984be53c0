"""What a small model answered when it was asked for lessons: in the form that was asked for, as a list, or as JSON.

Small models do not keep to forms. Knows texts only; what they are worth is for others to say.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

ASKED_FOR = re.compile(r"^[-*\d.\s]*(?P<text>[^|]{8,})\|(?P<when>[^|]*)\|(?P<unless>[^|]*)\|(?P<number>[^|]*)$")
LISTED = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(?:\*\*)?(?:[A-Za-z-]{4,14}:)?(?:\*\*)?\s*(?P<text>\S[^|]{14,})$")
FENCE = re.compile(r"\A\s*```\w*\n(?P<inside>.*?)\n?```\s*\Z", re.DOTALL)
TEXTS = ("lesson", "learning", "text", "content", "rule")
NOTHING = frozenset({"", "-", "--", "none", "n/a"})


@dataclass(frozen=True, slots=True)
class LessonAnswer:
    """One lesson: what to do, when, where it does not hold, and the number of the finding that it prevents."""

    text: str
    when: str = ""
    unless: str = ""
    number: str = ""


def answers(reply: str) -> list[LessonAnswer]:
    """Read an answer; what has none of the forms is left out."""
    fenced = FENCE.match(reply)
    text = fenced["inside"] if fenced else reply
    try:
        return list(parse_json(json.loads(text)))
    except (ValueError, RecursionError):
        return list(parse_lines(text))


def parse_lines(text: str) -> Iterator[LessonAnswer]:
    """Yield lessons from lines: in the requested form if any is, else the points of a list."""
    lines = [line.strip() for line in text.splitlines()]
    asked_for = [LessonAnswer(*map(plain, match.groups())) for line in lines if (match := ASKED_FOR.match(line))]
    if asked_for:
        yield from asked_for
    else:
        yield from (LessonAnswer(plain(match["text"])) for line in lines if (match := LISTED.match(line)))


def parse_json(value: object) -> Iterator[LessonAnswer]:
    """Yield lessons from JSON: texts, objects with one, and lists of these."""
    match value:
        case str():
            yield LessonAnswer(plain(value))
        case list():
            for one in value:
                yield from parse_json(one)
        case dict():
            text = next((value[key] for key in TEXTS if isinstance(value.get(key), str)), "")
            if text:
                yield LessonAnswer(
                    plain(text), *(plain(str(value.get(key) or "")) for key in ("when", "unless", "number"))
                )
            else:
                yield from (one for each in value.values() if isinstance(each, list) for one in parse_json(each))


def plain(text: str) -> str:
    """A text without the marks around it; nothing, where it says that there is nothing."""
    said = text.strip(" []#*\t")
    return "" if said.rstrip(".").lower() in NOTHING else said
