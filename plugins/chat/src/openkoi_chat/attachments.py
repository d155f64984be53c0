"""The attachments of a message: images, shown as chips, and files named with ``@``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.attachments import list_mentioned, read_part
from openkoi_hookspecs import File, Image, KoiError
from openkoi_hookspecs.content import MAX_IMAGE_BYTES, image_type
from openkoi_hookspecs.lazy_dataclass import dataclass

from .cli_commands import current_folder

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

TOO_LARGE = "{chip} is {size:.1f} MB; the limit is {limit:.0f} MB. Remove it, or paste a smaller one."
NO_VISION = "{model} does not read images. Remove the image, or choose another model with /model."


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as it is sent: its words, and the images behind its chips."""

    text: str
    images: Mapping[str, bytes] = field(default_factory=dict)


async def load_parts(draft: Draft, koi: "Koi") -> tuple[Image | File, ...]:
    """Return the images and files of a message; raise KoiError if one cannot be sent."""
    parts: list[Image | File] = [make_image(chip, data) for chip, data in draft.images.items()]
    for path in dict.fromkeys(find_files(draft.text, current_folder(koi.workspace), koi.workspace)):
        parts.append(read_part(path, koi.workspace))
    if any(isinstance(part, Image) for part in parts):
        await require_vision(koi)
    return tuple(parts)


def make_image(chip: str, data: bytes) -> Image:
    """Return the image behind a chip; raise KoiError if it is too large."""
    if len(data) > MAX_IMAGE_BYTES:
        raise KoiError(TOO_LARGE.format(chip=chip, size=len(data) / 1e6, limit=MAX_IMAGE_BYTES / 1e6))
    return Image(data, image_type(data))


def find_files(text: str, here: Path, workspace: Path) -> Iterator[Path]:
    """Yield the files that a message names from the current folder, else from that of the project."""
    for near, far in zip(list_mentioned(text, here), list_mentioned(text, workspace), strict=True):
        if found := next((path for path in (near, far) if path.is_file()), None):
            yield found.resolve()


def explain_files(text: str, parts: Iterable[Image | File], here: Path, workspace: Path) -> Iterator[str]:
    """Yield a sentence for each file that does not exist, and for each that is sent from outside the workspace."""
    for name in find_missing_files(text, here, workspace):
        yield f"There is no file {name}, so @{name} is sent as text."
    for part in parts:
        if isinstance(part, File) and Path(part.name).is_absolute():
            yield f"{part.name}, which is outside this folder, is also sent."


def find_missing_files(text: str, here: Path, workspace: Path) -> Iterator[str]:
    """Yield the names after ``@`` that look like files but do not exist in either folder."""
    from openkoi_base.attachments import find_missing

    far = {path.name for path in find_missing(text, workspace)}
    yield from dict.fromkeys(path.name for path in find_missing(text, here) if path.name in far)


async def require_vision(koi: "Koi") -> None:
    """Raise KoiError if the model is known not to read images."""
    model = await koi.describe_model("executor")
    if model.can and "images" not in model.can:
        raise KoiError(NO_VISION.format(model=model.name))
