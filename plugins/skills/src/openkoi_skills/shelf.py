"""Find the skills of a workspace, and why others are not used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import Koi, ToolError
from openkoi_skillfile import (
    ASKS,
    EVALUATOR,
    TASK,
    Approved,
    FoundSkill,
    MachineFeatures,
    Skill,
    SkillLocation,
    SkillSource,
    Trust,
    collect,
    digest,
    fitting,
    lacking,
    places,
    plugin_locations,
    read_skill,
    read_text,
    resolve_shadowing,
)

STRANGERS = ASKS | {SkillSource.MANAGED, SkillSource.OPENCLAW}
CHANGED = "The skill {} changed since a person approved of it, so it is not read. Go on without it."


@dataclass(frozen=True, slots=True)
class SkillLibrary:
    """Usable skills by name, others with the reason, and messages for the user."""

    skills: Mapping[str, FoundSkill] = field(default_factory=dict)
    unfit: Sequence[tuple[FoundSkill, str]] = ()
    waiting: Sequence[Path] = ()
    proposed: Sequence[Path] = ()
    complaints: Sequence[str] = ()

    def get(self, name: str) -> FoundSkill | None:
        """One by its name, in capitals or not."""
        return self.skills.get(name.strip().casefold()) or self.skills.get(fitting(name))


@dataclass(frozen=True, slots=True)
class SuppliedSkills:
    """The skill folders of packages and bundles, their problems, and what the user trusts."""

    places: Sequence[SkillLocation] = ()
    complaints: Sequence[str] = ()
    trust: Trust | None = None


async def brought_by(koi: Koi) -> SuppliedSkills:
    """Return where installed packages and bundles have skills, and what the user trusts."""
    plugins, complaints = await plugin_locations(koi.plugins("skills"))
    bundles, more = await plugin_locations(koi.plugins("bundles"), SkillSource.BUNDLED)
    return SuppliedSkills((*plugins, *bundles), (*complaints, *more), Approved(koi))


@dataclass(frozen=True, slots=True)
class Library:
    """Where skills are looked for: OpenKoi's data folder, and folders of the configuration."""

    data: Path
    path: tuple[Path, ...] = ()
    machine: MachineFeatures = field(default_factory=MachineFeatures)

    def shelf(self, workspace: Path, brought: SuppliedSkills, kind: str = TASK) -> SkillLibrary:
        """Read them anew: a folder with a SKILL.md in it is all it takes.

        The folders of the configuration are for tasks: those for evaluators are the judge's to know.
        """
        wanted = [*places(kind, self.data, workspace, self.path if kind == TASK else ()), *brought.places]
        asks = STRANGERS if kind == TASK else ASKS
        read = collect(wanted, kind, brought.trust, asks)
        reasons = {one.file: lacking(one.skill.requires, self.machine) for one in read.found}
        kept = resolve_shadowing(one for one in read.found if not reasons[one.file])
        skills = {one.skill.name.casefold(): one for one in sorted(kept.found, key=lambda one: one.skill.name)}
        unfit = [(one, why) for one in read.found if (why := reasons[one.file] or reason_shadowed(one, skills))]
        return SkillLibrary(skills, unfit, read.waiting, read.proposed, (*brought.complaints, *read.amiss, *kept.amiss))


def read_as_approved(found: FoundSkill, trust: Trust) -> Skill:
    """Return a skill as it is now; one of a stranger only while the user trusts it so. Raises ToolError."""
    folder = found.file.parent
    asks = STRANGERS if found.skill.kind != EVALUATOR else ASKS
    if found.source in asks and not trust(folder, digest(folder)):
        raise ToolError(CHANGED.format(found.skill.name))
    return read_skill(read_text(found.file), folder.name, found.skill.kind)


def reason_shadowed(one: FoundSkill, skills: Mapping[str, FoundSkill]) -> str:
    """Return why a skill yields to another of its name, or an empty string."""
    other = skills[one.skill.name.casefold()].file
    return "" if other == one.file else f"{other} has the same name and outranks it"
