"""Cache the list of skills until one of their files changes: a task checks each file's times, and reads none.

Between processes the front matter is kept in a file, within one the whole list is.
"""

import os
from _thread import allocate_lock  # what threading.Lock is, without its module
from collections.abc import Sequence
from operator import is_
from pathlib import Path

from openkoi_base.skillfile.locations import (
    FoundSkills,
    SkillLocation,
    Trust,
    list_subfolders,
    locate_skill,
    read_location,
    trust_all,
)
from openkoi_base.skillfile.skill import TASK
from openkoi_base.skillfile.validation import SKILL_FILE
from openkoi_hookspecs.lazy_dataclass import dataclass

from .front_matter_cache import SETTLED_SECONDS, FrontMatterCache, digest_text, is_settled, stamp_of
from .library import SkillFinder, SkillLibrary, SuppliedSkills, make_library

FileStates = Sequence[tuple[str, tuple[int, ...]]]
MAX_PLACES = 64  # folders whose lists are kept: those of a few workspaces


@dataclass(frozen=True, slots=True)
class PlaceListing:
    """The skills of a folder, and the state of its files; ``digest`` changes with the content of any of them."""

    states: FileStates
    found: FoundSkills
    digest: str


@dataclass(frozen=True, slots=True)
class HeldLibrary:
    """A library, and the lists and words that it was made of."""

    listed: Sequence[PlaceListing]
    missing: Sequence[str]
    complaints: Sequence[str]
    library: SkillLibrary

    def is_of(self, listed: Sequence[PlaceListing], missing: Sequence[str], complaints: Sequence[str]) -> bool:
        """Return whether it was made of these very lists, and of equal words."""
        same = len(listed) == len(self.listed) and all(map(is_, listed, self.listed))
        return same and missing == self.missing and complaints == self.complaints


class LibraryCache:
    """Lists the skills of folders; ``guard`` locks out other threads."""

    def __init__(self, folder: Path, settled_seconds: float = SETTLED_SECONDS) -> None:
        self.folder, self.settled_seconds = folder, settled_seconds
        self.guard = allocate_lock()
        self.places: dict[SkillLocation, PlaceListing] = {}
        self.held: HeldLibrary | None = None

    def load_index(self, finder: SkillFinder, workspace: Path, supplied: SuppliedSkills) -> SkillLibrary:
        """Return the skills for tasks without their bodies, as they are listed and ranked."""
        with self.guard:
            listed = self.list_places(finder.list_places(workspace, supplied), TASK)
            missing = finder.find_missing(one.found for one in listed)
            if not (self.held and self.held.is_of(listed, missing, supplied.complaints)):
                digest = "".join(one.digest for one in listed)
                library = make_library([one.found for one in listed], missing, supplied, digest)
                self.held = HeldLibrary(listed, missing, supplied.complaints, library)
            return self.held.library

    def list_places(self, wanted: Sequence[tuple[SkillLocation, Trust | None]], kind: str) -> Sequence[PlaceListing]:
        """Return the skills in some folders, each with what is trusted there."""
        reader = FrontMatterCache(self.folder, self.settled_seconds)
        found = [self.list_place(place, trust, kind, reader) for place, trust in wanted]
        reader.save()
        return found

    def list_place(
        self, place: SkillLocation, trust: Trust | None, kind: str, reader: FrontMatterCache
    ) -> PlaceListing:
        """Return the skills in a folder; their approvals are checked each time."""
        states, held = list_states(place.folder), self.places.get(place)
        if held is not None and held.states == states and (trust is trust_all or not states):
            return held
        listing = read_states(place, states, trust, kind, reader)
        if all(is_settled(stamp, self.settled_seconds) for _, stamp in states):
            self.places.pop(place, None)
            self.places[place] = listing
            while len(self.places) > MAX_PLACES:
                self.places.pop(next(iter(self.places)))
        return listing


def list_states(folder: Path) -> FileStates:
    """Return the skill files in the subfolders of a folder with what changes when one is written."""
    states: list[tuple[str, tuple[int, ...]]] = []
    for subfolder in list_subfolders(folder):
        usual = f"{subfolder}{os.sep}{SKILL_FILE}"
        try:
            states.append((usual, stamp_of(usual)))
        except OSError:
            if file := locate_skill(subfolder):
                states.append((str(file), try_stamp(file)))
    return states


def try_stamp(file: Path) -> tuple[int, ...]:
    """Return a file's stamp; an empty one if it cannot be read, as of a broken link."""
    try:
        return stamp_of(str(file))
    except OSError:
        return ()


def read_states(
    place: SkillLocation, states: FileStates, trust: Trust | None, kind: str, reader: FrontMatterCache
) -> PlaceListing:
    """Read the skills of a folder whose files are in these states."""
    stamps = dict(states)
    found = read_location(
        place,
        kind,
        trust,
        lambda file, kind: reader.read(file, kind, stamps.get(str(file), ())),
        [Path(path) for path in stamps],
    )
    digests = [reader.digests.get(str(one.file), "") for one in found.found]
    return PlaceListing(states, found, digest_text("\n".join(digests)))
