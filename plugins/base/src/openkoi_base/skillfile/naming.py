"""Check and correct skill names: lower-case letters, digits, single dashes.

Letters of any script are kept. Names that look like a path, or without a letter or digit, cannot be corrected.
"""

from unicodedata import normalize

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .problem import InvalidSkillError, Problem

NAME = lazy_pattern(r"[a-z0-9]+(-[a-z0-9]+)*")
NOT_IN_NAMES = lazy_pattern(r"[\W_]+")
MAX_NAME_LENGTH = 64
ELSEWHERE = (".", "/", "\\", "~")
RULE = "use lower-case letters, digits and single dashes"
CORRECTED = "the name {!r} is read as {!r}; " + RULE
UNCORRECTABLE = "invalid name {!r}; " + RULE
NO_TEXT = "the name is not text, so the folder's name {!r} is used"


def correct_name(name: str) -> str:
    """Return the nearest valid name, or an empty string: ``Pond Care`` becomes ``pond-care``."""
    plain = normalize("NFKC", name).strip().lower()
    return "" if plain.startswith(ELSEWHERE) else NOT_IN_NAMES.sub("-", plain).strip("-")[:MAX_NAME_LENGTH].strip("-")


def choose_name(given: str, folder: str, line: int) -> tuple[str, list[Problem]]:
    """Return the file's name, else the folder's, corrected, with the problems found; raise InvalidSkillError."""
    name = given or folder
    if not name or (NAME.fullmatch(name) and len(name) <= MAX_NAME_LENGTH):
        return name, []
    fit = correct_name(name)
    if not fit:
        raise InvalidSkillError(Problem(UNCORRECTABLE.format(name), line))
    return fit, [] if fit == name else [Problem(CORRECTED.format(name, fit), line, fatal=False)]
