"""How skills are shown to people: in a list, with what is not used and why. Pure."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from openkoi_skillfile import SkillSource, visible

from .shelf import SkillLibrary
from .words import short

WIDTH = 100
GENERATED = "generated, approved"
BY_NAME = ", when asked for by its name"
UNAPPROVED = "its current content is not approved: openkoi skill trust"
PROPOSED = "it is a proposal that is not approved: openkoi learn"


@dataclass(frozen=True, slots=True)
class SkillRow:
    """A skill in the list; an empty ``unused`` means that it is used."""

    name: str
    kind: str
    source: str
    file: str
    description: str = ""
    unused: str = ""
    by_name: bool = False


def rows(shelf: SkillLibrary, kind: str) -> Iterator[SkillRow]:
    """All skills of a kind: those in use, those that do not fit this machine, those that wait for a person."""
    used = [(one, "") for one in shelf.skills.values()]
    for one, why in [*used, *shelf.unfit]:
        skill = one.skill
        yield SkillRow(skill.name, kind, one.source.value, str(one.file), skill.purpose, why, skill.by_name)
    for file in shelf.waiting:
        yield SkillRow(file.parent.name, kind, "", str(file), unused=UNAPPROVED)
    for file in shelf.proposed:
        yield SkillRow(file.parent.name, kind, SkillSource.PROPOSED.value, str(file), unused=PROPOSED)


def as_text(found: Sequence[SkillRow]) -> str:
    """A line for each."""
    return "\n".join(map(line, found)) or "There are no skills yet. To write one: openkoi skill new NAME"


def line(row: SkillRow) -> str:
    kind = " (evaluator)" if row.kind == "evaluator" else ""
    if row.unused:
        return visible(f"{row.name}{kind}  not used: {row.unused}  ({row.file})")
    asked = BY_NAME if row.by_name else ""
    source = GENERATED if row.source == SkillSource.PROPOSED else row.source
    return visible(f"{row.name}{kind}  {short(row.description, WIDTH)}  [{source}{asked}]")


def as_json(found: Sequence[SkillRow]) -> str:
    """All of it, for programs."""
    return json.dumps([asdict(row) for row in found], indent=2, ensure_ascii=False)
