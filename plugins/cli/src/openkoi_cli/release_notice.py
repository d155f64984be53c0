"""Check for a new version (update) in the background once a day, and announce it after a run.

A background process asks the package index once a day; its result is announced after a later run.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from openkoi_base.files.private_files import read_small_text, replace_file
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .releases import MAIN, Newer, newer_releases, versions_from_index

NAME = "releases.json"
MAX_SECONDS = 60.0  # estimate: a slow index


@dataclass(frozen=True, slots=True)
class Notice:
    """The days (UTC) of the last query and announcement, and the result."""

    asked: str = ""
    announced: str = ""
    newer: tuple[Newer, ...] = ()


def announce(data: Path) -> str:
    """Return what to announce, if anything; query the index for the next run if not done today."""
    file, today = data / NAME, datetime.now(UTC).date().isoformat()
    with suppress(OSError):  # if it cannot be saved, it would be announced after each run
        notice = read_notice(file)
        if notice.asked == today and (notice.announced == today or not notice.newer):
            return ""
        installed = versions_from_index()
        if notice.asked != today and installed:
            notice = replace(notice, asked=today)
            write_notice(file, notice)
            query_in_background(file)
        text = "" if notice.announced == today else format_notice(notice, installed)
        if text:
            write_notice(file, replace(notice, announced=today))
        return text
    return ""


def format_notice(notice: Notice, installed: Mapping[str, str]) -> str:
    """Return the line that announces newer releases; empty if there are none."""
    newer = [one for one in notice.newer if installed.get(one.name) == one.version]
    if not newer:
        return ""
    first = next((one for one in newer if one.name == MAIN), newer[0])
    more = f" and {len(newer) - 1} more" if len(newer) > 1 else ""
    return f"A newer release is available: {first.name} {first.version} -> {first.latest}{more}. Run `openkoi update`."


def query_in_background(file: Path) -> None:
    """Query the index in a process that outlives this one."""
    command = [sys.executable, "-P", "-m", __name__, str(file)]
    null = subprocess.DEVNULL
    subprocess.Popen(command, stdin=null, stdout=null, stderr=null, cwd=sys.prefix, start_new_session=True)


def query_index(file: Path) -> None:
    """Query the index, and save the result; errors are retried tomorrow."""
    found: Sequence[Newer] = ()
    with suppress(KoiError):
        found = newer_releases(MAX_SECONDS)
    write_notice(file, replace(read_notice(file), newer=tuple(found)))


def read_notice(file: Path) -> Notice:
    """Return the saved notice; an empty one if it is missing or damaged."""
    try:
        content = json.loads(read_small_text(file))
        return Notice(str(content["asked"]), str(content["announced"]), tuple(Newer(**one) for one in content["newer"]))
    except (OSError, ValueError, TypeError, KeyError):
        return Notice()


def write_notice(file: Path, notice: Notice) -> None:
    replace_file(file, json.dumps(asdict(notice)))


if __name__ == "__main__":
    query_index(Path(sys.argv[1]))
