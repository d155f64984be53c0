"""Where skills come from, and which of them outranks which. Knows folders; knows no task and no configuration.

Eight sources, a person's own first. What a project brings, and what was proposed by us, is read only where somebody
``trusts`` it, by its folder and by a digest of all that is in it: any change asks again.
"""

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


class Source(StrEnum):
    """Who brings a skill, in the order of precedence."""

    USER = "user"
    WORKSPACE = "workspace"
    PROPOSED = "proposed"
    MANAGED = "managed"
    EXTRA = "extra"
    OPENCLAW = "openclaw"
    PLUGIN = "plugin"
    BUNDLED = "bundled"


ASKS = frozenset({Source.WORKSPACE, Source.PROPOSED})
MIXED = (Source.OPENCLAW, Source.PLUGIN, Source.BUNDLED)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of skills, each in a folder of its own. ``better`` says where they belong, if it is not here."""

    folder: Path
    source: Source
    _: KW_ONLY
    kind: str = EVALUATOR
    better: Path | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A skill, and where it was."""

    skill: Skill
    source: Source
    file: Path


@dataclass(frozen=True, slots=True)
class Shelf:
    """Skills in their order of precedence, what is amiss with others, and files that wait for a person's word.

    What we ``proposed`` waits, too, and in silence: nobody is reminded of it in every run.
    """

    found: tuple[Found, ...] = ()
    amiss: tuple[str, ...] = ()
    waiting: tuple[Path, ...] = ()
    proposed: tuple[Path, ...] = ()

    @property
    def complaints(self) -> tuple[str, ...]:
        """A sentence about each thing that a person should know."""
        return (*self.amiss, *(UNAPPROVED.format(file) for file in self.waiting))


def places(kind: str, data: Path | None, workspace: Path | None, extra: Iterable[Path] = ()) -> list[Place]:
    """The folders for a kind of skill, best first; ``data`` is OpenKoi's data folder."""
    several = "evaluators" if kind == EVALUATOR else "skills"
    found = [
        Place(folder / brought / several, Source.WORKSPACE, kind=kind)
        for folder in (upwards(workspace) if workspace else ())
        for brought in (".agents", ".openkoi")
    ]
    if data:
        own = data / several / "user"
        older = [data / "skills" / "evaluators"] if kind == EVALUATOR else []
        elsewhere = [*older, *(folder / several / "user" for folder in settings_beside(data))]
        found = [
            Place(own, Source.USER, kind=kind),
            *(Place(folder, Source.USER, kind=kind, better=own) for folder in elsewhere),
            *found,
            Place(data / several / "proposed", Source.PROPOSED, kind=kind),
            Place(data / several / "managed", Source.MANAGED, kind=kind),
        ]
    found += [Place(folder.expanduser(), Source.EXTRA, kind=kind) for folder in extra]
    return found + [Place(folder, Source.OPENCLAW, kind="task") for folder in openclaw_beside(data)]


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


async def lent(entries: Iterable[PluginEntry], source: Source = Source.PLUGIN) -> tuple[list[Place], list[str]]:
    """The folders that installed packages bring: of a package its own or the ``skills`` in it, or a path."""
    found, complaints = [], []
    for entry in entries:
        try:
            folder = folder_of(await entry.load())
            found.append(Place(folder, source, kind="task"))
        except Exception as error:  # a package is a plugin: what is wrong with it costs a sentence
            complaints.append(f"The skills of {entry.name} ({entry.origin}) are not used: {error}.")
    return found, complaints


def folder_of(brought: object) -> Path:
    """The folder that an entry point stands for."""
    if isinstance(brought, str | Path):
        return Path(brought)
    file, paths = getattr(brought, "__file__", None), getattr(brought, "__path__", ())
    if not file and not paths:
        raise KoiError(f"its entry point names an object ({type(brought).__name__}), which is no package and no path")
    own = Path(file).parent if file else Path(next(iter(paths)))
    return own / "skills" if (own / "skills").is_dir() else own


def collect(
    wanted: Sequence[Place], kind: str = EVALUATOR, trust: Trust | None = None, asks: Collection[Source] = ASKS
) -> Shelf:
    """Read the skills of a kind from these places anew, so that a folder with a file in it is all it takes.

    What comes from a source that ``asks`` is read only where it is trusted.
    """
    found: list[Found] = []
    complaints: list[str] = []
    waiting: list[Path] = []
    proposed: list[Path] = []
    for place in wanted:
        for folder in folders_with(place.folder, meant):
            read = attempt(folder, place, trust, place.source in asks)
            if isinstance(read, Path):
                (proposed if place.source is Source.PROPOSED else waiting).append(read)
            elif isinstance(read, str):
                complaints.append(read)
            elif read.skill.kind != kind:
                complaints += [] if place.source in MIXED else [MISPLACED.format(read.file, read.skill.kind, kind)]
            else:
                found.append(read)
                complaints += [f"{folder} is read from there still. Move it to {place.better}."] if place.better else []
    return Shelf(tuple(found), tuple(complaints), tuple(waiting), tuple(proposed))


def unshadowed(found: Iterable[Found]) -> Shelf:
    """Of those with one name the first holds; what was proposed by us gives way to what a person wrote, wherever."""
    every = list(found)
    human = {one.skill.name.casefold() for one in every if one.source is not Source.PROPOSED}
    aside = [one for one in every if one.source is Source.PROPOSED and one.skill.name.casefold() in human]
    kept: dict[str, Found] = {}
    for one in every:
        if one not in aside:
            kept.setdefault(one.skill.name.casefold(), one)
    return Shelf(tuple(kept.values()), tuple(f"{one.file} is not used: its name is taken." for one in aside))


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


def meant(folder: Path) -> bool:
    """Whether there is something in a folder that is called as a skill is, be it a file or not."""
    try:
        return folder.is_dir() and lexists(skill_in(folder))
    except OSError:
        return False


def attempt(folder: Path, place: Place, trust: Trust | None, asks: bool) -> Found | Path | str:
    """Read one, or say why it cannot be used and what to do; the file alone is one that waits for a person's word."""
    file = skill_in(folder)
    try:
        if asks and file.is_file() and not (trust and trusted(folder, trust)):
            return file
        return Found(read_skill(read_text(file), folder.name, place.kind), place.source, file)
    except (KoiError, OSError) as error:
        said = error if isinstance(error, KoiError) else Problem(f"it cannot be read: {why_not(file, error)}")
        return f"{file} is not used: {said}. Mend the file; it is read again the next time."


def trusted(folder: Path, trust: Trust) -> bool:
    """Whether somebody approved of a folder as it is now; never of one that holds too much to be looked at."""
    stamp = digest(folder)
    return bool(stamp) and trust(folder, stamp)
