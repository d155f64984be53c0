"""Which skills there are for a workspace, and why others are not used. Knows files; knows no task and no run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import Koi, ToolError
from openkoi_skillfile import (
    ASKS,
    EVALUATOR,
    TASK,
    Approved,
    Found,
    Machine,
    Place,
    Skill,
    Source,
    Trust,
    collect,
    digest,
    fitting,
    lacking,
    lent,
    places,
    read_skill,
    read_text,
    unshadowed,
)

STRANGERS = ASKS | {Source.MANAGED, Source.OPENCLAW}
CHANGED = "The skill {} changed since a person approved of it, so it is not read. Go on without it."


@dataclass(frozen=True, slots=True)
class Shelf:
    """Skills by name that can be used; others with the reason why not; and what a person should know."""

    skills: Mapping[str, Found] = field(default_factory=dict)
    unfit: Sequence[tuple[Found, str]] = ()
    waiting: Sequence[Path] = ()
    proposed: Sequence[Path] = ()
    complaints: Sequence[str] = ()

    def get(self, name: str) -> Found | None:
        """One by its name, in capitals or not."""
        return self.skills.get(name.strip().casefold()) or self.skills.get(fitting(name))


@dataclass(frozen=True, slots=True)
class Brought:
    """Where installed packages and bundles have skills, what is amiss with them, and what the user trusts."""

    places: Sequence[Place] = ()
    complaints: Sequence[str] = ()
    trust: Trust | None = None


async def brought_by(koi: Koi) -> Brought:
    """Return where installed packages and bundles have skills, and what the user trusts."""
    plugins, complaints = await lent(koi.plugins("skills"))
    bundles, more = await lent(koi.plugins("bundles"), Source.BUNDLED)
    return Brought((*plugins, *bundles), (*complaints, *more), Approved(koi))


@dataclass(frozen=True, slots=True)
class Library:
    """Where skills are looked for: OpenKoi's data folder, and folders of the configuration."""

    data: Path
    path: tuple[Path, ...] = ()
    machine: Machine = field(default_factory=Machine)

    def shelf(self, workspace: Path, brought: Brought, kind: str = TASK) -> Shelf:
        """Read them anew: a folder with a SKILL.md in it is all it takes.

        The folders of the configuration are for tasks: those for evaluators are the judge's to know.
        """
        wanted = [*places(kind, self.data, workspace, self.path if kind == TASK else ()), *brought.places]
        asks = STRANGERS if kind == TASK else ASKS
        read = collect(wanted, kind, brought.trust, asks)
        reasons = {one.file: lacking(one.skill.requires, self.machine) for one in read.found}
        kept = unshadowed(one for one in read.found if not reasons[one.file])
        skills = {one.skill.name.casefold(): one for one in sorted(kept.found, key=lambda one: one.skill.name)}
        unfit = [(one, why) for one in read.found if (why := reasons[one.file] or taken(one, skills))]
        return Shelf(skills, unfit, read.waiting, read.proposed, (*brought.complaints, *read.amiss, *kept.amiss))


def read_as_approved(found: Found, trust: Trust) -> Skill:
    """Return a skill as it is now; one of a stranger only while the user trusts it so. Raises ToolError."""
    folder = found.file.parent
    asks = STRANGERS if found.skill.kind != EVALUATOR else ASKS
    if found.source in asks and not trust(folder, digest(folder)):
        raise ToolError(CHANGED.format(found.skill.name))
    return read_skill(read_text(found.file), folder.name, found.skill.kind)


def taken(one: Found, skills: Mapping[str, Found]) -> str:
    """Why one gives way to another of its name; empty where it is the one that holds."""
    other = skills[one.skill.name.casefold()].file
    return "" if other == one.file else f"{other} has the same name and outranks it"
