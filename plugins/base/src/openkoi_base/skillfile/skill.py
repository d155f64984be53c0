"""Parse a SKILL.md leniently, and write it strictly."""

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, field, replace

from openkoi_hookspecs.lazy_dataclass import dataclass

from .allowed_tools import find_unclosed, parse_allowed_tools
from .file_parts import split_file
from .front_matter import FrontMatter, clean_text, parse_file, to_line, to_mapping, to_text, to_words
from .naming import MAX_NAME_LENGTH, NAME, NO_TEXT, choose_name
from .problem import InvalidSkillError, Problem
from .requirements import Requirements, parse_requirements

TASK, EVALUATOR = "task", "evaluator"
KINDS = (TASK, EVALUATOR)
MAX_DESCRIPTION_LENGTH, MAX_COMPATIBILITY_LENGTH = 1024, 500  # by the Agent Skills specification
EXTRA_METADATA = "openkoi-metadata"
BY_NAME = "disable-model-invocation"
# Where authors say when a skill is to be used, beside its description; in the front matter or in its metadata.
WHEN_KEYS = ("when_to_use", "when-to-use", "triggers", "trigger-keywords", "keywords", "tags")
UNCLOSED = "{!r} in allowed-tools has unbalanced brackets, so it allows nothing"
NOT_PROSE = ("```", "~~~", "|", "<", "---", "===")
MAX_SEARCHED = 10_000  # characters searched for a first paragraph; estimate


@dataclass(frozen=True, slots=True)
class Skill:
    """The content of a SKILL.md; ``metadata`` is unchanged, ``front`` has the line of each value."""

    name: str
    description: str
    body: str
    _: KW_ONLY
    kind: str = TASK
    metadata: Mapping[str, object] = field(default_factory=dict)
    front: FrontMatter = field(default=FrontMatter({}, ""), repr=False, compare=False)

    @property
    def purpose(self) -> str:
        """Its description and when to use it, or the start of its text."""
        found = (self.front.facts.get(key, self.metadata.get(key)) for key in WHEN_KEYS)
        more = (", ".join(to_words(one)) if isinstance(one, list) else to_text(one) for one in found)
        return " ".join(filter(None, (self.description, *more))) or first_paragraph(self.body)

    @property
    def by_name(self) -> bool:
        """Whether it is used only when the user asks for it by name, as for one that deploys or deletes."""
        from openkoi_base.boolean_words import parse_boolean

        return bool(parse_boolean(to_line(self.front.facts.get(BY_NAME, self.metadata.get(BY_NAME)))))

    @property
    def corrections(self) -> tuple[Problem, ...]:
        """What was corrected in reading it, or could not be."""
        line = self.front.line("allowed-tools")
        return (
            *self.front.corrections,
            *(Problem(UNCLOSED.format(tool), line, fatal=False) for tool in find_unclosed(self.tools)),
        )

    @property
    def requires(self) -> Requirements:
        """What this machine must have."""
        return parse_requirements(self.metadata)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it is limited to; if empty, it may use all."""
        return parse_allowed_tools(self.front.facts.get("allowed-tools", self.metadata.get("allowed-tools")))

    def metadata_value(self, name: str) -> object:
        """Return a value for OpenKoi from either place in the metadata."""
        block = to_mapping(self.metadata.get("openkoi"))
        return block.get(name, self.metadata.get(f"openkoi-{name}"))


def read_skill(text: str, folder: str, kind: str = TASK) -> Skill:
    """Parse a skill; name and kind default to the folder's and the given one. Raises InvalidSkillError."""
    name, front = name_skill(parse_file(text), folder)
    facts = front.facts
    metadata = unpack_metadata(to_mapping(facts.get("metadata")))
    given = to_line(facts.get("kind")) or to_line(metadata.pop("openkoi-kind", ""))
    return Skill(
        name,
        to_text(facts.get("description")),
        front.body,
        kind=given.casefold() or kind,
        metadata=metadata,
        front=front,
    )


def add_body(skill: Skill, text: str) -> Skill:
    """Return a skill whose front matter is known with the body of its file. Raises InvalidSkillError."""
    return replace(skill, body=split_file(clean_text(text)[0]).body.strip())


def name_skill(front: FrontMatter, folder: str) -> tuple[str, FrontMatter]:
    """Return the name to use, and the front matter with its corrections; raise InvalidSkillError."""
    given, line = front.facts.get("name"), front.line("name")
    name, odd = choose_name(to_text(given), folder, line)
    if given and not to_text(given):
        odd.append(Problem(NO_TEXT.format(name), line, fatal=False))
    every = sorted((*front.corrections, *odd), key=lambda problem: problem.line)
    return name, replace(front, corrections=tuple(every)) if odd else front


def write_skill(skill: Skill) -> str:
    """Return a file that every reader of Agent Skills accepts. Raises InvalidSkillError."""
    if found := check_limits(skill):
        raise InvalidSkillError(found[0])
    import yaml

    facts: dict[str, object] = {"name": skill.name, "description": skill.description}
    if skill.tools:
        facts["allowed-tools"] = " ".join(skill.tools)
    if metadata := pack_metadata(skill):
        facts["metadata"] = metadata
    front = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{front}---\n\n{skill.body.strip()}\n"


def first_paragraph(body: str) -> str:
    """Return the first paragraph or list entries of a text, without headings, code and tables."""
    for block in body[:MAX_SEARCHED].split("\n\n"):
        lines = [line.strip() for line in block.split("\n") if line.strip() and not line.startswith("#")]
        if lines and not lines[0].startswith(NOT_PROSE):
            return to_line(" ".join(line.lstrip("-*> ") for line in lines))[:MAX_DESCRIPTION_LENGTH]
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
        texts[EXTRA_METADATA] = json.dumps(more, default=str)
    return texts


def unpack_metadata(metadata: Mapping[str, object]) -> dict[str, object]:
    """Return the metadata with JSON values decoded; keep what cannot be decoded."""
    try:
        more = json.loads(str(metadata.get(EXTRA_METADATA, "")))
    except (ValueError, RecursionError):
        return dict(metadata)
    rest = {name: value for name, value in metadata.items() if name != EXTRA_METADATA}
    return {**rest, **to_mapping(more)} if isinstance(more, dict) else dict(metadata)


def check_limits(skill: Skill) -> list[Problem]:
    """Return what other readers of Agent Skills would reject."""
    front, found = skill.front, []
    if not NAME.fullmatch(skill.name) or len(skill.name) > MAX_NAME_LENGTH:
        text = f"invalid name {skill.name!r}; use up to {MAX_NAME_LENGTH} lower-case letters, digits and single dashes"
        found.append(Problem(text, front.line("name"), fatal=False))
    if not 0 < len(skill.description) <= MAX_DESCRIPTION_LENGTH:
        text = f"the description has {len(skill.description)} characters, not 1 to {MAX_DESCRIPTION_LENGTH}"
        found.append(Problem(text, front.line("description"), fatal=False))
    if len(to_line(front.facts.get("compatibility"))) > MAX_COMPATIBILITY_LENGTH:
        text = f"compatibility has more than {MAX_COMPATIBILITY_LENGTH} characters"
        found.append(Problem(text, front.line("compatibility"), fatal=False))
    return found
