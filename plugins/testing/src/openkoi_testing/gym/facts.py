"""Read texts about a fact: which value they name, deny or choose, and under which condition."""

import re
from collections.abc import Iterator
from random import Random

from .structure import Fact
from .words import ASPECTS, CONDITIONS, TOPICS
from .world import Claim

FOUND = re.compile(r"\b(?:deprecated|expression has type|but found|assert|AssertionError:)\s[`'\"]?\Z")
REJECTED = re.compile(r"\A[`'\"]? (?:is (?:banned|deprecated)|should be|==|!=)")
DENIED = re.compile(r"\b(?:not|never|avoid|avoiding|don't)\b(?:\W+\w+){0,12}\W*$", re.IGNORECASE)


def subject_in(fact: Fact, text: str) -> str:
    """Return the subject of a fact in a text: another one where its condition is named."""
    return f"{fact.key}|" if fact.condition >= 0 and names_condition(fact, text) else fact.key


def names_condition(fact: Fact, text: str) -> bool:
    """Return whether a text names the condition of a fact."""
    return fact.condition >= 0 and any(words.lower() in text.lower() for words in CONDITIONS[fact.condition])


def claims_about(fact: Fact, text: str) -> Iterator[Claim]:
    """Yield what a text says about a fact."""
    lowered = text.lower()
    for value in (one for one in fact.values if one.strip("`") in lowered):
        for found in re.finditer(rf"(?<![\w-]){re.escape(value.strip('`'))}(?![\w-])", text, re.IGNORECASE):
            before, after = text[: found.start()], text[found.end() :]
            denied = DENIED.search(before) or FOUND.search(before) or REJECTED.search(after)
            yield Claim(subject_in(fact, text), value, bool(denied))


def chosen(fact: Fact, work: str) -> str:
    """Return the value of a fact in a work, or nothing."""
    found = [(work.lower().rfind(value.strip("`")), value) for value in fact.values]
    at, value = max(found)
    return value if at >= 0 else ""


def name_of(fact: Fact, random: Random | None) -> str:
    """Return a fact's subject in words; without a random stream, in its usual words."""
    aspect, topic = ASPECTS[fact.aspect], TOPICS[fact.topic] if fact.topic >= 0 else ()
    if random is None:
        return f"{aspect[0]} of the {topic[0]}" if topic else aspect[0]
    name = random.choice(aspect)
    return f"{name} of the {random.choice(topic)}" if topic else name


def is_named(fact: Fact, text: str) -> bool:
    """Return whether a text, in lower case, names a fact's aspect, and its topic if it has one."""
    names, topics = ASPECTS[fact.aspect], TOPICS[fact.topic] if fact.topic >= 0 else ()
    return any(name.lower() in text for name in names) and (not topics or any(topic in text for topic in topics))
