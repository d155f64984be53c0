"""Read the files that a message names with ``@``, and images, as parts of a task."""

import os
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import ConfigError, File, Image
from openkoi_hookspecs.content import MAX_FILE_BYTES, MAX_IMAGE_BYTES, image_type
from openkoi_hookspecs.lazy_pattern import lazy_pattern

MENTION = lazy_pattern(r"(?<!\S)@(\"[^\"\n]+\"|[^\s\"]+)")
PATH_SIGNS = lazy_pattern(r"[/\\]|\.\w+$")


def find_mentions(text: str, folder: Path) -> Iterator[Path]:
    """Yield the files that a message names with ``@``, each once; ignore words that do not name a file."""
    yield from dict.fromkeys(path for path in list_mentioned(text, folder) if path.is_file())


def find_missing(text: str, folder: Path) -> Iterator[Path]:
    """Yield the words after ``@`` in a message that look like a file but do not name one."""
    for path in list_mentioned(text, folder):
        if not (path.is_file() or path.is_dir()) and PATH_SIGNS.search(
            str(path.name if path.parent == folder else path)
        ):
            yield path


def list_mentioned(text: str, folder: Path) -> Iterator[Path]:
    """Yield each path that a message names, without punctuation after it unless that is part of the file's name."""
    for match in MENTION.finditer(text):
        name = match[1].strip('"')
        whole = folder / Path(name).expanduser()
        yield whole if whole.exists() else folder / Path(name.rstrip(".,;:!?)'")).expanduser()


def read_part(path: Path, folder: Path) -> Image | File:
    """Read a file as an image if it is one, else as a file; raise ConfigError if it cannot be sent."""
    name = str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
    if path.exists() and not path.is_file():
        raise ConfigError(f"{name} is not a regular file.")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)  # of what is too large no more than shows that
            size = max(len(data), os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise ConfigError(f"Cannot read {name}: {error.strerror}.") from None
    kind = image_type(data)
    limit = MAX_IMAGE_BYTES if kind else MAX_FILE_BYTES
    if size > limit:
        raise ConfigError(f"{name} is {size / 1e6:.1f} MB; the limit is {limit / 1e6:.0f} MB.")
    if not data:
        raise ConfigError(f"{name} is empty.")
    return Image(data, kind) if kind else File(data, file_type(path, data), name)


def file_type(path: Path, data: bytes) -> str:
    """Return the media type of a file: text if its bytes are text, else the type that its name implies."""
    from mimetypes import guess_type

    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return guess_type(path.name)[0] or "application/octet-stream"
    return "text/plain"
