"""Find the rubrics there are, a person's own first, those that come with the judge last. Knows no tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from openkoi_skillfile import (
    Found,
    Machine,
    Place,
    Rubric,
    Source,
    Trust,
    Unusable,
    collect,
    lacking,
    places,
    rubric_of,
    unshadowed,
)

BUNDLED = Place(Path(__file__).with_name("rubrics"), Source.BUNDLED)
LEFT_OUT = "{file} is not used: {why}. Mend the file; it is read again the next time."


@dataclass(frozen=True, slots=True)
class Shelf:
    """Rubrics in their order of precedence, and a sentence about each file that a person should look at.

    ``sources`` says by name who brings them.
    """

    rubrics: tuple[Rubric, ...]
    complaints: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)


def fetch(wanted: Sequence[Place] = (), trust: Trust | None = None, machine: Machine | None = None) -> Shelf:
    """Read them anew, so that a folder with a SKILL.md in it is all it takes to add one; ours are read once."""
    read = collect(wanted, trust=trust)
    found = *read.found, *bundled()
    here = machine or Machine()
    wrong = [LEFT_OUT.format(file=one.file, why=why) for one in found if (why := unfit(one, here))]
    kept = unshadowed(one for one in found if not unfit(one, here))
    return Shelf(
        tuple(rubric_of(one.skill) for one in kept.found),
        (*read.complaints, *wrong, *kept.complaints),
        {one.skill.name: one.source for one in kept.found},
    )


@cache
def bundled() -> tuple[Found, ...]:
    """Those that come with the judge."""
    return collect([BUNDLED]).found


def unfit(found: Found, machine: Machine) -> str:
    """Why a file is no rubric that can be used here."""
    try:
        rubric_of(found.skill)
    except Unusable as error:
        return str(error)
    return lacking(found.skill.requires, machine)


def wanted(
    folder: Path | None, workspace: Path | None, extra: Sequence[Path], brought: Sequence[Place] = ()
) -> list[Place]:
    """Where to look: a person's folders, the project's, those named in the configuration, and installed packages."""
    return [*places("evaluator", folder, workspace, extra), *brought]
