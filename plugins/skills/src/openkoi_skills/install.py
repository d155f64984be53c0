"""Put a skill of somebody else's among the managed ones, pinned to what it is now. Asks nobody."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from openkoi_hookspecs import KoiError
from openkoi_skillfile import (
    EVALUATOR,
    NAME,
    Approved,
    Skill,
    digest,
    read_skill,
    read_text,
    skill_in,
    validate,
)
from openkoi_skillfile import YES as AGREED

from .suspect import suspicions

TOO_MUCH = "{folder} cannot be installed: it has too many or too large files, or a link that leads out of it."
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
        raise KoiError("\n".join(map(str, found)))
    if not digest(folder):
        raise KoiError(TOO_MUCH.format(folder=folder))
    shutil.copytree(folder, copy, ignore=LEFT_OUT)
    text = read_text(skill_in(copy))
    skill = read_skill(text, folder.name)
    if not NAME.fullmatch(skill.name):
        raise KoiError(f"The name {skill.name!r} cannot be that of a folder. Small letters, digits and dashes can.")
    several = "evaluators" if skill.kind == EVALUATOR else "skills"
    return Parcel(skill, copy, data / several / "managed" / skill.name, digest(copy), suspicions(text))


def install(one: Parcel, data: Path) -> Path:
    """Put it in its place, instead of an older one, and remember that a person approved of it as it is."""
    one.target.parent.mkdir(parents=True, exist_ok=True)
    old = one.target.with_name(f".{one.target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if one.target.exists():
        one.target.rename(old)
    try:
        shutil.copytree(one.folder, one.target)
    except BaseException:
        shutil.rmtree(one.target, ignore_errors=True)
        if old.exists():
            old.rename(one.target)
        raise
    shutil.rmtree(old, ignore_errors=True)
    Approved.below(data).keep(one.target, one.digest, AGREED)
    return one.target
