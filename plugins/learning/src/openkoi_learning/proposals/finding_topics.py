"""Define the topics of findings, their questions, and the words that identify them.

The words of a finding only select a topic; they never become part of a question.
"""

import re
from dataclasses import field

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern


@dataclass(frozen=True, slots=True)
class FindingTopic:
    """Something that can be right or wrong with work, and the question for a judge about it."""

    name: str
    question: str
    pattern: re.Pattern[str] = field(repr=False)


def define_topic(name: str, question: str, words: str) -> FindingTopic:
    """Define a topic; ``words`` are beginnings of words."""
    return FindingTopic(name, question, re.compile(rf"(?i)(?<![a-z])(?:{words})"))


TOPICS = (
    define_topic(
        "figures",
        "Is every number right, and does it agree with the numbers it is derived from?",
        r"figure|number|totals?\b|sums?\b|amount|calculat|arithmetic|percent|round(?:ed|ing)|add up|off by|balance",
    ),
    define_topic(
        "dates and periods",
        "Are dates, periods and their order right, and is it clear which ones are meant?",
        r"dates?\b|dated|deadline|period|quarter|months?\b|years?\b|time ?zone|calendar|fiscal",
    ),
    define_topic(
        "units", "Does every quantity have its unit, the same one throughout?", r"units?\b|currenc|metric|scales?\b"
    ),
    define_topic(
        "sources",
        "Does it say where each claim comes from, and does the source support it?",
        r"sources?\b|cit(?:e|ed|ing|ation)|references?\b|evidence|attribut|unsupported|unsourced",
    ),
    define_topic(
        "obligations",
        "Does it meet the rules, standards and disclosures that apply to this kind of work?",
        r"complian|comply|regulat|disclos|polic(?:y|ies)|legal|licen[cs]|mandatory|disclaimer",
    ),
    define_topic(
        "safety",
        "Does it protect secrets and personal data, and exclude what is unsafe?",
        r"secret|password|credential|inject|sanitis|sanitiz|permission|unsafe|vulnerab|privacy|personal data|leak",
    ),
    define_topic(
        "odd cases",
        "Does it handle unusual input and failure: empty, missing, too large, malformed?",
        r"error handling|errors?\b|exception|crash|edge case|boundar|invalid|empty|null|fails?\b|failure|overflow",
    ),
    define_topic(
        "consistency",
        "Do its parts agree with each other, in content and terminology?",
        r"inconsisten|contradict|mismatch|disagree|do(?:es)? not (?:match|agree)|conflict",
    ),
    define_topic(
        "completeness",
        "Does it contain everything that was asked for and that this kind of work needs?",
        r"missing|omit|absent|lack|incomplete|left out|not (?:cover|mention|includ|address)|forgot|unfinished|no\b",
    ),
    define_topic(
        "truth",
        "Is what it says true, and supported by the input?",
        r"fact|inaccura|incorrect|wrong|false|mislead|invented|fabricat|hallucinat|untrue",
    ),
    define_topic(
        "form",
        "Does it have the required format: template, layout, tables, spacing?",
        r"format|template|tables?\b|align|column|layout|spacing|indent|markdown|bullet",
    ),
    define_topic(
        "structure",
        "Is it built so that a reader finds what matters, in an order that makes sense?",
        r"structur|ordering|order of|sections?\b|heading|organi[sz]|buried|flow\b",
    ),
    define_topic(
        "clarity",
        "Is it clear and concise, without filler?",
        r"unclear|vague|ambigu|confus|jargon|verbose|wordy|too long|hard to (?:read|follow)|unexplained|clarity",
    ),
    define_topic(
        "tone",
        "Is its tone right for its readers?",
        r"tone\b|voice\b|formal|informal|polite|audience|register\b|style\b",
    ),
    define_topic(
        "language",
        "Are spelling, grammar and names right?",
        r"spelling|misspel|typo|grammar|punctuation|wording|misnamed|names? of",
    ),
    define_topic(
        "repetition", "Does each thing appear and happen only once?", r"repeat|repetit|duplicat|redundan|twice"
    ),
    define_topic(
        "focus",
        "Does it keep to what was asked for?",
        r"irrelevan|off.topic|unrelated|not asked|unasked|out of scope|digress",
    ),
)
OTHER = FindingTopic(
    "known faults",
    "Is it free of the mistakes that were found in similar work, quoted below as examples?",
    lazy_pattern(r"(?!)"),
)


def find_topic(title: str) -> FindingTopic | None:
    """Return the topic that most of a finding's words are about, the first of equals."""
    counts = [(len(topic.pattern.findall(title)), topic) for topic in TOPICS]
    highest = max(count for count, _ in counts)
    return next(topic for count, topic in counts if count == highest) if highest else None
