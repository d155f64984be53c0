"""What a skill may be called: small letters, digits, single dashes. Others' names are mended where that is plain. Pure.

Letters of any script stay; what leads elsewhere, and what has neither letter nor digit, cannot be mended.
"""

import re
from unicodedata import normalize

from .problem import Problem, Unusable

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
APART = re.compile(r"[\W_]+")
LONGEST_NAME = 64
ELSEWHERE = (".", "/", "\\", "~")
RULE = "a name has small letters, digits and single dashes"
MENDED = "the name {!r} is read as {!r}: " + RULE
HOPELESS = "the name {!r} cannot be corrected: " + RULE + ". Give it another one"
NO_TEXT = "its name is not text, so it is called {!r}, as its folder is"


def fitting(name: str) -> str:
    """The name as it has to be, empty where nothing of it can stay: ``Pond Care`` is ``pond-care``."""
    plain = normalize("NFKC", name).strip().lower()
    return "" if plain.startswith(ELSEWHERE) else APART.sub("-", plain).strip("-")[:LONGEST_NAME].strip("-")


def choose_name(said: str, folder: str, line: int) -> tuple[str, list[Problem]]:
    """Return the file's name, else the folder's, corrected, with the problems found; raise InvalidSkillError."""
    name = said or folder
    if not name or (NAME.fullmatch(name) and len(name) <= LONGEST_NAME):
        return name, []
    fit = fitting(name)
    if not fit:
        raise Unusable(Problem(HOPELESS.format(name), line))
    return fit, [] if fit == name else [Problem(MENDED.format(name, fit), line, fatal=False)]
