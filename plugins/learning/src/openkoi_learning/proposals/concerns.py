"""Define the topics of findings, their questions, and the words that identify them.

The words of a finding only select a topic; they never become part of a question.
"""

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FindingTopic:
    """Something that can be right or wrong with work, and the question for a judge about it."""

    name: str
    question: str
    pattern: re.Pattern[str] = field(repr=False)


def concern(name: str, question: str, words: str) -> FindingTopic:
    """One of them; ``words`` are beginnings of words."""
    return FindingTopic(name, question, re.compile(rf"(?i)(?<![a-z])(?:{words})"))


CONCERNS = (
    concern(
        "figures",
        "Is every number right, and does it agree with the numbers that it is made of?",
        r"figure|number|totals?\b|sums?\b|amount|calculat|arithmetic|percent|round(?:ed|ing)|add up|off by|balance",
    ),
    concern(
        "dates and periods",
        "Are dates, periods and their order right, and is it said which ones are meant?",
        r"dates?\b|dated|deadline|period|quarter|months?\b|years?\b|time ?zone|calendar|fiscal",
    ),
    concern(
        "units", "Does every quantity have its unit, the same one throughout?", r"units?\b|currenc|metric|scales?\b"
    ),
    concern(
        "sources",
        "Does it say where each claim comes from, and does the source bear it out?",
        r"sources?\b|cit(?:e|ed|ing|ation)|references?\b|evidence|attribut|unsupported|unsourced",
    ),
    concern(
        "obligations",
        "Does it meet the rules, standards and disclosures that work of this kind is bound by?",
        r"complian|comply|regulat|disclos|polic(?:y|ies)|legal|licen[cs]|mandatory|disclaimer",
    ),
    concern(
        "safety",
        "Does it keep secrets and personal data in, and what is unsafe out?",
        r"secret|password|credential|inject|sanitis|sanitiz|permission|unsafe|vulnerab|privacy|personal data|leak",
    ),
    concern(
        "odd cases",
        "Does it hold for odd input and failure: empty, missing, too large, malformed?",
        r"error handling|errors?\b|exception|crash|edge case|boundar|invalid|empty|null|fails?\b|failure|overflow",
    ),
    concern(
        "consistency",
        "Do its parts agree with each other, in content and in how things are called?",
        r"inconsisten|contradict|mismatch|disagree|do(?:es)? not (?:match|agree)|conflict",
    ),
    concern(
        "completeness",
        "Is everything there that was asked for, and that work of this kind needs?",
        r"missing|omit|absent|lack|incomplete|left out|not (?:cover|mention|includ|address)|forgot|unfinished|no\b",
    ),
    concern(
        "truth",
        "Is what it says true, and borne out by what was given?",
        r"fact|inaccura|incorrect|wrong|false|mislead|invented|fabricat|hallucinat|untrue",
    ),
    concern(
        "form",
        "Does it have the form that is wanted: template, layout, tables, spacing?",
        r"format|template|tables?\b|align|column|layout|spacing|indent|markdown|bullet",
    ),
    concern(
        "structure",
        "Is it built so that a reader finds what matters, in an order that makes sense?",
        r"structur|ordering|order of|sections?\b|heading|organi[sz]|buried|flow\b",
    ),
    concern(
        "clarity",
        "Can it be understood at once, without words that say nothing?",
        r"unclear|vague|ambigu|confus|jargon|verbose|wordy|too long|hard to (?:read|follow)|unexplained|clarity",
    ),
    concern(
        "tone",
        "Does it speak as its readers are to be spoken to?",
        r"tone\b|voice\b|formal|informal|polite|audience|register\b|style\b",
    ),
    concern(
        "language",
        "Are spelling, grammar and names right?",
        r"spelling|misspel|typo|grammar|punctuation|wording|misnamed|names? of",
    ),
    concern("repetition", "Is each thing said and done once?", r"repeat|repetit|duplicat|redundan|twice"),
    concern(
        "focus",
        "Does it keep to what was asked for?",
        r"irrelevan|off.topic|unrelated|not asked|unasked|out of scope|digress",
    ),
)
OTHER = FindingTopic(
    "known faults",
    "Is it free of the faults that were found in such work before, which are quoted below as examples?",
    re.compile(r"(?!)"),
)


def about(title: str) -> FindingTopic | None:
    """What a finding is about: the concern that most of its words speak of, the first of equals."""
    counts = [(len(one.pattern.findall(title)), one) for one in CONCERNS]
    most = max(count for count, _ in counts)
    return next(one for count, one in counts if count == most) if most else None
