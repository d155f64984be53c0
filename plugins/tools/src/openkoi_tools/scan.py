"""Search files line by line, as a program of its own: a pattern that never comes to an end is ended with the process.

It reads one JSON object from its input (pattern, literal, files, room) and writes ``path NUL number:line`` for each
matching line, until there is no more room. It imports nothing but the standard library.
"""

import codecs
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

LONGEST_LINE = 400
LARGEST_FILE = 8 * 1024 * 1024
SAMPLE = 8_192
INVALID_PATTERN = 3


def main(given: BinaryIO, output: BinaryIO) -> int:
    """Answer one search; the exit status tells an invalid pattern from one that matches nothing."""
    wanted = json.load(given)
    try:
        pattern = re.compile(re.escape(wanted["pattern"]) if wanted["literal"] else wanted["pattern"])
    except (re.error, OverflowError, RecursionError) as error:
        output.write(str(error).encode())
        return INVALID_PATTERN
    room = wanted["room"]
    for line in (line for name in wanted["files"] for line in hits(pattern, name)):
        output.write(line)
        room -= len(line)
        if room < 0:
            break
    return 0


def hits(pattern: re.Pattern[str], name: str) -> Iterator[bytes]:
    """Yield the matching lines of one file."""
    for number, line in enumerate(lines(Path(name)), 1):
        if pattern.search(line):
            yield f"{name}\0{number}:{line[:LONGEST_LINE]}\n".encode(errors="replace")


def lines(path: Path) -> list[str]:
    """Return a text file's lines; other files have none."""
    try:
        facts = path.lstat()
        data = path.read_bytes() if S_ISREG(facts.st_mode) and facts.st_size <= LARGEST_FILE else b""
    except OSError:
        return []
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        text = "" if b"\0" in data[:SAMPLE] else data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n") if text else []


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))
