"""Discover installed plugins by their entry points, without importing them; choose one if several have the same name.

The start path reads ``entry_points.txt`` files itself: a few milliseconds for hundreds of distributions, where the
official listing takes tens. ``openkoi doctor`` uses the official one as well, and a test compares both.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile
from typing import NamedTuple

OPENKOI, OWN_PREFIX = "openkoi", "openkoi-"
PREFIX = "openkoi."
FOLDERS = (".dist-info", ".egg-info")
SUMMARY, VERSION, REQUIRES = "Summary: ", "Version: ", "Requires-Dist: "
Preferences = frozenset[tuple[str, str, str]]


class Found(NamedTuple):
    """A plugin as its distribution declares it: ``target`` is ``module`` or ``module:attribute``."""

    kind: str
    name: str
    target: str
    distribution: str

    def read_summary(self) -> str:
        """Read the distribution's one-line description from its metadata; empty if it has none."""
        return next(read_metadata(self.distribution, SUMMARY), "")

    def read_version(self) -> str:
        """Read the version of the distribution from its metadata; empty if it declares none."""
        return next(read_metadata(self.distribution, VERSION), "")


class Clash(NamedTuple):
    """A name that several distributions claim, none of which is OpenKoi's own or preferred."""

    kind: str
    name: str
    distributions: tuple[str, ...]
    used: str = ""

    def __str__(self) -> str:
        both, neither = ("both", "neither") if len(self.distributions) == 2 else ("all", "none")
        other = next(one for one in self.distributions if one != self.used)
        keep = f', or to "{self.used}" to keep the current choice' if self.used else ""
        return (
            f"{' and '.join(self.distributions)} {both} provide {self.kind} {self.name!r}; "
            f"{f'the one from {self.used}' if self.used else neither} is used. "
            f'To choose, set "{self.kind}.{self.name}" under [plugins.prefer] to "{other}"{keep}.'
        )


class Scan(NamedTuple):
    """The found plugins, the ambiguous names, the unreadable distributions, and all claims."""

    found: tuple[Found, ...]
    clashes: tuple[Clash, ...]
    broken: tuple[str, ...]
    claims: tuple[Found, ...] = ()


def scan(path: Iterable[str] | None = None, prefer: Preferences = frozenset()) -> Scan:
    """Read every distribution's entry points once. ``prefer`` names winners: kind, name, distribution."""
    claims: list[Found] = []
    broken: list[str] = []
    for distribution, file in distributions(sys.path if path is None else path):
        try:
            with open(file, encoding="utf-8") as lines:
                claims += entry_points(distribution, lines)
        except (OSError, ValueError) as error:
            broken.append(f"{distribution}: its entry points cannot be read ({error})")
    return with_preferences(Scan((), (), tuple(broken), tuple(claims)), prefer)


def with_preferences(scanned: Scan, prefer: Preferences, bundled: Preferences = frozenset()) -> Scan:
    """Return the scan with other preferences, without reading anything again."""
    found, clashes = resolve_clashes(scanned.claims, prefer, bundled)
    return scanned._replace(found=found, clashes=clashes)


def distributions(path: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each distribution's name and the file of its entry points; the first on the path wins."""
    seen: set[str] = set()
    for folder in path:
        for entry in list_folder(folder or "."):
            distribution = distribution_name(entry)
            if distribution and distribution not in seen:
                seen.add(distribution)
                file = os.path.join(folder or ".", entry, "entry_points.txt")
                if os.path.isfile(file):
                    yield distribution, file


@cache
def metadata_folders() -> dict[str, str]:
    """Return the folder of each distribution's metadata; the first on the path counts."""
    places = [
        (name, os.path.join(folder, one))
        for folder in sys.path
        for one in list_folder(folder or ".")
        if (name := distribution_name(one))
    ]
    return dict(reversed(places))


def read_metadata(distribution: str, field: str) -> Iterator[str]:
    """Yield the values of a field of a distribution's metadata."""
    try:
        with open(
            os.path.join(metadata_folders().get(distribution, ""), "METADATA"), encoding="utf-8", errors="replace"
        ) as metadata:
            for line in takewhile(str.strip, metadata):  # the description follows an empty line
                if line.startswith(field):
                    yield line.removeprefix(field).strip()
    except OSError:
        return


@cache
def required_by_openkoi() -> frozenset[str]:
    """Return OpenKoi's distributions that ``openkoi`` requires, extras included, directly or indirectly."""
    found: set[str] = set()
    waiting = [OPENKOI]
    while waiting:
        required = set(map(requirement_name, read_metadata(waiting.pop(), REQUIRES)))
        new = {name for name in required if name.startswith(OWN_PREFIX)} - found
        found |= new
        waiting += new
    return frozenset(found)


def requirement_name(requirement: str) -> str:
    """Return the name in a requirement: openkoi-search for ``openkoi_search[numbers]>=2026.11.21 ; extra == 'x'``."""
    return canonical_name("".join(takewhile(lambda letter: letter.isalnum() or letter in "._-", requirement)))


def list_folder(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def distribution_name(entry: str) -> str:
    """Return openkoi-slack for ``openkoi_slack-2026.1.1.dist-info``; ``~`` marks leftovers of a removed one."""
    if not entry.endswith(FOLDERS) or entry.startswith("~"):
        return ""
    return canonical_name(entry.rsplit(".", 1)[0].split("-", 1)[0])


def canonical_name(name: str) -> str:
    """Return a normalized name: ``Openkoi_Slack`` and ``openkoi.slack`` are openkoi-slack."""
    return name.replace("_", "-").replace(".", "-").lower()


def entry_points(distribution: str, lines: Iterable[str]) -> Iterator[Found]:
    kind = ""
    for line in lines:
        text = line.strip()
        if text.startswith("["):
            group = text.strip("[]").strip()
            kind = group.removeprefix(PREFIX) if group.startswith(PREFIX) else ""
        elif kind and "=" in text and text[0] not in "#;":
            name, _, target = text.partition("=")
            yield Found(kind, name.strip(), strip_target(target), distribution)


def strip_target(target: str) -> str:
    """Return module:attribute for ``module : attribute [extra]  # why``."""
    module, colon, attribute = target.partition("#")[0].partition("[")[0].partition(":")
    return module.strip() + colon + attribute.strip()


def resolve_clashes(
    found: Iterable[Found], prefer: Preferences, bundled: Preferences = frozenset()
) -> tuple[tuple[Found, ...], tuple[Clash, ...]]:
    """Choose between plugins of one kind and name: the preferred, else OpenKoi's own, else none."""
    claims: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        claims.setdefault((one.kind, one.name), []).append(one)
    chosen: list[Found] = []
    clashes: list[Clash] = []
    for (kind, name), rivals in claims.items():
        decided = find_preferred(rivals, prefer)
        winner = decided or pick_winner(rivals, bundled)
        if winner:
            chosen.append(winner)
        if len(rivals) > 1 and not decided:
            names = tuple(rival.distribution for rival in rivals)
            clashes.append(Clash(kind, name, names, winner.distribution if winner else ""))
    return tuple(sorted(chosen)), tuple(sorted(clashes))


def pick_winner(rivals: list[Found], bundled: Preferences) -> Found | None:
    """Return the plugin that is used if the user has expressed no preference."""
    if len(rivals) == 1:
        return rivals[0]
    if winner := find_preferred(rivals, bundled):
        return winner
    whole = [rival for rival in rivals if rival.distribution == OPENKOI]
    required = [rival for rival in rivals if rival.distribution in required_by_openkoi()]
    own = [rival for rival in rivals if rival.distribution == OWN_PREFIX + canonical_name(rival.name)]
    best = whole or required or own or rivals
    return best[0] if len(best) == 1 else None


def find_preferred(rivals: list[Found], prefer: Preferences) -> Found | None:
    """Return the plugin that a preference names, if there is exactly one."""
    named = {canonical_name(distribution) for kind, name, distribution in prefer if (kind, name) == rivals[0][:2]}
    best = [rival for rival in rivals if rival.distribution in named]
    return best[0] if len(best) == 1 else None


def resolve(target: str) -> object:
    """Import the object that an entry point names."""
    from importlib import import_module

    module, _, attributes = target.partition(":")
    value: object = import_module(module)
    for attribute in attributes.split(".") if attributes else ():
        value = getattr(value, attribute)
    return value
