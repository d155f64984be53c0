"""Find the skills (SKILL.md files) of a workspace, and the reasons why some are not used."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.digest import digest_path
from openkoi_base.skillfile.locations import (
    NEEDS_APPROVAL,
    FoundSkill,
    FoundSkills,
    SkillLocation,
    SkillSource,
    Trust,
    join_found,
    list_locations,
    load_skill,
    plugin_locations,
    read_location,
    resolve_shadowing,
    trust_all,
)
from openkoi_base.skillfile.naming import correct_name
from openkoi_base.skillfile.requirements import MachineFeatures, describe_missing
from openkoi_base.skillfile.skill import EVALUATOR, TASK, Skill, add_body
from openkoi_base.skillfile.validation import read_text
from openkoi_hookspecs import Koi, ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

UNTRUSTED_SOURCES = NEEDS_APPROVAL | {SkillSource.MANAGED, SkillSource.OPENCLAW}
CHANGED = "The skill {} changed since the user approved it, so it was not read. Continue without it."


@dataclass(frozen=True, slots=True)
class SkillLibrary:
    """Usable skills by name, others with the reason, and messages for the user.

    ``digest`` changes with the content of any of their files, if a cache reads them. ``by_name`` are the names of
    those that a task must name, ``name_starts`` the first part of each name with the name, ``approved`` the
    confidence in those that were learned.
    """

    skills: Mapping[str, FoundSkill] = field(default_factory=dict)
    unusable: Sequence[tuple[FoundSkill, str]] = ()
    waiting: Sequence[Path] = ()
    proposed: Sequence[Path] = ()
    complaints: Sequence[str] = ()
    digest: str = ""
    by_name: frozenset[str] = frozenset()
    name_starts: Sequence[tuple[str, str]] = ()
    approved: Mapping[str, float] = field(default_factory=dict)

    def get(self, name: str) -> FoundSkill | None:
        """Return a skill by name, ignoring case."""
        return self.skills.get(name.strip().casefold()) or self.skills.get(correct_name(name))


@dataclass(frozen=True, slots=True)
class SuppliedSkills:
    """The skill folders of packages and bundles, their problems, and what the user trusts."""

    places: Sequence[SkillLocation] = ()
    complaints: Sequence[str] = ()
    trust: Trust | None = None


async def find_supplied(koi: Koi) -> SuppliedSkills:
    """Return where installed packages and bundles have skills, and what the user trusts."""
    plugins, complaints = await plugin_locations(koi.plugins("skills"))
    bundles, more = await plugin_locations(koi.plugins("bundles"), SkillSource.BUNDLED)
    return SuppliedSkills((*plugins, *bundles), (*complaints, *more), Approvals(koi))


@dataclass(frozen=True, slots=True)
class SkillFinder:
    """Finds skills in OpenKoi's data folder and in configured folders."""

    data: Path
    path: tuple[Path, ...] = ()
    machine: MachineFeatures = field(default_factory=MachineFeatures)

    def load_library(self, workspace: Path, brought: SuppliedSkills, kind: str = TASK) -> SkillLibrary:
        """Read the skills of a kind for a workspace."""
        found = [read_location(place, kind, trust) for place, trust in self.list_places(workspace, brought, kind)]
        return make_library(found, self.find_missing(found), brought)

    def list_places(
        self, workspace: Path, brought: SuppliedSkills, kind: str = TASK
    ) -> Sequence[tuple[SkillLocation, Trust | None]]:
        """Return the folders for a kind of skill, each with what is trusted there.

        The configured folders are for tasks only; the judge has its own setting for evaluators.
        """
        wanted = [*list_locations(kind, self.data, workspace, self.path if kind == TASK else ()), *brought.places]
        asks = UNTRUSTED_SOURCES if kind == TASK else NEEDS_APPROVAL
        return [(place, brought.trust if place.source in asks else trust_all) for place in wanted]

    def find_missing(self, parts: Iterable[FoundSkills]) -> Sequence[str]:
        """Return for each skill what this machine lacks; usually empty."""
        return [describe_missing(one.skill.requires, self.machine) for part in parts for one in part.found]


def make_library(
    parts: Sequence[FoundSkills], missing: Sequence[str], brought: SuppliedSkills, digest: str = ""
) -> SkillLibrary:
    """Return the skills of several folders as one library."""
    read = join_found(parts)
    every = list(zip(read.found, missing, strict=True))
    kept = resolve_shadowing(one for one, why in every if not why)
    skills = {one.skill.name.casefold(): one for one in sorted(kept.found, key=lambda one: one.skill.name)}
    unfit = [(one, reason) for one, why in every if (reason := why or reason_shadowed(one, skills))]
    complaints = (*brought.complaints, *read.errors, *kept.errors)
    named = frozenset(one.skill.name for one in skills.values() if one.skill.by_name)
    learned = {one.skill.name: score for one in skills.values() if (score := approval_score(one))}
    starts = [(part, one.skill.name) for one in skills.values() if (part := first_part(one.skill.name))]
    return SkillLibrary(skills, unfit, read.waiting, read.proposed, complaints, digest, named, starts, learned)


def first_part(name: str) -> str:
    """Return the first part of a name in lower case, which any text that mentions the name contains."""
    return next((part for part in name.replace("_", "-").casefold().replace("-", " ").split()), "")


def approval_score(found: FoundSkill) -> float:
    """Return the confidence in a learned skill that the user approved."""
    if found.source is not SkillSource.PROPOSED and not (
        found.source is SkillSource.USER and found.skill.metadata_value("learned_from")
    ):
        return 0.0
    try:
        return min(1.0, max(0.0, float(str(found.skill.metadata_value("confidence")))))
    except ValueError:
        return 1.0


def read_as_approved(found: FoundSkill, trust: Trust) -> Skill:
    """Return a skill's current content; raise ToolError if it needs approval and has none."""
    check_approved(found, trust)
    return load_skill(found.file, found.skill.kind)


def add_approved_body(found: FoundSkill, trust: Trust) -> FoundSkill:
    """Return a listed skill with its body, parsing only that; raise ToolError if it needs approval and has none."""
    check_approved(found, trust)
    return replace(found, skill=add_body(found.skill, read_text(found.file)))


def check_approved(found: FoundSkill, trust: Trust) -> None:
    """Raise ToolError if a skill needs approval and its current content has none."""
    folder = found.file.parent
    asks = UNTRUSTED_SOURCES if found.skill.kind != EVALUATOR else NEEDS_APPROVAL
    if found.source in asks and not trust(folder, digest_path(folder)):
        raise ToolError(CHANGED.format(found.skill.name))


def reason_shadowed(one: FoundSkill, skills: Mapping[str, FoundSkill]) -> str:
    """Return why a skill yields to another of its name, or an empty string."""
    other = skills[one.skill.name.casefold()]
    return "" if other is one else f"{other.file} has the same name and takes precedence"
