"""Rank skills by how well each fits a task, which decides whose text gets into the prompt."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY

from openkoi_base.skillfile.locations import FoundSkill
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs import Recall
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

# Skills below this score or similarity are not used (estimates, like the weights in ``Signals.score``).
MAX_RANKED = 5
MIN_SCORE = 0.1
MIN_SIMILARITY = 0.3
# How much a word counts in the name, in the description and at the start of the text, compared with the rest of it.
# Measured over 1,000 public skills: the right skill is among the first three for 23 of 30 requests in a user's words,
# and for 70 % of 92 phrases that were quoted in descriptions and removed from them. Without the rest of the text, it is
# for 21 requests and 67 % of the phrases.
NAME_WEIGHT, PURPOSE_WEIGHT, OPENING_WEIGHT = 6, 6, 2
OPENING_CHARACTERS, INDEXED_CHARACTERS = 1_500, 4_000
CODE_BLOCK = lazy_pattern(r"(?s)```.*?```")
FULL_WEIGHT_RUNS = 10  # judged runs from which on a skill's effect counts fully
REQUEST_PATTERN = r"(?:use|using|with|by|run|apply|follow)\s+(?:the\s+)?[\"'`]?{name}(?![\w-])"
MENTION_PATTERN = (
    r"(?<![\w-]){name}[\"'`]?\s+skill\b|\bskill[\s:=\"'`]{{1,3}}{name}(?![\w-])|(?<!\w)[$@`]{name}(?![\w-])"
)


@dataclass(frozen=True, slots=True)
class SkillEffect:
    """A skill's average outcome, and how often it was judged."""

    average: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The reasons to use a skill."""

    explicit: bool = False
    effect: SkillEffect | None = None
    similarity: float = 0.0
    recalled: bool = False
    approved: float = 0.0

    @property
    def score(self) -> float:
        """The expected usefulness, 0.0 to 1.0."""
        effect = self.effect.average * min(self.effect.count / FULL_WEIGHT_RUNS, 1.0) * 0.4 if self.effect else 0.0
        alike = self.similarity * 0.3 if self.similarity > MIN_SIMILARITY else 0.0
        return min(1.0, self.explicit * 1.0 + effect + alike + self.recalled * 0.2 + self.approved * 0.3)

    @property
    def fits(self) -> bool:
        """Whether a signal is about this task, and not only about the skill's quality."""
        return self.explicit or self.recalled or self.similarity > MIN_SIMILARITY

    def __str__(self) -> str:
        named = {"asked for": self.explicit, "recalled": self.recalled, "approved": self.approved > 0}
        reasons = [name for name, holds in named.items() if holds]
        reasons += [f"average {self.effect.average:.2f} in {self.effect.count} runs"] if self.effect else []
        return ", ".join(reasons + ([f"similarity {self.similarity:.2f}"] if self.similarity > MIN_SIMILARITY else []))


@dataclass(frozen=True, slots=True)
class RankedSkill:
    """A skill and its signals."""

    found: FoundSkill
    _: KW_ONLY
    signals: Signals


def rank_candidates(candidates: Iterable[RankedSkill]) -> list[RankedSkill]:
    """Return the relevant skills, best first; requested ones are always included."""
    worth = [one for one in candidates if one.signals.score > MIN_SCORE or one.signals.explicit]
    return sorted(worth, key=lambda one: (-one.signals.score, one.found.skill.name))[:MAX_RANKED]


def mentions_skill(name: str, text: str) -> bool:
    """Return whether a text names a skill; a plain word only with a phrase such as ``the review skill``."""
    parts = [part for part in re.split(r"[\s_-]+", name) if part]
    folded = text.casefold()
    if not parts or not all(part.casefold() in folded for part in parts):
        return False  # before a pattern is compiled, which takes a millisecond
    spelled = r"(?:[\s_-]+|[/:.])".join(map(re.escape, parts))
    pattern = MENTION_PATTERN.format(name=spelled)
    pattern += f"|{REQUEST_PATTERN.format(name=spelled)}" if name.isalpha() else rf"|(?<![\w-]){spelled}(?![\w-])"
    return bool(re.search(pattern, text, re.IGNORECASE))


def find_mentioned(starts: Iterable[tuple[str, str]], *texts: str) -> set[str]:
    """Return the names that any of some texts mentions; ``starts`` are the first parts of names with the names."""
    folded = [(text, text.casefold()) for text in texts]
    return {name for start, name in starts for text, plain in folded if start in plain and mentions_skill(name, text)}


def recalled_texts(recall: Recall) -> list[str]:
    """Return the recalled texts, in which skills may be mentioned."""
    return [" ".join((hit.item.text, *getattr(hit.item, "keys", ()))) for hit in recall.hits]


def weigh_parts(skill: Skill) -> Sequence[tuple[str, int]]:
    """Return the search text of a skill: its name and purpose count most, then the beginning of its text."""
    text = CODE_BLOCK.sub(" ", skill.body)[:INDEXED_CHARACTERS]
    return [
        (skill.name.replace("-", " "), NAME_WEIGHT),
        (skill.purpose, PURPOSE_WEIGHT),
        (text[:OPENING_CHARACTERS], OPENING_WEIGHT),
        (text[OPENING_CHARACTERS:], 1),
    ]


def purpose_text(skill: Skill) -> str:
    """Return the stated purpose of a skill."""
    return f"{skill.name.replace('-', ' ')}: {skill.purpose}"
