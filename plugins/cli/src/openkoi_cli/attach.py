"""Attach the images (``--image``) and files that a command line names to its task."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from openkoi_base.attachments import find_mentions, find_missing, read_part
from openkoi_hookspecs import ConfigError, File, Image, Koi, KoiError, Task

NO_VISION = "{model} does not read images. Choose another model with -m; `openkoi models` shows which ones do."
NOT_AN_IMAGE = "{path} is not a PNG, JPEG, GIF or WebP image. To send another file, name it in the task: @{path}"

OUTSIDE = "{path}, which is outside this folder, is sent with the task."
NOT_SENT = "{path} is outside this folder and was not sent: only a task on the command line can attach such a file."


async def attach_files(task: Task, images: Sequence[str], koi: Koi, *, piped: bool = False) -> Task:
    """Return the task with the images, and with each file that it names with ``@``.

    Others may have written a ``piped`` task: it attaches files in the folder only.
    """
    here = Path.cwd()
    parts = [read_image(Path(path), here) for path in images]
    for path in find_missing(task.text, here):
        koi.warn(f"There is no file {path}, so @{path.name} is sent as text.")
    found = [*find_mentions(task.text, here)]
    outside = [path for path in found if not path.resolve().is_relative_to(here.resolve())]
    for path in outside:
        koi.warn((NOT_SENT if piped else OUTSIDE).format(path=path))
    mentioned = [read_part(path, here) for path in found if not (piped and path in outside)]
    if any(isinstance(part, Image) for part in (*parts, *mentioned)):
        await require_vision(task, koi)
    return replace(task, parts=(*parts, *mentioned))


def read_image(path: Path, folder: Path) -> Image | File:
    """Read an image; raise ConfigError for any other file."""
    part = read_part(folder / path.expanduser(), folder)
    if not isinstance(part, Image):
        raise ConfigError(NOT_AN_IMAGE.format(path=path))
    return part


async def require_vision(task: Task, koi: Koi) -> None:
    """Raise ConfigError if the executor's model is known not to read images."""
    named = task.agent.model if task.agent else ""
    try:
        model = await koi.describe_model(named or "executor")
    except KoiError:  # the call of the model reports what is wrong with it
        return
    if model.can and "images" not in model.can:
        raise ConfigError(NO_VISION.format(model=model.name))
