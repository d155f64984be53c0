"""Match files that other programs run automatically because of their name and location.

``autorun.table`` says who runs what, and when. Paths are relative to the workspace, with ``/`` between their parts.
Letters' case does not matter: on some systems ``.GIT`` is ``.git``.
"""

import os
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase, translate
from functools import cache, cached_property, lru_cache
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

TABLE = Path(__file__).with_name("autorun.table")
DEPENDENCY_FOLDERS = frozenset(
    {"node_modules", "site-packages", "dist-packages", ".venv", "venv", ".tox", ".nox", "bower_components", ".direnv"}
)
WORKSPACE = frozenset({""})
WILDCARD = lazy_pattern(r"[*?\[]")
KEYS = " @"


@dataclass(frozen=True, slots=True)
class AutorunRule:
    """A rule: the pattern of a line of the table.

    Its ``parts``, whether it matches all ``below`` them, and only at the ``top`` of a repository. An ``anchored`` one
    is a path from the workspace, or in the table from the root of the file system or a home.

    ``protected``: commands may not change such a file. ``at_once``: its program runs it at the next step, unasked.
    ``everywhere``: also in folders of dependencies. ``keys``: only these keys of the file count. ``via`` is the link or
    the settings of git that put it in the place of such a file. ``called``: such a file runs it as a command.
    """

    parts: tuple[str, ...]
    reason: str
    below: bool = False
    top: bool = False
    anchored: bool = False
    protected: bool = False
    at_once: bool = False
    everywhere: bool = False
    keys: tuple[str, ...] = ()
    via: str = ""
    called: bool = False

    def matched_parts(self, parts: Sequence[str], tops: Container[str], *, link: bool) -> int:
        """Return how many parts of the pattern a path matches; 0 if it does not match.

        A ``link`` in the place of one of the pattern's folders matches those before.
        """
        if not self.everywhere and not DEPENDENCY_FOLDERS.isdisjoint(parts[:-1]):
            return 0
        starts = range(1 if self.anchored else len(parts))
        return next((n for start in starts if (n := self.matched_at(start, parts, tops, link=link))), 0)

    def matched_at(self, start: int, parts: Sequence[str], tops: Container[str], *, link: bool) -> int:
        """Return how many parts of the pattern the path matches from this part on."""
        rest = parts[start:]
        fits = len(rest) == len(self.parts) or (self.below and len(rest) > len(self.parts))
        if not fits and not (link and len(rest) < len(self.parts)):
            return 0
        if not all(map(fnmatchcase, rest, self.parts)):
            return 0
        return 0 if self.top and "/".join(parts[:start]) not in tops else min(len(rest), len(self.parts))

    @property
    def globs(self) -> tuple[str, ...]:
        """Return the rule as patterns relative to the workspace."""
        glob = "/".join(self.parts) + ("/**" if self.below else "")
        return (glob,) if self.top or self.anchored else (glob, f"**/{glob}")


@dataclass(frozen=True)
class AutorunRules:
    """The rules for one workspace, in the table's order, indexed by the names that they contain."""

    rules: tuple[AutorunRule, ...]

    def find(self, path: str, tops: Container[str] = WORKSPACE, *, link: bool = False) -> AutorunRule | None:
        """Return the first rule that matches a file.

        ``tops`` are the folders that are the top of a repository. ``link``: it is a symbolic link, so that it may stand
        for a folder.
        """
        return next((rule for rule, _ in self.find_all(path, tops, link=link)), None)

    def find_all(
        self, path: str, tops: Container[str] = WORKSPACE, *, link: bool = False
    ) -> Iterator[tuple[AutorunRule, int]]:
        """Yield the rules that match a file, each with how many of its parts the path matches."""
        parts = path.casefold().split("/")
        for at in self.candidates(parts, link=link):
            if matched := self.rules[at].matched_parts(parts, tops, link=link):
                yield self.rules[at], matched

    def candidates(self, parts: Sequence[str], *, link: bool) -> list[int]:
        """Return the rules that have a name in common with a path; trying all rules takes a hundred times as long."""
        files, folders, above, others = self.positions
        found = {*others, *files.get(parts[-1], ()), *(above.get(parts[-1], ()) if link else ())}
        return sorted(found.union(*(folders[part] for part in parts if part in folders)))

    @cached_property
    def positions(self) -> tuple[dict[str, list[int]], dict[str, list[int]], dict[str, list[int]], list[int]]:
        """Return the positions of rules by the name of a file, of a folder, of folders above, and of all others."""
        files, folders, above = (defaultdict[str, list[int]](list) for _ in range(3))
        others = list[int]()
        for at, rule in enumerate(self.rules):
            key = rule.parts[-1]
            if WILDCARD.search(key):
                others.append(at)
            else:
                (folders if rule.below else files)[key].append(at)
            for part in rule.parts[:-1]:
                above[part].append(at)
        return files, folders, above, others

    def may_match_name(self, name: str) -> bool:
        """Return whether a rule may match a file, or a link, of this name anywhere. This is fast."""
        plain, magic = self.candidate_names
        folded = name.casefold()
        return folded in plain or magic.match(folded) is not None

    def may_match_inside(self, folder: str) -> bool:
        """Return whether a rule may match whatever is in this folder. This is fast."""
        folded = folder.casefold()
        parts = folded.split("/")
        anywhere, anchored = self.folders
        return not anywhere.isdisjoint(parts) or any(
            folded == one or folded.startswith(f"{one}/") for one in anchored.get(parts[0], ())
        )

    @cached_property
    def candidate_names(self) -> tuple[frozenset[str], re.Pattern[str]]:
        """Return the file and folder names that rules match; those with wildcards as a pattern."""
        names = {rule.parts[-1] for rule in self.rules} | {
            part for rule in self.rules for part in rule.parts if rule.below
        }
        magic = [translate(name) for name in sorted(names) if WILDCARD.search(name)]
        return frozenset(names), re.compile("|".join(magic))

    @cached_property
    def folders(self) -> tuple[frozenset[str], dict[str, list[str]]]:
        """Return the folders in which everything matches: by the last part of those anywhere, and the anchored ones."""
        below = [rule for rule in self.rules if rule.below]
        anchored = dict[str, list[str]]()
        for rule in below:
            if rule.anchored:
                anchored.setdefault(rule.parts[0], []).append("/".join(rule.parts))
        return frozenset(rule.parts[-1] for rule in below if not rule.anchored), anchored


@cache
def load_table() -> tuple[AutorunRule, ...]:
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
    protected = "protected" in section
    for pattern in patterns.split(","):
        name, _, keys = pattern.strip().partition(KEYS)
        anchored = name.startswith(("~/", "$", "//"))
        parts = name.removesuffix("/**").removeprefix("/").split("/")
        yield AutorunRule(
            tuple(parts if anchored else map(str.casefold, parts)),
            reason.strip(),
            below=name.endswith("/**"),
            top=name.startswith("/") and not anchored,
            anchored=anchored,
            protected=protected,
            at_once=protected or "at-once" in section,
            everywhere="everywhere" in section,
            keys=tuple(filter(None, keys.split("+"))),
        )


def rules_for(root: Path | str) -> AutorunRules:
    """Return the rules for a workspace; those for a home folder apply if it is in the workspace, or contains it."""
    homes = {name: os.environ.get(name, "") for name in anchor_variables()}
    return place_rules(os.path.realpath(root), tuple({**homes, "~": str(Path.home())}.items()))


@cache
def anchor_variables() -> tuple[str, ...]:
    """Return the variables with which patterns start."""
    firsts = dict.fromkeys(rule.parts[0] for rule in load_table() if rule.anchored)
    return tuple(first.removeprefix("$") for first in firsts if first.startswith("$"))


@lru_cache(maxsize=64)
def place_rules(root: str, homes: tuple[tuple[str, str], ...]) -> AutorunRules:
    """Return the rules relative to this workspace, without anchored ones that are outside it."""
    known = dict(homes)
    placed = (place_rule(rule, root, known) if rule.anchored else rule for rule in load_table())
    return AutorunRules(tuple(rule for rule in placed if rule))


def place_rule(rule: AutorunRule, root: str, homes: dict[str, str]) -> AutorunRule | None:
    """Return an anchored rule relative to the workspace; None if it is outside the workspace."""
    first, *rest = rule.parts
    base = homes.get(first.removeprefix("$"), "") if first else os.sep
    if not base or not root:
        return None
    whole = os.path.join(os.path.realpath(os.path.expanduser(base)), *rest)  # noqa: PTH111, PTH118
    inside = whole.removeprefix(root.rstrip("/") + "/") if whole != root else ""
    return replace(rule, parts=tuple(inside.casefold().split("/"))) if inside and inside != whole else None


def find_rule(path: str) -> AutorunRule | None:
    """Return the first rule that matches a file of a workspace, wherever that is."""
    return place_rules("", ()).find(path)


def protected_globs() -> tuple[str, ...]:
    """Return the patterns of files that no command may change, relative to the workspace or a home folder."""
    return tuple(dict.fromkeys(glob for rule in load_table() if rule.protected for glob in rule.globs))
