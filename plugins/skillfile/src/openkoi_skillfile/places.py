"""Locate skills, and decide which take precedence."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from os.path import lexists
from pathlib import Path
from typing import TypeAlias

from openkoi_hookspecs import KoiError, PluginEntry

from .digest import digest
from .problem import Problem
from .skill import EVALUATOR, Skill, read_skill
from .validation import read_text, skill_in, why_not

Trust: TypeAlias = Callable[[Path, str], bool]
UNAPPROVED = "{} is not used: it is read when a person has approved of it as it is now."
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


ASKS = frozenset({SkillSource.WORKSPACE, SkillSource.PROPOSED})
MIXED = (SkillSource.OPENCLAW, SkillSource.PLUGIN, SkillSource.BUNDLED)


@dataclass(frozen=True, slots=True)
class SkillLocation:
    """A folder of skills, each in a folder of its own. ``better`` says where they belong, if it is not here."""

    folder: Path
    source: SkillSource
    _: KW_ONLY
    kind: str = EVALUATOR
    better: Path | None = None


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """A skill and its location."""

    skill: Skill
    source: SkillSource
    file: Path


@dataclass(frozen=True, slots=True)
class FoundSkills:
    """Skills in their order of precedence, what is amiss with others, and files that wait for a person's word.

    What we ``proposed`` waits, too, and in silence: nobody is reminded of it in every run.
    """

    found: tuple[FoundSkill, ...] = ()
    amiss: tuple[str, ...] = ()
    waiting: tuple[Path, ...] = ()
    proposed: tuple[Path, ...] = ()

    @property
    def complaints(self) -> tuple[str, ...]:
        """A sentence about each thing that a person should know."""
        return (*self.amiss, *(UNAPPROVED.format(file) for file in self.waiting))


def places(kind: str, data: Path | None, workspace: Path | None, extra: Iterable[Path] = ()) -> list[SkillLocation]:
    """The folders for a kind of skill, best first; ``data`` is OpenKoi's data folder."""
    several = "evaluators" if kind == EVALUATOR else "skills"
    found = [
        SkillLocation(folder / brought / several, SkillSource.WORKSPACE, kind=kind)
        for folder in (upwards(workspace) if workspace else ())
        for brought in (".agents", ".openkoi")
    ]
    if data:
        own = data / several / "user"
        older = [data / "skills" / "evaluators"] if kind == EVALUATOR else []
        elsewhere = [*older, *(folder / several / "user" for folder in settings_beside(data))]
        found = [
            SkillLocation(own, SkillSource.USER, kind=kind),
            *(SkillLocation(folder, SkillSource.USER, kind=kind, better=own) for folder in elsewhere),
            *found,
            SkillLocation(data / several / "proposed", SkillSource.PROPOSED, kind=kind),
            SkillLocation(data / several / "managed", SkillSource.MANAGED, kind=kind),
        ]
    found += [SkillLocation(folder.expanduser(), SkillSource.EXTRA, kind=kind) for folder in extra]
    return found + [SkillLocation(folder, SkillSource.OPENCLAW, kind="task") for folder in openclaw_beside(data)]


def upwards(workspace: Path) -> list[Path]:
    """A folder and those above it, up to the root of its repository; outside of one, the folder alone."""
    above = [workspace, *workspace.parents]
    root = next((place for place, folder in enumerate(above) if (folder / ".git").exists()), 0)
    return above[: root + 1]


def settings_beside(data: Path) -> list[Path]:
    """The folder of the settings that belong to a data folder, where the two lie as they do by default."""
    if data == Path.home() / ".local/share/openkoi":
        return [Path.home() / ".openkoi"]
    return [data.parent] if data.name == "data" else []


def openclaw_beside(data: Path | None) -> list[Path]:
    """OpenClaw's skills, where OpenKoi's own data lie in the same home."""
    return [Path.home() / ".openclaw/skills"] if data == Path.home() / ".local/share/openkoi" else []


async def plugin_locations(
    entries: Iterable[PluginEntry], source: SkillSource = SkillSource.PLUGIN
) -> tuple[list[SkillLocation], list[str]]:
    """Return the skill folders of installed packages: their own ``skills``, or a path."""
    found, complaints = [], []
    for entry in entries:
        try:
            folder = folder_of(await entry.load())
            found.append(SkillLocation(folder, source, kind="task"))
        except Exception as error:  # a package is a plugin: what is wrong with it costs a sentence
            complaints.append(f"The skills of {entry.name} ({entry.origin}) are not used: {error}.")
    return found, complaints


def folder_of(brought: object) -> Path:
    """The folder that an entry point stands for."""
    if isinstance(brought, str | Path):
        return Path(brought)
    file, paths = getattr(brought, "__file__", None), getattr(brought, "__path__", ())
    if not file and not paths:
        raise KoiError(
            f"its entry point names an object ({type(brought).__name__}), which is neither a package nor a path"
        )
    own = Path(file).parent if file else Path(next(iter(paths)))
    return own / "skills" if (own / "skills").is_dir() else own


def collect(
    wanted: Sequence[SkillLocation],
    kind: str = EVALUATOR,
    trust: Trust | None = None,
    asks: Collection[SkillSource] = ASKS,
) -> FoundSkills:
    """Read the skills of a kind from these places anew, so that a folder with a file in it is all it takes.

    What comes from a source that ``asks`` is read only where it is trusted.
    """
    found: list[FoundSkill] = []
    complaints: list[str] = []
    waiting: list[Path] = []
    proposed: list[Path] = []
    for place in wanted:
        for folder in folders_with(place.folder, looks_like_skill):
            read = attempt(folder, place, trust, place.source in asks)
            if isinstance(read, Path):
                (proposed if place.source is SkillSource.PROPOSED else waiting).append(read)
            elif isinstance(read, str):
                complaints.append(read)
            elif read.skill.kind != kind:
                complaints += [] if place.source in MIXED else [MISPLACED.format(read.file, read.skill.kind, kind)]
            else:
                found.append(read)
                complaints += [f"{folder} is read from there still. Move it to {place.better}."] if place.better else []
    return FoundSkills(tuple(found), tuple(complaints), tuple(waiting), tuple(proposed))


def resolve_shadowing(found: Iterable[FoundSkill]) -> FoundSkills:
    """Return the first of each name; proposals yield to the user's own, wherever they are."""
    every = list(found)
    human = {one.skill.name.casefold() for one in every if one.source is not SkillSource.PROPOSED}
    aside = [one for one in every if one.source is SkillSource.PROPOSED and one.skill.name.casefold() in human]
    kept: dict[str, FoundSkill] = {}
    for one in every:
        if one not in aside:
            kept.setdefault(one.skill.name.casefold(), one)
    return FoundSkills(tuple(kept.values()), tuple(f"{one.file} is not used: its name is taken." for one in aside))


def skill_folders(folder: Path) -> list[Path]:
    """The folders in it that hold a skill, by name."""
    return folders_with(folder, holds)


def folders_with(folder: Path, skill: Callable[[Path], bool]) -> list[Path]:
    """The folders in it of which this holds, by name."""
    try:
        return sorted(each for each in folder.iterdir() if skill(each))
    except OSError:
        return []


def holds(folder: Path) -> bool:
    """Whether there is a skill in a folder; in one that cannot be looked into there is none."""
    try:
        return folder.is_dir() and skill_in(folder).is_file()
    except OSError:
        return False


def looks_like_skill(folder: Path) -> bool:
    """Return whether a folder contains something named like a skill."""
    try:
        return folder.is_dir() and lexists(skill_in(folder))
    except OSError:
        return False


def attempt(folder: Path, place: SkillLocation, trust: Trust | None, asks: bool) -> FoundSkill | Path | str:
    """Read one, or say why it cannot be used and what to do; the file alone is one that waits for a person's word."""
    file = skill_in(folder)
    try:
        if asks and file.is_file() and not (trust and is_trusted(folder, trust)):
            return file
        return FoundSkill(read_skill(read_text(file), folder.name, place.kind), place.source, file)
    except (KoiError, OSError) as error:
        said = error if isinstance(error, KoiError) else Problem(f"it cannot be read: {why_not(file, error)}")
        return f"{file} is not used: {said}. Fix the file; it is read again next time."


def is_trusted(folder: Path, trust: Trust) -> bool:
    """Return whether the user approved a folder as it is now; never one that is too large to inspect."""
    stamp = digest(folder)
    return bool(stamp) and trust(folder, stamp)
