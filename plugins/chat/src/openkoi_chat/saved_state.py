"""Save what is not in the log: the draft, and queued messages.

Written soon after each change, so that a killed chat loses no more than the last tenth of a second.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, field
from hashlib import sha256
from pathlib import Path
from time import time

from openkoi_base.files.private_files import write_atomically
from openkoi_hookspecs.lazy_dataclass import dataclass

KEPT_SECONDS = 7 * 86_400  # for which the image of a draft that was never sent is kept


@dataclass(frozen=True, slots=True)
class SavedState:
    """The state of a chat; ``images`` are the image files of the draft and of queued messages, by chip."""

    session: str = ""
    draft: str = ""
    queue: list[str] = field(default_factory=list)
    images: dict[str, str] = field(default_factory=dict)
    mode: str = ""

    @property
    def has_unsent(self) -> bool:
        """Whether it contains anything that is saved nowhere else."""
        return bool(self.draft or self.queue)


def save_state(path: Path, state: SavedState) -> None:
    """Replace the file; an error leaves the old one, since the chat must not end because of it."""
    with suppress(OSError):
        write_atomically(path, json.dumps(asdict(state)).encode())


def load_state(path: Path) -> SavedState:
    """Return the state that was saved; an empty one if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        return SavedState(**{name: found[name] for name in asdict(SavedState()) if name in found})
    except (OSError, ValueError, TypeError):
        return SavedState()


def save_images(folder: Path, images: Mapping[str, bytes]) -> dict[str, str]:
    """Write images that are not saved yet; return the name of each one's file."""
    names = {chip: f"image-{sha256(data).hexdigest()[:16]}" for chip, data in images.items()}
    with suppress(OSError):
        for old in folder.glob("image-*") if names else ():
            if old.name not in names.values() and time() - old.stat().st_mtime > KEPT_SECONDS:
                old.unlink()
        for chip, name in names.items():
            if not (folder / name).exists():
                write_atomically(folder / name, images[chip])
    return names


def load_images(folder: Path, names: Mapping[str, str]) -> dict[str, bytes]:
    """Return the images that still exist."""
    found: dict[str, bytes] = {}
    for chip, name in names.items():
        with suppress(OSError):
            found[chip] = (folder / Path(name).name).read_bytes()
    return found
