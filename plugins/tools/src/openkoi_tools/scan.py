"""Search files line by line in a process of its own, so that a pattern that never finishes can be stopped.

It reads one JSON object from its input (pattern, literal, files, room) and writes ``path NUL number:line`` for each
matching line, until the room is used up. It imports nothing but the standard library.
"""

import codecs
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

MAX_LINE_CHARACTERS = 400
MAX_FILE_BYTES = 8 * 1024 * 1024
SAMPLE_BYTES = 8_192
INVALID_PATTERN = 3


def main(given: BinaryIO, output: BinaryIO) -> int:
    """Run one search; the exit status distinguishes an invalid pattern from no match."""
    wanted = json.load(given)
    try:
        pattern = re.compile(re.escape(wanted["pattern"]) if wanted["literal"] else wanted["pattern"])
    except (re.error, OverflowError, RecursionError) as error:
        output.write(str(error).encode())
        return INVALID_PATTERN
    room = wanted["room"]
    for line in (line for name in wanted["files"] for line in matching_lines(pattern, name)):
        output.write(line)
        room -= len(line)
        if room < 0:
            break
    return 0


def matching_lines(pattern: re.Pattern[str], name: str) -> Iterator[bytes]:
    """Yield the matching lines of one file."""
    for number, line in enumerate(read_lines(Path(name)), 1):
        if pattern.search(line):
            yield f"{name}\0{number}:{line[:MAX_LINE_CHARACTERS]}\n".encode(errors="replace")


def read_lines(path: Path) -> list[str]:
    """Return a text file's lines; other files have none."""
    try:
        facts = path.lstat()
        data = path.read_bytes() if S_ISREG(facts.st_mode) and facts.st_size <= MAX_FILE_BYTES else b""
    except OSError:
        return []
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        text = "" if b"\0" in data[:SAMPLE_BYTES] else data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n") if text else []


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))
