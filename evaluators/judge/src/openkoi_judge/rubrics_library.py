"""Find the judge's rubrics (SKILL.md files): the user's come first and replace bundled ones of the same name."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path

from openkoi_base.skillfile.evaluator import Rubric, parse_rubric
from openkoi_base.skillfile.locations import (
    FoundSkill,
    SkillLocation,
    SkillSource,
    Trust,
    collect_skills,
    list_locations,
    plugin_locations,
    resolve_shadowing,
)
from openkoi_base.skillfile.problem import InvalidSkillError
from openkoi_base.skillfile.requirements import MachineFeatures, describe_missing
from openkoi_hookspecs import Koi
from openkoi_hookspecs.lazy_dataclass import dataclass

BUNDLED = SkillLocation(Path(__file__).with_name("rubrics"), SkillSource.BUNDLED)
LEFT_OUT = "{file} is not used: {why}. Fix the file."


@dataclass(frozen=True, slots=True)
class RubricLibrary:
    """Rubrics in order of precedence, and a message about each invalid file; ``sources`` maps names to sources."""

    rubrics: tuple[Rubric, ...]
    complaints: tuple[str, ...] = ()
    sources: Mapping[str, SkillSource] = field(default_factory=dict)


def load_rubrics(
    wanted: Sequence[SkillLocation] = (), trust: Trust | None = None, machine: MachineFeatures | None = None
) -> RubricLibrary:
    """Read the rubrics again, so that new files are found; bundled ones are read once."""
    read = collect_skills(wanted, trust=trust)
    found = *read.found, *bundled_rubrics()
    here = machine or MachineFeatures()
    wrong = [LEFT_OUT.format(file=one.file, why=why) for one in found if (why := reason_unusable(one, here))]
    kept = resolve_shadowing(one for one in found if not reason_unusable(one, here))
    return RubricLibrary(
        tuple(parse_rubric(one.skill) for one in kept.found),
        (*read.complaints, *wrong, *kept.complaints),
        {one.skill.name: one.source for one in kept.found},
    )


@cache
def bundled_rubrics() -> tuple[FoundSkill, ...]:
    """Return the bundled rubrics."""
    return collect_skills([BUNDLED]).found


def reason_unusable(found: FoundSkill, machine: MachineFeatures) -> str:
    """Return why a file is not a usable rubric, or an empty string."""
    try:
        parse_rubric(found.skill)
    except InvalidSkillError as error:
        return str(error)
    return describe_missing(found.skill.requires, machine)


async def installed_locations(koi: Koi) -> tuple[list[SkillLocation], list[str]]:
    """Return where installed packages and bundles have rubrics, and a message about each that cannot be read."""
    packages, complaints = await plugin_locations(koi.plugins("skills"))
    bundles, more = await plugin_locations(koi.plugins("bundles"), name="evaluators")
    return [*packages, *bundles], [*complaints, *more]


def search_locations(
    folder: Path | None, workspace: Path | None, extra: Sequence[Path], locations: Sequence[SkillLocation] = ()
) -> list[SkillLocation]:
    """Return the folders to search: the user's, the project's, configured ones, and those of installed packages."""
    return [*list_locations("evaluator", folder, workspace, extra), *locations]
