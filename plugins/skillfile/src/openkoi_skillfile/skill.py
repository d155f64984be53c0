"""Parse a SKILL.md leniently, and write it strictly."""

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

from .eligible import Requirements, requirements
from .front import Front, mapping, one_line, one_text, split
from .granted import find_unclosed, parse_allowed_tools
from .naming import LONGEST_NAME, NAME, NO_TEXT, choose_name
from .problem import Problem, Unusable

TASK, EVALUATOR = "task", "evaluator"
KINDS = (TASK, EVALUATOR)
LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY = 1024, 500
MORE = "openkoi-metadata"
BY_NAME, TRUE = "disable-model-invocation", ("true", "yes", "1")
UNCLOSED = "of its allowed-tools {!r} has brackets that do not fit together, so that it lets nothing through"
SILENT = ("```", "~~~", "|", "<", "---", "===")
FIRST = 10_000


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
    def purpose(self) -> str:
        """Its description and when to use it, or the start of its text."""
        facts = self.front.facts
        more = one_text(facts.get("when_to_use", facts.get("when-to-use")))
        return " ".join(filter(None, (self.description, more))) or beginning(self.body)

    @property
    def by_name(self) -> bool:
        """Whether it wants to be used only when a person asks for it by its name, as what deploys or deletes does."""
        return one_line(self.front.facts.get(BY_NAME, self.metadata.get(BY_NAME))).casefold() in TRUE

    @property
    def odd(self) -> tuple[Problem, ...]:
        """What was corrected in reading it, or could not be."""
        line = self.front.line("allowed-tools")
        return (
            *self.front.odd,
            *(Problem(UNCLOSED.format(tool), line, fatal=False) for tool in find_unclosed(self.tools)),
        )

    @property
    def requires(self) -> Requirements:
        """What has to be there for it to be used."""
        return requirements(self.metadata)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it keeps to; nothing where it does not say."""
        return parse_allowed_tools(self.front.facts.get("allowed-tools", self.metadata.get("allowed-tools")))

    def own(self, name: str) -> object:
        """A fact for OpenKoi, wherever in the metadata it stands."""
        block = mapping(self.metadata.get("openkoi"))
        return block.get(name, self.metadata.get(f"openkoi-{name}"))


def read_skill(text: str, folder: str, kind: str = TASK) -> Skill:
    """Read a file: a missing name is its folder's, a missing kind the one given. Raises Unusable, with the line."""
    name, front = name_of(split(text), folder)
    facts = front.facts
    metadata = unpack_metadata(mapping(facts.get("metadata")))
    said = one_line(facts.get("kind")) or one_line(metadata.pop("openkoi-kind", ""))
    return Skill(
        name,
        one_text(facts.get("description")),
        front.body,
        kind=said.casefold() or kind,
        metadata=metadata,
        front=front,
    )


def name_of(front: Front, folder: str) -> tuple[str, Front]:
    """Return the name to use, and the front matter with its corrections; raise InvalidSkillError."""
    said, line = front.facts.get("name"), front.line("name")
    name, odd = choose_name(one_text(said), folder, line)
    if said and not one_text(said):
        odd.append(Problem(NO_TEXT.format(name), line, fatal=False))
    every = sorted((*front.odd, *odd), key=lambda problem: problem.line)
    return name, replace(front, odd=tuple(every)) if odd else front


def write_skill(skill: Skill) -> str:
    """Write a file that every reader of Agent Skills takes; read again it is the same skill. Raises Unusable."""
    if found := unfit(skill):
        raise Unusable(found[0])
    import yaml

    facts: dict[str, object] = {"name": skill.name, "description": skill.description}
    if skill.tools:
        facts["allowed-tools"] = " ".join(skill.tools)
    if metadata := pack_metadata(skill):
        facts["metadata"] = metadata
    front = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{front}---\n\n{skill.body.strip()}\n"


def beginning(body: str) -> str:
    """The first paragraph of a text, or of a list in it; no heading, no code, no table."""
    for block in body[:FIRST].split("\n\n"):
        lines = [line.strip() for line in block.split("\n") if line.strip() and not line.startswith("#")]
        if lines and not lines[0].startswith(SILENT):
            return one_line(" ".join(line.lstrip("-*> ") for line in lines))[:LONGEST_DESCRIPTION]
    return ""


def pack_metadata(skill: Skill) -> dict[str, str]:
    """Return the metadata as the format requires, texts by name; encode other values as JSON."""
    more = {name: value for name, value in skill.metadata.items() if not isinstance(value, str)}
    texts = {name: value for name, value in skill.metadata.items() if isinstance(value, str)}
    if skill.kind != TASK:
        texts["openkoi-kind"] = skill.kind
    if skill.by_name:
        texts[BY_NAME] = "true"
    if more:
        texts[MORE] = json.dumps(more, default=str)
    return texts


def unpack_metadata(metadata: Mapping[str, object]) -> dict[str, object]:
    """Return the metadata with JSON values decoded; keep what cannot be decoded."""
    try:
        more = json.loads(str(metadata.get(MORE, "")))
    except (ValueError, RecursionError):
        return dict(metadata)
    rest = {name: value for name, value in metadata.items() if name != MORE}
    return {**rest, **mapping(more)} if isinstance(more, dict) else dict(metadata)


def unfit(skill: Skill) -> list[Problem]:
    """What other readers of Agent Skills would refuse."""
    front, found = skill.front, []
    if not NAME.fullmatch(skill.name) or len(skill.name) > LONGEST_NAME:
        text = f"the name {skill.name!r} has to be small letters, digits and single dashes, {LONGEST_NAME} at most"
        found.append(Problem(text, front.line("name"), fatal=False))
    if not 0 < len(skill.description) <= LONGEST_DESCRIPTION:
        text = f"the description has {len(skill.description)} characters, and has to have 1 to {LONGEST_DESCRIPTION}"
        found.append(Problem(text, front.line("description"), fatal=False))
    if len(one_line(front.facts.get("compatibility"))) > LONGEST_COMPATIBILITY:
        text = f"its compatibility has more than {LONGEST_COMPATIBILITY} characters"
        found.append(Problem(text, front.line("compatibility"), fatal=False))
    return found
