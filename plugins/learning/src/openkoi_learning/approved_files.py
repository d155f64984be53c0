"""Recognise what the user wrote: the lines of a project's files that the user approved, such as AGENTS.md."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from re import Match
from typing import TypeAlias

from openkoi_base.skillfile.locations import list_parents
from openkoi_base.skillfile.validation import read_text
from openkoi_hookspecs import Consent, ToolCall, is_yes
from openkoi_hookspecs.lazy_pattern import lazy_pattern

ListConsents: TypeAlias = Callable[[], Sequence[Consent]]

SHOWN_LINES = {  # of a file: as a tool shows them, with the file's path if there may be several
    "read_file": lazy_pattern(r"^(?P<path>)(?P<number>\d{1,9})\|(?P<text>.*)$"),
    "search": lazy_pattern(r"^(?P<path>.+?):(?P<number>\d{1,9}): (?P<text>.*)$"),
}
LINE_END = lazy_pattern("\r\n|\r|\n")
BYTE_ORDER_MARK = "\ufeff"


def drop_approved(call: ToolCall, shown: str, workspace: Path, list_consents: ListConsents) -> str:
    """Return what a call showed without the lines of files that the user approved.

    A file stays if one of its lines differs from the approved content: then another file was shown.
    """
    pattern = SHOWN_LINES.get(call.tool)
    if pattern is None:
        return shown
    place = workspace / str(call.arguments.get("path", "")) if call.tool == "read_file" else workspace
    lines = [(line, pattern.match(line)) for line in shown.split("\n")]
    found = sorted((match for _, match in lines if match), key=lambda match: match["path"])
    approved = {
        path
        for path, matches in groupby(found, lambda match: match["path"])
        if are_lines_of(approved_lines(place / path, workspace, list_consents), matches)
    }
    return "\n".join(line for line, match in lines if not (match and match["path"] in approved))


def approved_lines(file: Path, workspace: Path, list_consents: ListConsents) -> Sequence[str]:
    """Return the lines of a file in a workspace's project, if the user approved its current content; else none."""
    try:
        if not (file.is_file() and file.resolve().is_relative_to(list_parents(workspace)[-1].resolve())):
            return ()
        approvals = [one for one in list_consents() if one.text.endswith(file.name) and is_yes(one.answer)]
        if not approvals:
            return ()
        from openkoi_base.skillfile.approvals import consent_digest
        from openkoi_base.skillfile.digest import digest_path

        digest = consent_digest(file, digest_path(file))
        text = read_text(file).removeprefix(BYTE_ORDER_MARK)
    except (OSError, RuntimeError, ValueError):
        return ()
    return LINE_END.split(text) if any(one.digest == digest for one in approvals) else ()


def are_lines_of(content: Sequence[str], shown: Iterable[Match[str]]) -> bool:
    """Return whether all shown lines match the content at their line numbers."""
    return all(content[int(one["number"]) - 1 : int(one["number"])] == [one["text"]] for one in shown)
