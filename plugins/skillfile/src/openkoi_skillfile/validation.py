"""Hold a SKILL.md against its format, with the line of each mistake. Knows no configuration and no run."""

from dataclasses import replace
from pathlib import Path

from .evaluator import amiss
from .problem import Problem, Unusable
from .skill import EVALUATOR, KINDS, Skill, read_skill, unfit

LARGEST = 1_000_000


def validate(path: Path, strict: bool = False) -> list[Problem]:
    """What is wrong with a file, or with the SKILL.md in a folder. ``strict``: also what readers do without."""
    file = path / "SKILL.md" if path.is_dir() else path
    try:
        found = problems(read_text(file), file.parent.name, strict)
    except (OSError, UnicodeDecodeError) as error:
        found = [Problem(f"it cannot be read: {error}")]
    return [replace(problem, path=file) for problem in found]


def problems(text: str, folder: str, strict: bool = False) -> list[Problem]:
    """What is wrong with a text, in the order of its lines."""
    try:
        skill = read_skill(text, folder)
    except Unusable as error:
        return [error.problem]
    found = [*unknown_kind(skill), *unfit(skill), *misplaced(skill, folder), *([] if skill.body else [EMPTY])]
    if skill.kind == EVALUATOR:
        found += amiss(skill)
    return sorted((p for p in found if p.fatal or strict), key=lambda problem: problem.line)


EMPTY = Problem("it has no text after its front matter", fatal=False)


def unknown_kind(skill: Skill) -> list[Problem]:
    """A kind that there is not."""
    if skill.kind in KINDS:
        return []
    return [Problem(f"its kind is {skill.kind!r}; there are {' and '.join(KINDS)}", skill.front.line("kind"))]


def misplaced(skill: Skill, folder: str) -> list[Problem]:
    """A name that is not the folder's."""
    if not folder or skill.name == folder:
        return []
    return [Problem(f"its name {skill.name!r} is not its folder's, {folder!r}", skill.front.line("name"), fatal=False)]


def read_text(file: Path) -> str:
    """Read a file that is not too large to be one."""
    if file.stat().st_size > LARGEST:
        raise OSError(f"it is larger than {LARGEST} bytes")
    return file.read_text(encoding="utf-8")
