"""Format the list of skills, with those that are not used and why."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from openkoi_base.printable import make_printable
from openkoi_base.skillfile.locations import SkillSource
from openkoi_hookspecs.lazy_dataclass import dataclass

from .library import SkillLibrary
from .prompt import truncate_text

DESCRIPTION_WIDTH = 100
GENERATED = "generated, approved"
BY_NAME = ", only when asked for by name"
UNAPPROVED = "its current content is not approved; run `openkoi skill trust`"
PROPOSED = "it is a proposal that is not approved; run `openkoi learn`"


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


def make_rows(library: SkillLibrary, kind: str) -> Iterator[SkillRow]:
    """Yield all skills of a kind: usable ones, others with the reason, and those that need approval."""
    used = [(one, "") for one in library.skills.values()]
    for one, why in [*used, *library.unusable]:
        skill = one.skill
        yield SkillRow(skill.name, kind, one.source.value, str(one.file), skill.purpose, why, skill.by_name)
    for file in library.waiting:
        yield SkillRow(file.parent.name, kind, "", str(file), unused=UNAPPROVED)
    for file in library.proposed:
        yield SkillRow(file.parent.name, kind, SkillSource.PROPOSED.value, str(file), unused=PROPOSED)


def format_rows(found: Sequence[SkillRow]) -> str:
    """Return one line per skill."""
    return "\n".join(map(format_row, found)) or "No skills yet. Run `openkoi skill new NAME` to create one."


def format_row(row: SkillRow) -> str:
    kind = " (evaluator)" if row.kind == "evaluator" else ""
    if row.unused:
        return make_printable(f"{row.name}{kind}  not used: {row.unused}  ({row.file})")
    marker = BY_NAME if row.by_name else ""
    source = GENERATED if row.source == SkillSource.PROPOSED else row.source
    return make_printable(f"{row.name}{kind}  {truncate_text(row.description, DESCRIPTION_WIDTH)}  [{source}{marker}]")


def rows_to_json(found: Sequence[SkillRow]) -> str:
    """Return the rows as JSON."""
    return json.dumps([asdict(row) for row in found], indent=2, ensure_ascii=False)
