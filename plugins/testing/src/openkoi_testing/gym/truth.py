"""Determine what is right in a drawn world."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field, replace
from random import Random

from openkoi_hookspecs import Finding
from openkoi_hookspecs.lazy_dataclass import dataclass

from .facts import chosen, claims_about, is_named, name_of, subject_in
from .structure import Fact, Structure
from .words import ADVICE, CONDITIONS, TOPICS
from .world import Claim, GymTask


@dataclass(slots=True)
class DrawnTruth:
    """What is right in a drawn world; ``values`` are the right ones by project and subject."""

    like: Structure
    facts: Sequence[Fact]
    values: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number in range(self.like.projects):
            right = {fact.key: fact.values[number] for fact in self.facts}
            other = {f"{fact.key}|": fact.values[1 - number] for fact in self.facts if fact.condition >= 0}
            self.values[f"project{number}"] = {**right, **other}

    @property
    def wrong_advice(self) -> float:
        """The share of wrong advice."""
        return self.like.wrong_advice

    @property
    def noise(self) -> float:
        """The share of right values that are called wrong at first."""
        return self.like.noise

    def find_needed(self, task: GymTask) -> Iterator[Fact]:
        """Yield the facts that a task needs, read from its words."""
        text = task.text.lower()
        for fact in self.facts:
            if fact.topic < 0 or any(name in text for name in TOPICS[fact.topic]):
                yield fact

    def needs(self, task: GymTask) -> Sequence[str]:
        """Return the subjects that a task needs."""
        return [subject_in(fact, task.text) for fact in self.find_needed(task)]

    def claims(self, text: str, task: GymTask | None = None) -> Collection[Claim]:
        """Return a text's claim, by the values in it."""
        found = [(fact, claim) for fact in self.facts for claim in claims_about(fact, text)]
        return [replace(one, subject=subject_in(fact, task.text)) if task else one for fact, one in found]

    def subject_of(self, finding: Finding, task: GymTask) -> str:
        """Return the fact that a finding names, or else one of whose values it quotes."""
        text = f"{finding.title} {finding.detail} {finding.fix}"
        needed = list(self.find_needed(task))
        named = [fact for fact in needed if is_named(fact, text.lower())]
        quoted = [fact for fact in needed if not named and any(claims_about(fact, text))]
        return next((subject_in(fact, task.text) for fact in (*named, *quoted)), "")

    def right(self, project: str, subject: str) -> str:
        """Return the right value."""
        return self.values[project][subject]

    def wrong(self, project: str, subject: str) -> str:
        """Return a value that can be right only after a drift, and that no model starts with."""
        return next(fact.values[2] for fact in self.facts if fact.key == subject.rstrip("|"))

    def set_right(self, project: str, subject: str, value: str) -> None:
        """Let another value be right."""
        self.values[project][subject] = value

    def passes(self, task: GymTask, work: str) -> bool:
        """Return whether every subject has its right value."""
        return all(
            chosen(fact, work) == self.right(task.project, subject_in(fact, task.text))
            for fact in self.find_needed(task)
        )

    def misleads(self, task: GymTask, line: str) -> bool:
        """Return whether a line says something wrong about a subject of the task, or of the project."""
        needed = {fact.key: subject_in(fact, task.text) for fact in self.find_needed(task)}
        for claim in self.claims(line):
            key = claim.subject.rstrip("|")
            if claim.subject.endswith("|") and key in needed and needed[key] != claim.subject:
                continue  # an exception that does not apply here
            subject = needed.get(key, claim.subject)
            if (claim.value == self.right(task.project, subject)) is claim.denied:
                return True
        return False

    def advise(self, subject: str, value: str) -> str:
        """Return a line that advises a value."""
        fact = next(one for one in self.facts if one.key == subject.rstrip("|"))
        line = ADVICE[0].format(v=value, s=name_of(fact, None))
        return f"{line[:-1]} {CONDITIONS[fact.condition][0]}." if subject.endswith("|") else line

    def turn(self, random: Random) -> None:
        """Change a share of the right values."""
        for right in self.values.values():
            for fact in self.facts:
                if random.random() < self.like.drift:
                    right[fact.key] = fact.values[2]
