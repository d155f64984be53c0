"""One SKILL.md: what it is called, what it is for, and its text. Read leniently, written strictly. Knows no folders."""

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

from .eligible import Requirements, requirements
from .front import Front, mapping, one_line, split
from .problem import Problem, Unusable

TASK, EVALUATOR = "task", "evaluator"
KINDS = (TASK, EVALUATOR)
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1024


@dataclass(frozen=True, slots=True)
class Skill:
    """What a file says. ``metadata`` is as it was written; ``front`` tells where each value stands."""

    name: str
    description: str
    body: str
    _: KW_ONLY
    kind: str = TASK
    metadata: Mapping[str, object] = field(default_factory=dict)
    front: Front = field(default=Front({}, ""), repr=False, compare=False)

    @property
    def requires(self) -> Requirements:
        """What has to be there for it to be used."""
        return requirements(self.metadata)


def read_skill(text: str, folder: str, kind: str = TASK) -> Skill:
    """Read a file: a missing name is its folder's, a missing kind the one given. Raises Unusable, with the line."""
    front = split(text)
    facts = front.facts
    return Skill(
        one_line(facts.get("name")) or folder,
        one_line(facts.get("description")),
        front.body,
        kind=one_line(facts.get("kind")).casefold() or kind,
        metadata=mapping(facts.get("metadata")),
        front=front,
    )


def write_skill(skill: Skill) -> str:
    """Write a file that every reader of Agent Skills takes; read again it is the same skill. Raises Unusable."""
    if found := unfit(skill):
        raise Unusable(found[0])
    import yaml

    facts: dict[str, object] = {"name": skill.name, "description": skill.description}
    if skill.kind != TASK:
        facts["kind"] = skill.kind
    if skill.metadata:
        facts["metadata"] = dict(skill.metadata)
    front = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{front}---\n\n{skill.body.strip()}\n"


def unfit(skill: Skill) -> list[Problem]:
    """What other readers of Agent Skills would refuse."""
    front, found = skill.front, []
    if not NAME.fullmatch(skill.name) or len(skill.name) > LONGEST_NAME:
        text = f"the name {skill.name!r} has to be small letters, digits and single dashes, {LONGEST_NAME} at most"
        found.append(Problem(text, front.line("name"), fatal=False))
    if not 0 < len(skill.description) <= LONGEST_DESCRIPTION:
        text = f"the description has {len(skill.description)} characters, and has to have 1 to {LONGEST_DESCRIPTION}"
        found.append(Problem(text, front.line("description"), fatal=False))
    return found
