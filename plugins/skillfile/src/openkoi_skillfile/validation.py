"""Validate a SKILL.md, with the line of each mistake."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from .evaluator import amiss
from .problem import Problem, Unusable
from .skill import EVALUATOR, KINDS, Skill, read_skill, unfit

FILE = "SKILL.md"
LARGEST = 1_000_000
NO_FILE = "it is a device, a pipe or the like, and has to be a file"
FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools", "kind", "schema_version"}


def validate(path: Path, strict: bool = False) -> list[Problem]:
    """What is wrong with a file, or with the SKILL.md in a folder. ``strict``: also what readers do without."""
    file = path if path.name.casefold() == FILE.casefold() or not path.is_dir() else skill_in(path)
    try:
        found = problems(read_text(file), file.parent.name, strict)
    except OSError as error:
        found = [Problem(f"it cannot be read: {why_not(file, error)}")]
    return [replace(problem, path=file) for problem in found]


def oddities(path: Path) -> list[Problem]:
    """Return what was corrected in reading a file; nothing for one that cannot be read."""
    try:
        odd = read_skill(read_text(path), path.parent.name).odd
    except (OSError, Unusable):
        return []
    return [replace(problem, path=path) for problem in odd]


def problems(text: str, folder: str, strict: bool = False) -> list[Problem]:
    """What is wrong with a text, in the order of its lines."""
    try:
        skill = read_skill(text, folder)
    except Unusable as error:
        return [error.problem]
    found = [*unknown_kind(skill), *unfit(skill), *check_folder_name(skill, folder), *([] if skill.body else [EMPTY])]
    found += [*skill.odd, *unheard_of(skill)]
    if skill.kind == EVALUATOR:
        found += amiss(skill)
    return sorted((p for p in found if p.fatal or strict), key=lambda problem: problem.line)


EMPTY = Problem("it has no text after its front matter", fatal=False)


def unknown_kind(skill: Skill) -> list[Problem]:
    """A kind that there is not."""
    if skill.kind in KINDS:
        return []
    return [Problem(f"its kind is {skill.kind!r}; there are {' and '.join(KINDS)}", skill.front.line("kind"))]


def unheard_of(skill: Skill) -> list[Problem]:
    """Fields that the format does not have; those of an evaluator may stand beside its metadata."""
    if skill.kind == EVALUATOR:
        return []
    unknown = [name for name in skill.front.facts if name not in FIELDS]
    text = "the format has no field {!r}; what is your own belongs into metadata"
    return [Problem(text.format(name), skill.front.line(name), fatal=False) for name in unknown]


def check_folder_name(skill: Skill, folder: str) -> list[Problem]:
    """Return a problem when the name differs from the folder's."""
    if not folder or skill.name == folder:
        return []
    return [Problem(f"its name {skill.name!r} is not its folder's, {folder!r}", skill.front.line("name"), fatal=False)]


def skill_in(folder: Path) -> Path:
    """The file that a folder's skill is in, however its name is spelled; where it would be, if there is none."""
    exact = folder / FILE
    if exact.exists():
        return exact
    return min((file for file in folder.iterdir() if file.name.casefold() == FILE.casefold()), default=exact)


def why_not(file: Path, error: OSError) -> str:
    """Return why a file cannot be read; for a broken link, its target."""
    dangling = isinstance(error, FileNotFoundError) and file.is_symlink()
    return f"it is a link to {file.readlink()}, and there is nothing" if dangling else error.strerror or str(error)


def read_text(file: Path) -> str:
    """Read a file that is not too large to be one; bytes that are no text are marked as lost. Raises OSError."""
    found = file.stat()
    if S_ISDIR(found.st_mode):
        raise OSError("it is a folder, and has to be a file")
    if not S_ISREG(found.st_mode):
        raise OSError(NO_FILE)
    if found.st_size > LARGEST:
        raise OSError(f"it is larger than {LARGEST} bytes")
    data = file.read_bytes()
    return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8", "replace")
