"""What belongs to a message besides its words: images as chips, pasted text, and files named with ``@``."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import File, Image, KoiError
from openkoi_hookspecs.content import MAX_FILE_BYTES, MAX_IMAGE_BYTES, image_type
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

MENTION = lazy_pattern(r"(?<!\S)@(\"[^\"\n]+\"|[^\s\"]+)")
NO_VISION = "{model} does not read images. Remove the image, or choose another model with /model."


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as it is sent: its words, and the images behind its chips."""

    text: str
    images: Mapping[str, bytes] = field(default_factory=dict)


def find_mentions(text: str, folder: Path) -> Iterator[Path]:
    """Yield the files that a message names with ``@``; a word that names none is only a word."""
    for match in MENTION.finditer(text):
        path = folder / match[1].strip('"').rstrip(".,;:!?)")
        if path.is_file():
            yield path


async def load_parts(draft: Draft, koi: "Koi") -> tuple[Image | File, ...]:
    """Return the images and files of a message; raise KoiError for one that cannot be sent."""
    parts: list[Image | File] = [Image(data, image_type(data)) for data in draft.images.values()]
    for path in dict.fromkeys(find_mentions(draft.text, koi.workspace)):
        parts.append(read_part(path, koi.workspace))
    if any(isinstance(part, Image) for part in parts):
        await require_vision(koi)
    return tuple(parts)


def read_part(path: Path, folder: Path) -> Image | File:
    """Read a file as an image if it is one, else as a file."""
    data, name = path.read_bytes(), str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
    kind = image_type(data)
    if len(data) > (MAX_IMAGE_BYTES if kind else MAX_FILE_BYTES):
        raise KoiError(f"{name} is too large to send ({len(data) / 1e6:.0f} MB).")
    return Image(data, kind) if kind else File(data, "text/plain", name)


async def require_vision(koi: "Koi") -> None:
    """Raise KoiError if the model is known not to read images."""
    model = await koi.describe_model("executor")
    if model.can and "images" not in model.can:
        raise KoiError(NO_VISION.format(model=model.name))
