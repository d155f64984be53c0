"""Cache the front matter of unchanged skills, so that a task does not parse a thousand files again.

A file is unchanged while its size, its inode and its times are. The cache can be deleted at any time.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from openkoi_base.files import replace_file
from openkoi_base.skillfile.front_matter import FrontMatter
from openkoi_base.skillfile.skill import Skill, read_skill
from openkoi_base.skillfile.validation import read_text

FORMAT = 5
SETTLED_SECONDS = 2.0  # a file that was just written may be written again within one tick of its clock
MAX_ENTRIES = 20_000
DIGEST_BYTES = 12
USED_FACTS = ("allowed-tools", "disable-model-invocation")


class FrontMatterCache:
    """Reads skills without their bodies; opens no file that has not changed since the last time.

    ``digests`` are those of the contents of the files that were read, by path.
    """

    def __init__(self, folder: Path, settled_seconds: float = SETTLED_SECONDS) -> None:
        self.file, self.settled_seconds = folder / "front-matter.json", settled_seconds
        self.changed = False
        self.digests: dict[str, str] = {}

    @cached_property
    def entries(self) -> dict[str, Any]:
        """The entries of the cache, read on first use."""
        return load_entries(self.file)

    def read(self, file: Path, kind: str, stamp: Sequence[int] = ()) -> Skill:
        """Return a skill with an empty body; raise InvalidSkillError or OSError. ``stamp`` is its file's, if known."""
        path = str(file)
        key, stamp = f"{kind} {path}", list(stamp or stamp_of(path))
        with suppress(LookupError, ValueError, TypeError):
            if (entry := self.entries[key])[0] == stamp:
                _, digest, name, purpose, own_kind, metadata, facts = entry
                self.digests[path] = digest
                return Skill(name, purpose, "", kind=own_kind, metadata=metadata, front=FrontMatter(facts, ""))
        text = read_text(file)
        skill = without_body(read_skill(text, file.parent.name, kind))
        self.digests[path] = digest = digest_text(text)
        if is_settled(stamp, self.settled_seconds):
            self.entries[key] = [
                stamp, digest, skill.name, skill.description, skill.kind, skill.metadata, skill.front.facts
            ]  # fmt: skip
            self.changed = True
        return skill

    def save(self) -> None:
        """Write the cache if it has new entries; a folder that cannot be written to only costs time."""
        if self.changed:
            entries = dict(list(self.entries.items())[-MAX_ENTRIES:])
            with suppress(OSError, TypeError, ValueError, RecursionError):
                replace_file(self.file, json.dumps([FORMAT, entries]))


def load_entries(file: Path) -> dict[str, Any]:
    """Return the entries of a cache; none if it cannot be read."""
    with suppress(OSError, ValueError, RecursionError):
        version, entries = json.loads(file.read_bytes())
        if version == FORMAT and isinstance(entries, dict):
            return entries
    return {}


def stamp_of(path: str) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced. Raises OSError."""
    found = os.stat(path)  # noqa: PTH116  # a thousand Path objects more cost milliseconds
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def is_settled(stamp: Sequence[int], seconds: float) -> bool:
    """Return whether a file was last written long enough ago that the next change of it has another stamp."""
    return time.time() - max(stamp[:2], default=0) / 1e9 > seconds


def digest_text(text: str) -> str:
    """Return a digest of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def without_body(skill: Skill) -> Skill:
    """Return a skill as the list needs it: its purpose is its description, and dates are text, as in JSON."""
    facts = as_json({name: skill.front.facts[name] for name in USED_FACTS if name in skill.front.facts})
    metadata = as_json(skill.metadata)
    return Skill(skill.name, skill.purpose, "", kind=skill.kind, metadata=metadata, front=FrontMatter(facts, ""))


def as_json(values: Mapping[str, object]) -> dict[str, object]:
    """Return values as they are after saving as JSON; an empty table if JSON cannot contain them."""
    with suppress(TypeError, ValueError, RecursionError):
        return dict(json.loads(json.dumps(values, default=str)))
    return {}
