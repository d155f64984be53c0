"""Find the skills of a workspace, and why others are not used."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from openkoi_base.skillfile import (
    EVALUATOR,
    NEEDS_APPROVAL,
    TASK,
    Approvals,
    FoundSkill,
    LoadSkill,
    MachineFeatures,
    Skill,
    SkillLocation,
    SkillSource,
    Trust,
    collect_skills,
    correct_name,
    describe_missing,
    digest_path,
    list_locations,
    load_skill,
    plugin_locations,
    resolve_shadowing,
)
from openkoi_hookspecs import Koi, ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .front_matter_cache import FrontMatterCache

UNTRUSTED_SOURCES = NEEDS_APPROVAL | {SkillSource.MANAGED, SkillSource.OPENCLAW}
CHANGED = "The skill {} changed since the user approved it, so it was not read. Continue without it."


@dataclass(frozen=True, slots=True)
class SkillLibrary:
    """Usable skills by name, others with the reason, and messages for the user.

    ``stamps`` say which state of each file was read, if a cache reads them.
    """

    skills: Mapping[str, FoundSkill] = field(default_factory=dict)
    unusable: Sequence[tuple[FoundSkill, str]] = ()
    waiting: Sequence[Path] = ()
    proposed: Sequence[Path] = ()
    complaints: Sequence[str] = ()
    stamps: Mapping[Path, Sequence[int]] = field(default_factory=dict)

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

    def load_index(self, workspace: Path, skills: SuppliedSkills) -> SkillLibrary:
        """Return the skills for tasks without their bodies, as they are listed and ranked."""
        cache = FrontMatterCache(self.data / "cache")
        found = self.load_library(workspace, skills, load=cache.read)
        cache.save()
        return replace(found, stamps=cache.stamps)

    def load_library(
        self, workspace: Path, brought: SuppliedSkills, kind: str = TASK, load: LoadSkill = load_skill
    ) -> SkillLibrary:
        """Read the skills of a kind for a workspace, by ``load``.

        The configured folders are for tasks only; the judge has its own setting for evaluators.
        """
        wanted = [*list_locations(kind, self.data, workspace, self.path if kind == TASK else ()), *brought.places]
        asks = UNTRUSTED_SOURCES if kind == TASK else NEEDS_APPROVAL
        read = collect_skills(wanted, kind, brought.trust, asks, load)
        missing = [describe_missing(one.skill.requires, self.machine) for one in read.found]
        every = list(zip(read.found, missing, strict=True))
        kept = resolve_shadowing(one for one, why in every if not why)
        skills = {one.skill.name.casefold(): one for one in sorted(kept.found, key=lambda one: one.skill.name)}
        unfit = [(one, reason) for one, why in every if (reason := why or reason_shadowed(one, skills))]
        return SkillLibrary(
            skills, unfit, read.waiting, read.proposed, (*brought.complaints, *read.errors, *kept.errors)
        )


def read_as_approved(found: FoundSkill, trust: Trust) -> Skill:
    """Return a skill's current content; raise ToolError if it needs approval and has none."""
    folder = found.file.parent
    asks = UNTRUSTED_SOURCES if found.skill.kind != EVALUATOR else NEEDS_APPROVAL
    if found.source in asks and not trust(folder, digest_path(folder)):
        raise ToolError(CHANGED.format(found.skill.name))
    return load_skill(found.file, found.skill.kind)


def reason_shadowed(one: FoundSkill, skills: Mapping[str, FoundSkill]) -> str:
    """Return why a skill yields to another of its name, or an empty string."""
    other = skills[one.skill.name.casefold()]
    return "" if other is one else f"{other.file} has the same name and takes precedence"
