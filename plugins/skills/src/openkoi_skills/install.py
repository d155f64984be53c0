"""Install another author's skill, pinned to its content."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.digest import MAX_BYTES, MAX_FILES, digest_path
from openkoi_base.skillfile.skill import EVALUATOR, Skill, read_skill
from openkoi_base.skillfile.validation import find_skill_file, read_text, validate
from openkoi_hookspecs import YES, KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .injection_scan import find_suspicions
from .template import to_valid_name

TOO_LARGE = "{folder} cannot be installed: it is too large, or contains links that point outside it."
INVALID_NAME = "Invalid name {name!r}: use lower-case letters, digits and single dashes."
IGNORED = shutil.ignore_patterns(".git", "__pycache__", ".DS_Store")


@dataclass(frozen=True, slots=True)
class SkillPackage:
    """A skill to install, and its destination."""

    skill: Skill
    folder: Path
    target: Path
    digest: str
    warnings: tuple[str, ...]

    @property
    def is_installed(self) -> bool:
        """Whether the same content is installed already."""
        return self.target.is_dir() and digest_path(self.target) == self.digest


def prepare_package(folder: Path, data: Path, copy: Path) -> SkillPackage:
    """Copy a skill and check the copy. Raises KoiError with file and line for an invalid one."""
    if found := validate(folder):
        file = Path(folder.name) / find_skill_file(folder).name
        raise KoiError("\n".join(str(replace(problem, path=file)) for problem in found))
    if exceeds_limits(folder):
        raise KoiError(TOO_LARGE.format(folder=folder))
    shutil.copytree(folder, copy, symlinks=True, ignore=IGNORED)
    if not digest_path(copy):
        raise KoiError(TOO_LARGE.format(folder=folder))
    text = read_text(find_skill_file(copy))
    skill = read_skill(text, folder.name)
    several = "evaluators" if skill.kind == EVALUATOR else "skills"
    return SkillPackage(
        skill, copy, data / several / "managed" / folder_name(skill.name), digest_path(copy), find_suspicions(text)
    )


def folder_name(name: str) -> str:
    """Return the folder for another author's skill name; raise KoiError if none can be derived."""
    fit = to_valid_name(name)
    if not fit or name.startswith((".", "/", "\\")):
        raise KoiError(INVALID_NAME.format(name=name))
    return fit


def exceeds_limits(folder: Path) -> bool:
    """Return whether a folder is too large to copy, ignored files excluded."""
    files, size = 0, 0
    for place, folders, names in os.walk(folder):
        left = IGNORED(place, [*folders, *names])
        folders[:] = [name for name in folders if name not in left]
        kept = [Path(place, name) for name in names if name not in left]
        files, size = files + len(kept), size + sum(file.lstat().st_size for file in kept)
        if files > MAX_FILES or size > MAX_BYTES:
            return True
    return False


def install_package(one: SkillPackage, approved: Approvals) -> Path:
    """Install a skill, replacing an older one, and save the user's approval of its content."""
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
    approved.keep(one.target, one.digest, YES, title=f"skill {one.skill.name}")
    return one.target
