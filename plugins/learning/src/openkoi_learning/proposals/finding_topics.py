"""Define the topics of findings, their questions, and the words that identify them.

The words of a finding only select a topic; they never become part of a question.
"""

import re
import tomllib
from dataclasses import field
from functools import cache
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

TABLE = Path(__file__).with_name("finding_topics.toml")


@dataclass(frozen=True, slots=True)
class FindingTopic:
    """An aspect of work that can be right or wrong, and the judge's question about it."""

    name: str
    question: str
    pattern: re.Pattern[str] = field(repr=False)


@cache
def finding_topics() -> tuple[FindingTopic, ...]:
    """Return the topics of ``finding_topics.toml``."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["topic"]
    patterns = (re.compile(rf"(?i)(?<![a-z])(?:{one['words']})") for one in rows)
    return tuple(FindingTopic(one["name"], one["question"], words) for one, words in zip(rows, patterns, strict=True))


OTHER = FindingTopic(
    "known faults",
    "Is the work free of the mistakes that were found in similar work, quoted below as examples?",
    lazy_pattern(r"(?!)"),
)


def find_topic(title: str) -> FindingTopic | None:
    """Return the topic that most of a finding's words match; the first one if tied."""
    counts = [(len(topic.pattern.findall(title)), topic) for topic in finding_topics()]
    highest = max(count for count, _ in counts)
    return next(topic for count, topic in counts if count == highest) if highest else None
