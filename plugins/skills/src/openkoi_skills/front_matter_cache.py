"""Cache what the front matter of unchanged skills says, so that a task does not parse a thousand files again.

A file is unchanged while its size, its inode and its times are. The cache can be deleted at any time.
"""

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from openkoi_base.files import replace_file
from openkoi_base.skillfile import FrontMatter, Skill, load_skill

FORMAT = 3
SETTLED_SECONDS = 2.0  # a file that was just written may be written again within one tick of its clock
MAX_ENTRIES = 20_000
USED_FACTS = ("allowed-tools", "disable-model-invocation")


class FrontMatterCache:
    """Reads skills without their bodies; of those that did not change since the last time, no file is opened.

    ``stamps`` say of those that were read which state of the file was.
    """

    def __init__(self, folder: Path, settled_seconds: float = SETTLED_SECONDS) -> None:
        self.file, self.settled_seconds = folder / "front-matter.json", settled_seconds
        self.known = load_entries(self.file)
        self.changed = False
        self.stamps: dict[Path, list[int]] = {}

    def read(self, file: Path, kind: str) -> Skill:
        """Return a skill with an empty body; raise InvalidSkillError or OSError."""
        key, stamp = f"{kind} {file}", stamp_of(file)
        self.stamps[file] = stamp
        with suppress(LookupError, ValueError, TypeError):
            if (entry := self.known[key])[0] == stamp:
                return Skill(entry[1], entry[2], "", kind=entry[3], metadata=entry[4], front=FrontMatter(entry[5], ""))
        skill = without_body(load_skill(file, kind))
        entry = [stamp, skill.name, skill.description, skill.kind, skill.metadata, skill.front.facts]
        if time.time() - max(stamp[:2]) / 1e9 > self.settled_seconds and is_json(entry):
            self.known[key], self.changed = entry, True
        return skill

    def save(self) -> None:
        """Write the cache if something is new in it; a folder that cannot be written to only costs time."""
        if self.changed:
            entries = dict(list(self.known.items())[-MAX_ENTRIES:])
            with suppress(OSError):
                replace_file(self.file, json.dumps([FORMAT, entries]))


def load_entries(file: Path) -> dict[str, Any]:
    """Return the entries of a cache; none if it cannot be read."""
    with suppress(OSError, ValueError, RecursionError):
        version, entries = json.loads(file.read_bytes())
        if version == FORMAT and isinstance(entries, dict):
            return entries
    return {}


def stamp_of(file: Path) -> list[int]:
    """Return what changes when a file is written or replaced. Raises OSError."""
    found = file.stat()
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]


def without_body(skill: Skill) -> Skill:
    """Return a skill as its list needs it: its purpose is its description."""
    facts = {name: skill.front.facts[name] for name in USED_FACTS if name in skill.front.facts}
    return Skill(skill.name, skill.purpose, "", kind=skill.kind, metadata=skill.metadata, front=FrontMatter(facts, ""))


def is_json(value: object) -> bool:
    """Return whether a value is the same after it was saved as JSON; a date is not."""
    try:
        same: bool = json.loads(json.dumps(value)) == value
    except (TypeError, ValueError, RecursionError):
        return False
    return same
