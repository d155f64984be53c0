"""A world behind the sockets: hidden truths of projects, tasks in many words, and how a text is understood.

Knows what is right in each project and nothing of models, judges or memories: those ask it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from koi_words import ASIDES, FAMILIES, JOINS, Family

WARNING = re.compile(r"^\W*(?:perhaps )?(?:do not|don't|never|avoid)\b", re.IGNORECASE)
DENIED = re.compile(
    r"\b(?:not|never|avoid|instead of|rather than|was|found|got|no longer)(?: \w+){0,2} [`'\"]?$", re.IGNORECASE
)
REFUSED = re.compile(r"^\W*(?:is|was|are)? ?(?:wrong|fails|not|rejected|no longer)\b", re.IGNORECASE)
EXPECTED = re.compile(r"\banother\b.* than [`'\"]?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What one world is like; all else is the same in each.

    ``output`` is what the model hands in: ``text`` or ``file``. ``says`` is what a finding tells: ``fix`` what to do,
    ``detail`` what was expected, ``bare`` neither; ``hint`` is no finding at all, but one line of advice. ``rules`` is
    how often a finding names a rule. ``taste`` is how often there is a finding that is about nothing of this.
    """

    name: str
    output: str = "text"
    says: str = "fix"
    checks: bool = True
    rules: float = 0.5
    marked: bool = True
    knows: float = 0.1
    obeys: float = 0.97
    noise: float = 0.02
    misleads: float = 0.1
    taste: float = 0.1
    traps: float = 0.0
    more: float = 0.35
    most: int = 3
    families: int = 24
    projects: int = 1
    drift: int = -1
    drifting: float = 0.25


WORLDS = (
    World(name="text"),
    World(name="files", output="file", says="detail", rules=0.0),
    World(name="bare", output="file", says="bare", rules=0.3, misleads=0.0),
    World(name="judge", says="fix", checks=False, rules=0.0, marked=False),
    World(name="hint", says="hint", checks=False, marked=False),
    World(name="strong", knows=0.6),
    World(name="drift", drift=250),
    World(name="opposite", projects=2),
    World(name="traps", traps=0.5),
    World(name="stack", more=0.65),
)


@dataclass(slots=True)
class Truths:
    """What is right in each project of a world; in the second project it is what leads astray in the first."""

    like: World
    seed: int = 0
    random: Random = field(init=False)
    right: dict[str, dict[str, str]] = field(init=False)
    trap: dict[str, dict[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(f"truths {self.like.name} {self.seed}")
        names = [f"pond{number}" for number in range(self.like.projects)]
        self.right = {name: {one.slot: one.values[at % 2] for one in self.families} for at, name in enumerate(names)}
        self.trap = {name: {one.slot: one.values[1 - at % 2] for one in self.families} for at, name in enumerate(names)}

    @property
    def families(self) -> tuple[Family, ...]:
        """The kinds of tasks that there are here."""
        return FAMILIES[: self.like.families]

    def turn(self) -> None:
        """A share of what was right is wrong from now on."""
        for known in self.right.values():
            for one in self.families:
                if self.random.random() < self.like.drifting:
                    known[one.slot] = one.values[2]

    def task(self) -> tuple[str, str]:
        """A project, and what is asked for in it; some things are asked for more often than others."""
        many = self.families
        needs = [many[min(int(self.random.expovariate(0.12)), len(many) - 1)]]
        while len(needs) < self.like.most and self.random.random() < self.like.more:
            needs.append(self.random.choice([one for one in many if one not in needs]))
        words = self.random.choice(JOINS).join(self.random.choice(one.asks) for one in needs)
        aside = self.random.choice(ASIDES)
        return self.random.choice(list(self.right)), f"{words[0].upper()}{words[1:]} {aside}".strip()

    def needs(self, text: str) -> list[Family]:
        """What a task takes, told from its words."""
        spoken = text.lower()
        return [one for one in self.families if any(ask in spoken for ask in one.asks)]

    def misleading(self, project: str, line: str) -> bool:
        """Whether who follows a line does what is wrong in a project."""
        right = self.right[project]
        for one in self.families:
            advised, denied = understood(line, one)
            if any(value != right[one.slot] for value in advised) or right[one.slot] in denied:
                return True
        return False


def understood(line: str, family: Family) -> tuple[list[str], list[str]]:
    """Which values of a family a line advises, and which it warns of."""
    advised: list[str] = []
    denied: list[str] = []
    for value in family.values:
        for before, after in around(value, line):
            warns = WARNING.match(line) or DENIED.search(before) or REFUSED.match(after)
            (denied if warns and not EXPECTED.search(before) else advised).append(value)
    return advised, denied


def around(value: str, line: str) -> Iterator[tuple[str, str]]:
    """What stands before and after a value, each time that it is named; a form of the word will do."""
    for found in re.finditer(rf"(?<![\w-]){re.escape(value)}(?![\w-])", line, re.IGNORECASE):
        yield line[: found.start()], line[found.end() :]


def heard(lines: Sequence[str], family: Family) -> tuple[list[str], set[str]]:
    """What some lines together advise about a family, as often as they do, and what they warn of."""
    told = [understood(line, family) for line in lines]
    denied = {value for _, some in told for value in some}
    advised = [value for some, _ in told for value in some]
    return [value for value in advised if value not in denied] or advised, denied
