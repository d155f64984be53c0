"""The content of messages: text, images and files."""

import os
from dataclasses import field
from pathlib import Path
from stat import S_ISREG
from typing import TypeAlias

from .errors import KoiError
from .lazy_dataclass import dataclass

MAX_IMAGE_BYTES = 5_000_000  # Anthropic's limit for one image; the largest that each of the vendors takes
MAX_FILE_BYTES = 20_000_000  # base64 of it fits the 32 MB that Anthropic takes as a request
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
TEXT_TYPES = ("text/", "application/json", "application/xml", "application/yaml", "application/toml")


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that the run log stores in a file and reads on demand. Plugins get blobs from the log.

    ``digest`` is the SHA-256 of the bytes in hexadecimal, ``size`` their number.
    """

    digest: str
    size: int
    path: Path = field(compare=False)

    def read(self) -> bytes:
        """Return the bytes; raise KoiError if the file is missing or damaged."""
        try:
            data = read_file(self.path)
        except OSError as error:
            raise KoiError(f"{self.path}, which the run log refers to, cannot be read: {error.strerror}.") from error
        if digest_of(data) != self.digest:
            raise KoiError(f"{self.path}, which the run log refers to, is damaged.")
        return data


@dataclass(frozen=True, slots=True)
class Media:
    """Bytes of a media type such as ``image/png``.

    In records of the log, ``content`` is a ``Blob``; ``data`` gives the bytes in either case.
    """

    content: bytes | Blob = field(repr=False)
    media_type: str

    @property
    def data(self) -> bytes:
        """The bytes; raises KoiError if they are in the log and cannot be read."""
        return bytes_of(self.content)

    @property
    def size(self) -> int:
        """The number of bytes."""
        return size_of(self.content)

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes, in hexadecimal."""
        return digest_of(self.content)


@dataclass(frozen=True, slots=True)
class Image(Media):
    """An image of at most 5,000,000 bytes, of one of ``IMAGE_TYPES``."""


@dataclass(frozen=True, slots=True)
class File(Media):
    """A file of at most 20,000,000 bytes: its bytes, their media type such as ``application/pdf``, and its name.

    Text files are sent as text to every model. Other files are sent if the provider supports their type, see
    ``SupportsMedia``; otherwise the model gets a note instead.
    """

    name: str

    @property
    def text(self) -> str | None:
        """The text, if the media type is textual and the content is valid UTF-8; otherwise None."""
        if not self.media_type.startswith(TEXT_TYPES):
            return None
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


Content: TypeAlias = Text | Image | File


def read_file(path: Path) -> bytes:
    """Return the bytes of a regular file; none of a pipe or a device, which a plugin could name."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MAX_FILE_BYTES) if S_ISREG(os.fstat(descriptor).st_mode) else b""


def bytes_of(content: bytes | Blob) -> bytes:
    """Return the bytes of either kind of content."""
    return content.read() if isinstance(content, Blob) else content


def size_of(content: bytes | Blob) -> int:
    """Return the number of bytes."""
    return content.size if isinstance(content, Blob) else len(content)


def digest_of(content: bytes | Blob) -> str:
    """Return the SHA-256 of the bytes, in hexadecimal."""
    from hashlib import sha256

    return content.digest if isinstance(content, Blob) else sha256(content).hexdigest()


def image_type(data: bytes) -> str:
    """Return the media type of an image from its first bytes, one of ``IMAGE_TYPES``; empty if it is none of these."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in SIGNATURES.items() if data.startswith(start)), "")
