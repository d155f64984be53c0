"""Announce a newer release after a run, at most once a day. No run waits for it, and nothing is installed.

The package index is asked by a process of its own, once a day; what it found is announced after a later run.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from openkoi_base.files.private_files import read_small_text, replace_file
from openkoi_hookspecs import KoiError

from .releases import MAIN, Newer, newer_releases, versions_from_index

NAME = "releases.json"
MAX_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Notice:
    """On which day (UTC) the index was asked last, on which day a release was announced last, and what was found."""

    asked: str = ""
    announced: str = ""
    newer: tuple[Newer, ...] = ()


def announce(data: Path) -> str:
    """Return what to announce, if anything; ask the index for the next run where that was not done today."""
    file, today = data / NAME, datetime.now(UTC).date().isoformat()
    with suppress(OSError):  # without a place to note it, it would be announced after each run
        notice = read(file)
        if notice.asked == today and (notice.announced == today or not notice.newer):
            return ""
        installed = versions_from_index()
        if notice.asked != today and installed:
            notice = replace(notice, asked=today)
            write(file, notice)
            ask_later(file)
        text = "" if notice.announced == today else announcement(notice, installed)
        if text:
            write(file, replace(notice, announced=today))
        return text
    return ""


def announcement(notice: Notice, installed: Mapping[str, str]) -> str:
    """Return the line that names what is newer than what is installed now; empty if nothing is."""
    newer = [one for one in notice.newer if installed.get(one.name) == one.version]
    if not newer:
        return ""
    first = next((one for one in newer if one.name == MAIN), newer[0])
    more = f" and {len(newer) - 1} more" if len(newer) > 1 else ""
    return f"A newer release is available: {first.name} {first.version} -> {first.latest}{more}. Run `openkoi update`."


def ask_later(file: Path) -> None:
    """Ask the index in a process that outlives this one."""
    command = [sys.executable, "-P", "-m", __name__, str(file)]
    null = subprocess.DEVNULL
    subprocess.Popen(command, stdin=null, stdout=null, stderr=null, cwd=sys.prefix, start_new_session=True)


def ask(file: Path) -> None:
    """Ask the index, and note what is newer; what cannot be asked is asked again tomorrow."""
    found: Sequence[Newer] = ()
    with suppress(KoiError):
        found = newer_releases(MAX_SECONDS)
    write(file, replace(read(file), newer=tuple(found)))


def read(file: Path) -> Notice:
    """Return what is noted; nothing where that is missing or damaged."""
    try:
        said = json.loads(read_small_text(file))
        return Notice(str(said["asked"]), str(said["announced"]), tuple(Newer(**one) for one in said["newer"]))
    except (OSError, ValueError, TypeError, KeyError):
        return Notice()


def write(file: Path, notice: Notice) -> None:
    replace_file(file, json.dumps(asdict(notice)))


if __name__ == "__main__":
    ask(Path(sys.argv[1]))
