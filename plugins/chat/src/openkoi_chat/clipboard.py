"""Copy text through the terminal (OSC 52), and read an image from the clipboard with the system's own programs."""

import base64
from pathlib import Path

from openkoi_hookspecs.content import MAX_FILE_BYTES, image_type

HEAD_BYTES = 16  # which show the type of an image
MAX_COPIED = 74_994  # what terminals with a limit of 100,000 bytes for the encoded text take
READERS = (
    ("wl-paste", "--no-newline", "--type", "image/png"),
    ("xclip", "-selection", "clipboard", "-t", "image/png", "-o"),
    ("pngpaste", "-"),
)


def copy_sequence(text: str) -> str:
    """Return the escape sequence that makes the terminal copy a text."""
    return f"\x1b]52;c;{base64.b64encode(text.encode()[:MAX_COPIED]).decode()}\x07"


async def read_clipboard_image() -> bytes:
    """Return the image in the clipboard; empty if there is none, or no program to read it."""
    import asyncio
    from asyncio.subprocess import DEVNULL, PIPE

    for command in READERS:
        try:
            process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
        except OSError:
            continue
        data, _ = await process.communicate()
        if image_type(data):
            return data
    return b""


def read_image_path(text: str) -> bytes:
    """Return the image that a pasted path names, as terminals paste a dropped file; empty if it names none.

    Only the beginning is read of other files, and of images that are too large to be sent.
    """
    path = Path(text.strip().strip("'\"").replace("\\ ", " ").removeprefix("file://"))
    try:
        if not path.is_absolute() or not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return b""
        with path.open("rb") as file:
            start = file.read(HEAD_BYTES)
            return start + file.read() if image_type(start) else b""
    except OSError:
        return b""
