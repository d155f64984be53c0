"""Attach the images and files that a command line names to its task."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from openkoi_base.attachments import find_mentions, find_missing, read_part
from openkoi_hookspecs import ConfigError, File, Image, Koi, KoiError, Task

NO_VISION = "{model} does not read images. Choose another model with -m; `openkoi models` lists what each one reads."
NOT_AN_IMAGE = "{path} is not a PNG, JPEG, GIF or WebP image. To send another file, name it in the task: @{path}"


async def attach_files(task: Task, images: Sequence[str], koi: Koi) -> Task:
    """Return the task with the images, and with each file that it names with ``@``."""
    here = Path.cwd()
    parts = [read_image(Path(path), here) for path in images]
    for path in find_missing(task.text, here):
        koi.warn(f"There is no file {path}, so @{path.name} is sent as text.")
    mentioned = [read_part(path, here) for path in find_mentions(task.text, here)]
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
    """Raise ConfigError if the model that works is known not to read images."""
    named = task.agent.model if task.agent else ""
    try:
        model = await koi.describe_model(named or "executor")
    except KoiError:  # the call of the model reports what is wrong with it
        return
    if model.can and "images" not in model.can:
        raise ConfigError(NO_VISION.format(model=model.name))
