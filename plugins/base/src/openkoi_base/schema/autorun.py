"""Match files that other programs run on their own because of their name and place.

``autorun.table`` says who runs what. Paths are relative to the workspace, with ``/`` between their parts. Letters' case
does not matter: on some systems ``.GIT`` is ``.git``.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("autorun.table")
DEPENDENCY_FOLDERS = frozenset(
    {"node_modules", "site-packages", "dist-packages", ".venv", "venv", ".tox", ".nox", "bower_components", ".direnv"}
)
WORKSPACE = frozenset({""})
WILDCARD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class AutorunRule:
    """Hold a line's pattern.

    Its ``parts``, whether it matches all ``below`` them, and only at the ``top`` of a repository.

    ``protected``: commands may not change such a file. ``everywhere``: also in folders of dependencies.
    """

    parts: tuple[str, ...]
    reason: str
    below: bool = False
    top: bool = False
    protected: bool = False
    everywhere: bool = False

    def matches(self, parts: Sequence[str], tops: Container[str], *, link: bool) -> bool:
        """Return whether it matches a path; a ``link`` in the place of one of its folders matches as well."""
        if not self.everywhere and not DEPENDENCY_FOLDERS.isdisjoint(parts[:-1]):
            return False
        return any(self.matches_at(start, parts, tops, link=link) for start in range(len(parts)))

    def matches_at(self, start: int, parts: Sequence[str], tops: Container[str], *, link: bool) -> bool:
        """Return whether the path from this part on matches the pattern."""
        rest = parts[start:]
        fits = len(rest) == len(self.parts) or (self.below and len(rest) > len(self.parts))
        if not fits and not (link and len(rest) < len(self.parts)):
            return False
        if not all(map(fnmatchcase, rest, self.parts)):
            return False
        return not self.top or "/".join(parts[:start]) in tops

    @property
    def globs(self) -> tuple[str, ...]:
        """Return it as patterns from the workspace on."""
        glob = "/".join(self.parts) + ("/**" if self.below else "")
        return (glob,) if self.top else (glob, f"**/{glob}")


@cache
def load_rules() -> tuple[AutorunRule, ...]:
    """Read the table."""
    section: tuple[str, ...] = ()
    found: list[AutorunRule] = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = tuple(line.strip("[]").split())
        elif line and not line.startswith("#"):
            found += read_rules(line, section)
    return tuple(found)


def read_rules(line: str, section: Sequence[str]) -> Iterator[AutorunRule]:
    """Read the patterns of a line."""
    patterns, _, reason = line.partition(" = ")
    for pattern in patterns.split(","):
        name = pattern.strip().casefold()
        parts = tuple(name.removesuffix("/**").strip("/").split("/"))
        kinds = {"protected": "protected" in section, "everywhere": "everywhere" in section}
        yield AutorunRule(parts, reason.strip(), name.endswith("/**"), name.startswith("/"), **kinds)


def find_rule(path: str, tops: Container[str] = WORKSPACE, *, link: bool = False) -> AutorunRule | None:
    """Return the first rule that matches a file.

    ``tops`` are the folders that are the top of a repository. ``link``: it is a symbolic link, so that it may stand for
    a folder.
    """
    parts = path.casefold().split("/")
    return next((rule for rule in load_rules() if rule.matches(parts, tops, link=link)), None)


def may_match_name(name: str) -> bool:
    """Return whether a rule may match a file, or a link, of this name anywhere. This is fast."""
    plain, magic = candidate_names()
    folded = name.casefold()
    return folded in plain or magic.match(folded) is not None


def may_match_inside(folder: str) -> bool:
    """Return whether a rule may match whatever is in this folder. This is fast."""
    return not first_parts().isdisjoint(folder.casefold().split("/"))


@cache
def candidate_names() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the file and folder names that rules match; those with wildcards as a pattern."""
    names = {rule.parts[-1] for rule in load_rules()} | {
        part for rule in load_rules() for part in rule.parts if rule.below
    }
    magic = [translate(name) for name in sorted(names) if WILDCARD.search(name)]
    return frozenset(names), re.compile("|".join(magic))


@cache
def first_parts() -> frozenset[str]:
    """Return the first folders of the rules that match everything in one."""
    return frozenset(rule.parts[0] for rule in load_rules() if rule.below)


def protected_globs() -> tuple[str, ...]:
    """Return the patterns of what no command may change, from the workspace on."""
    return tuple(dict.fromkeys(glob for rule in load_rules() if rule.protected for glob in rule.globs))
