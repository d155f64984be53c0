"""Read what the user wrote: the lines of a project's files that the user approved, such as AGENTS.md."""

from collections.abc import Set
from pathlib import Path

from openkoi_base.skillfile.digest import digest_path
from openkoi_base.skillfile.locations import Trust, list_parents
from openkoi_base.skillfile.validation import read_text
from openkoi_hookspecs.lazy_pattern import lazy_pattern

NUMBERED_LINE = lazy_pattern(r"^\d+\|(.*)$")  # as read_file shows it


def approved_lines(file: Path, workspace: Path, trust: Trust) -> Set[str]:
    """Return the lines of a file in a workspace's project, if the user approved its current content; else none."""
    try:
        inside = file.is_file() and file.resolve().is_relative_to(list_parents(workspace)[-1].resolve())
        return frozenset(read_text(file).split("\n")) if inside and trust(file, digest_path(file)) else frozenset()
    except (OSError, RuntimeError):
        return frozenset()


def drop_approved(shown: str, approved: Set[str]) -> str:
    """Return what read_file showed without the numbered lines, if the user approved them all; else all of it.

    A line may have been in the file that was read, and is not in the approved one: then the file was another one.
    """
    kept = [line for line in shown.split("\n") if not (found := NUMBERED_LINE.match(line)) or found[1] not in approved]
    return "\n".join(kept) if not any(map(NUMBERED_LINE.match, kept)) else shown
