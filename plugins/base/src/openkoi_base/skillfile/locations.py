"""Locate skills, and decide which take precedence."""

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import KW_ONLY
from enum import StrEnum
from os.path import exists, lexists
from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs import KoiError, PluginEntry
from openkoi_hookspecs.lazy_dataclass import dataclass

from .digest import digest_path
from .problem import Problem
from .skill import EVALUATOR, Skill, read_skill
from .validation import SKILL_FILE, describe_error, find_skill_file, read_text

Trust: TypeAlias = Callable[[Path, str], bool]
LoadSkill: TypeAlias = Callable[[Path, str], Skill]
UNAPPROVED = "{} is not used: its current content is not approved. Run `openkoi skill trust`."
MISPLACED = "{} is not used: its kind is {!r}, not {!r}."


class SkillSource(StrEnum):
    """Who provides a skill, in order of precedence."""

    USER = "user"
    WORKSPACE = "workspace"
    PROPOSED = "proposed"
    MANAGED = "managed"
    EXTRA = "extra"
    OPENCLAW = "openclaw"
    PLUGIN = "plugin"
    BUNDLED = "bundled"


NEEDS_APPROVAL = frozenset({SkillSource.WORKSPACE, SkillSource.PROPOSED})
MIXED_SOURCES = (SkillSource.OPENCLAW, SkillSource.PLUGIN, SkillSource.BUNDLED)


@dataclass(frozen=True, slots=True)
class SkillLocation:
    """A folder that contains skill folders; ``move_to`` is where they belong instead."""

    folder: Path
    source: SkillSource
    _: KW_ONLY
    kind: str = EVALUATOR
    move_to: Path | None = None


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """A skill and its location."""

    skill: Skill
    source: SkillSource
    file: Path


@dataclass(frozen=True, slots=True)
class FoundSkills:
    """Skills by precedence, errors about others, and files that need approval.

    Generated skills in ``proposed`` need approval as well, but no warning mentions them.
    """

    found: tuple[FoundSkill, ...] = ()
    errors: tuple[str, ...] = ()
    waiting: tuple[Path, ...] = ()
    proposed: tuple[Path, ...] = ()

    @property
    def complaints(self) -> tuple[str, ...]:
        """A warning about each file that is not used."""
        return (*self.errors, *(UNAPPROVED.format(file) for file in self.waiting))


def list_locations(
    kind: str, data: Path | None, workspace: Path | None, extra: Iterable[Path] = ()
) -> list[SkillLocation]:
    """Return the folders for a kind of skill, best first; ``data`` is OpenKoi's data folder."""
    several = "evaluators" if kind == EVALUATOR else "skills"
    found = [
        SkillLocation(folder / brought / several, SkillSource.WORKSPACE, kind=kind)
        for folder in (list_parents(workspace) if workspace else ())
        for brought in (".agents", ".openkoi")
    ]
    if data:
        own = data / several / "user"
        older = [data / "skills" / "evaluators"] if kind == EVALUATOR else []
        elsewhere = [*older, *(folder / several / "user" for folder in find_settings_folders(data))]
        found = [
            SkillLocation(own, SkillSource.USER, kind=kind),
            *(SkillLocation(folder, SkillSource.USER, kind=kind, move_to=own) for folder in elsewhere),
            *found,
            SkillLocation(data / several / "proposed", SkillSource.PROPOSED, kind=kind),
            SkillLocation(data / several / "managed", SkillSource.MANAGED, kind=kind),
        ]
    found += [SkillLocation(folder.expanduser(), SkillSource.EXTRA, kind=kind) for folder in extra]
    return found + [SkillLocation(folder, SkillSource.OPENCLAW, kind="task") for folder in find_openclaw_folders(data)]


def list_parents(workspace: Path) -> list[Path]:
    """Return a folder and those above it up to its repository's root; outside of one, the folder alone."""
    above = [workspace, *workspace.parents]
    root = next((place for place, folder in enumerate(above) if (folder / ".git").exists()), 0)
    return above[: root + 1]


def find_settings_folders(data: Path) -> list[Path]:
    """Return the settings folder of a data folder, if both are in their default places."""
    if data == Path.home() / ".local/share/openkoi":
        return [Path.home() / ".openkoi"]
    return [data.parent] if data.name == "data" else []


def find_openclaw_folders(data: Path | None) -> list[Path]:
    """Return OpenClaw's skill folder, if OpenKoi's data folder is in its default place."""
    return [Path.home() / ".openclaw/skills"] if data == Path.home() / ".local/share/openkoi" else []


async def plugin_locations(
    entries: Iterable[PluginEntry], source: SkillSource = SkillSource.PLUGIN, name: str = "skills"
) -> tuple[list[SkillLocation], list[str]]:
    """Return the skill folders of installed packages: the folder ``name`` of each, or a path."""
    found, complaints = [], []
    for entry in entries:
        try:
            folder = find_folder(await entry.load(), name)
            found.append(SkillLocation(folder, source, kind="task"))
        except Exception as error:  # a package is a plugin: its errors become a warning
            complaints.append(f"The skills of {entry.name} ({entry.origin}) are not used: {error}.")
    return found, complaints


def find_folder(brought: object, name: str) -> Path:
    """Return the folder that an entry point refers to; for a package, its folder ``name``, if it has one."""
    if isinstance(brought, str | Path):
        return Path(brought)
    file, paths = getattr(brought, "__file__", None), getattr(brought, "__path__", ())
    if not file and not paths:
        raise KoiError(f"the entry point refers to an object ({type(brought).__name__}), not to a package or a path")
    own = Path(file).parent if file else Path(next(iter(paths)))
    return own / name if (own / name).is_dir() else own


def collect_skills(
    wanted: Sequence[SkillLocation],
    kind: str = EVALUATOR,
    trust: Trust | None = None,
    asks: Collection[SkillSource] = NEEDS_APPROVAL,
) -> FoundSkills:
    """Read the skills of a kind from these locations.

    Skills of sources in ``asks`` are read only if ``trust`` approves them.
    """
    return join_found(read_location(place, kind, trust if place.source in asks else trust_all) for place in wanted)


def join_found(parts: Iterable[FoundSkills]) -> FoundSkills:
    """Return the combined results of several locations."""
    every = list(parts)
    return FoundSkills(
        tuple(one for part in every for one in part.found),
        tuple(one for part in every for one in part.errors),
        tuple(one for part in every for one in part.waiting),
        tuple(one for part in every for one in part.proposed),
    )


def read_location(
    place: SkillLocation,
    kind: str,
    trust: Trust | None = None,
    load: LoadSkill | None = None,
    files: Iterable[Path] | None = None,
) -> FoundSkills:
    """Read the skills of a kind from a location that ``trust`` approves, by ``load`` if it is given.

    ``files`` are those of its folder, if they were listed.
    """
    found: list[FoundSkill] = []
    complaints: list[str] = []
    waiting: list[Path] = []
    for file in list_skill_files(place.folder) if files is None else files:
        read = try_read(file, place, trust, load or load_skill)
        if isinstance(read, Path):
            waiting.append(read)
        elif isinstance(read, str):
            complaints.append(read)
        elif read.skill.kind != kind:
            complaints += [] if place.source in MIXED_SOURCES else [MISPLACED.format(read.file, read.skill.kind, kind)]
        else:
            found.append(read)
            complaints += (
                [f"{file.parent} is in an outdated location. Move it to {place.move_to}."] if place.move_to else []
            )
    proposed = place.source is SkillSource.PROPOSED
    return FoundSkills(
        tuple(found), tuple(complaints), () if proposed else tuple(waiting), tuple(waiting) if proposed else ()
    )


def resolve_shadowing(found: Iterable[FoundSkill]) -> FoundSkills:
    """Return the first skill of each name; proposals yield to all others."""
    every = list(found)
    human = {one.skill.name.casefold() for one in every if one.source is not SkillSource.PROPOSED}
    aside = [one for one in every if one.source is SkillSource.PROPOSED and one.skill.name.casefold() in human]
    kept: dict[str, FoundSkill] = {}
    for one in every:
        if one not in aside:
            kept.setdefault(one.skill.name.casefold(), one)
    return FoundSkills(
        tuple(kept.values()),
        tuple(
            f"{one.file} is not used, because another skill is named {one.skill.name!r}. Rename one of the two."
            for one in aside
        ),
    )


def skill_folders(folder: Path) -> list[Path]:
    """Return the subfolders that contain a skill, by name."""
    return [file.parent for file in list_skill_files(folder) if file.is_file()]


def list_skill_files(folder: Path) -> list[Path]:
    """Return the files named like a skill in a folder's subfolders, by the subfolders' names."""
    return [file for path in list_subfolders(folder) if (file := locate_skill(path))]


def list_subfolders(folder: Path) -> list[str]:
    """Return the paths of a folder's subfolders, by name; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if is_folder(entry))
    except OSError:
        return []


def is_folder(entry: "os.DirEntry[str]") -> bool:
    """Return whether an entry is a folder or a link to one; a circular link is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def locate_skill(folder: Path | str) -> Path | None:
    """Return the file named like a skill in a folder, if the folder can be read."""
    usual = f"{folder}{os.sep}{SKILL_FILE}"
    if exists(usual):  # noqa: PTH110  # a thousand Path objects more cost 20 ms
        return Path(usual)
    try:
        file = find_skill_file(Path(folder))
    except OSError:
        return None
    return file if lexists(file) else None


def looks_like_skill(folder: Path) -> bool:
    """Return whether a folder contains something named like a skill."""
    return locate_skill(folder) is not None


def load_skill(file: Path, kind: str) -> Skill:
    """Read a skill, of this kind if it names none; raise InvalidSkillError or OSError."""
    return read_skill(read_text(file), file.parent.name, kind)


def try_read(file: Path, place: SkillLocation, trust: Trust | None, load: LoadSkill) -> FoundSkill | Path | str:
    """Read a skill; return its file if it needs approval, or the error and how to fix it."""
    try:
        if trust is not trust_all and file.is_file() and not (trust and is_trusted(file.parent, trust)):
            return file
        return FoundSkill(load(file, place.kind), place.source, file)
    except (KoiError, OSError) as error:
        reason = error if isinstance(error, KoiError) else Problem(f"it cannot be read: {describe_error(file, error)}")
        return f"{file} is not used: {reason}. Fix the file; the next run reads it again."


def trust_all(_folder: Path, _digest: str) -> bool:
    """Approve everything, as for the user's own files."""
    return True


def is_trusted(folder: Path, trust: Trust) -> bool:
    """Return whether the user approved a folder's current content; never for one too large to digest."""
    stamp = digest_path(folder)
    return bool(stamp) and trust(folder, stamp)
