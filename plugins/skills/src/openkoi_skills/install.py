"""Install a skill of another author among the managed ones, pinned to its content."""

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from openkoi_hookspecs import KoiError
from openkoi_skillfile import (
    EVALUATOR,
    Approved,
    Skill,
    digest,
    read_skill,
    read_text,
    skill_in,
    validate,
)
from openkoi_skillfile import YES as AGREED
from openkoi_skillfile.digest import MOST_BYTES, MOST_FILES

from .fresh import to_valid_name
from .suspect import suspicions

TOO_MUCH = "{folder} cannot be installed: it has too many or too large files, or a link that leads out of it."
NAMELESS = "Of the name {name!r} no folder can be named. Give it one of small letters, digits and single dashes."
LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", ".DS_Store")


@dataclass(frozen=True, slots=True)
class Parcel:
    """A skill that is about to be installed, and where to."""

    skill: Skill
    folder: Path
    target: Path
    digest: str
    warnings: tuple[str, ...]

    @property
    def there(self) -> bool:
        """Whether it is installed as it is already."""
        return self.target.is_dir() and digest(self.target) == self.digest


def parcel(folder: Path, data: Path, copy: Path) -> Parcel:
    """Look at a skill, in a copy of its own. Raises KoiError, with file and line, for one that is unfit."""
    if found := validate(folder):
        file = Path(folder.name) / skill_in(folder).name
        raise KoiError("\n".join(str(replace(problem, path=file)) for problem in found))
    if vast(folder):
        raise KoiError(TOO_MUCH.format(folder=folder))
    shutil.copytree(folder, copy, symlinks=True, ignore=LEFT_OUT)
    if not digest(copy):
        raise KoiError(TOO_MUCH.format(folder=folder))
    text = read_text(skill_in(copy))
    skill = read_skill(text, folder.name)
    several = "evaluators" if skill.kind == EVALUATOR else "skills"
    return Parcel(skill, copy, data / several / "managed" / kept_as(skill.name), digest(copy), suspicions(text))


def kept_as(name: str) -> str:
    """The folder for a name that others may have given as they liked. Raises KoiError where none can be made of it."""
    fit = to_valid_name(name)
    if not fit or name.startswith((".", "/", "\\")):
        raise KoiError(NAMELESS.format(name=name))
    return fit


def vast(folder: Path) -> bool:
    """Whether there is more in it than is copied to be looked at, what is left out not counted."""
    files, size = 0, 0
    for place, folders, names in os.walk(folder):
        left = LEFT_OUT(place, [*folders, *names])
        folders[:] = [name for name in folders if name not in left]
        kept = [Path(place, name) for name in names if name not in left]
        files, size = files + len(kept), size + sum(file.lstat().st_size for file in kept)
        if files > MOST_FILES or size > MOST_BYTES:
            return True
    return False


def install(one: Parcel, approved: Approved) -> Path:
    """Put it in its place, instead of an older one, and remember that a person approved of it as it is."""
    one.target.parent.mkdir(parents=True, exist_ok=True)
    old = one.target.with_name(f".{one.target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if one.target.exists():
        one.target.rename(old)
    try:
        shutil.copytree(one.folder, one.target, symlinks=True)
    except BaseException:
        shutil.rmtree(one.target, ignore_errors=True)
        if old.exists():
            old.rename(one.target)
        raise
    shutil.rmtree(old, ignore_errors=True)
    approved.keep(one.target, one.digest, AGREED, title=f"skill {one.skill.name}")
    return one.target
