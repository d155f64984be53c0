"""Validate a SKILL.md, with the line of each mistake."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from .problem import InvalidSkillError, Problem
from .skill import EVALUATOR, KINDS, Skill, check_limits, read_skill

SKILL_FILE = "SKILL.md"
MAX_FILE_BYTES = 1_000_000  # estimate: far above the largest published skill
NO_FILE = "it is not a regular file"
FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools", "kind", "schema_version"}


def validate(path: Path, strict: bool = False) -> list[Problem]:
    """Return the problems of a file, or of the SKILL.md in a folder; ``strict`` adds those that readers ignore."""
    file = path if path.name.casefold() == SKILL_FILE.casefold() or not path.is_dir() else find_skill_file(path)
    try:
        found = find_problems(read_text(file), file.parent.name, strict)
    except OSError as error:
        found = [Problem(f"it cannot be read: {describe_error(file, error)}")]
    return [replace(problem, path=file) for problem in found]


def find_corrections(path: Path) -> list[Problem]:
    """Return what was corrected in reading a file; nothing for an unreadable one."""
    try:
        odd = read_skill(read_text(path), path.parent.name).corrections
    except (OSError, InvalidSkillError):
        return []
    return [replace(problem, path=path) for problem in odd]


def find_problems(text: str, folder: str, strict: bool = False) -> list[Problem]:
    """Return the problems of a text by line."""
    try:
        skill = read_skill(text, folder)
    except InvalidSkillError as error:
        return [error.problem]
    found = [
        *check_kind(skill),
        *check_limits(skill),
        *check_folder_name(skill, folder),
        *([] if skill.body else [NO_BODY]),
    ]
    found += [*skill.corrections, *check_fields(skill)]
    if skill.kind == EVALUATOR:
        from .evaluator import check_evaluator

        found += check_evaluator(skill)
    return sorted((p for p in found if p.fatal or strict), key=lambda problem: problem.line)


NO_BODY = Problem("there is no text after the front matter", fatal=False)


def check_kind(skill: Skill) -> list[Problem]:
    """Return a problem for an unknown kind."""
    if skill.kind in KINDS:
        return []
    return [Problem(f"unknown kind {skill.kind!r}; use {' or '.join(KINDS)}", skill.front.line("kind"))]


def check_fields(skill: Skill) -> list[Problem]:
    """Return problems with unknown fields; an evaluator's may be next to its metadata."""
    if skill.kind == EVALUATOR:
        return []
    unknown = [name for name in skill.front.facts if name not in FIELDS]
    text = "unknown field {!r}; put your own fields into metadata"
    return [Problem(text.format(name), skill.front.line(name), fatal=False) for name in unknown]


def check_folder_name(skill: Skill, folder: str) -> list[Problem]:
    """Return a problem if the name differs from the folder's."""
    if not folder or skill.name == folder:
        return []
    return [
        Problem(f"the name {skill.name!r} differs from the folder's, {folder!r}", skill.front.line("name"), fatal=False)
    ]


def find_skill_file(folder: Path) -> Path:
    """Return a folder's SKILL.md in any spelling, or its usual path if there is none."""
    exact = folder / SKILL_FILE
    if exact.exists():
        return exact
    return min((file for file in folder.iterdir() if file.name.casefold() == SKILL_FILE.casefold()), default=exact)


def describe_error(file: Path, error: OSError) -> str:
    """Return why a file cannot be read; for a broken link, its target."""
    dangling = isinstance(error, FileNotFoundError) and file.is_symlink()
    return f"it is a broken link to {file.readlink()}" if dangling else error.strerror or str(error)


def read_text(file: Path) -> str:
    """Read a file of limited size; invalid bytes are replaced. Raises OSError."""
    found = file.stat()
    if S_ISDIR(found.st_mode):
        raise OSError("it is a folder, not a file")
    if not S_ISREG(found.st_mode):
        raise OSError(NO_FILE)
    if found.st_size > MAX_FILE_BYTES:
        raise OSError(f"it is larger than {MAX_FILE_BYTES} bytes")
    data = file.read_bytes()
    return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8", "replace")
