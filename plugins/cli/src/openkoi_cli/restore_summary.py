"""Format the result of restoring files: counts, and the files that were not restored."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from openkoi_base.counts import format_count
from openkoi_base.printable import one_line
from openkoi_hookspecs import Restoration

MAX_SHOWN = 10  # files; more are grouped by folder
KEPT = "not changed by the task"
VERBS_DONE = {"undo": "Undid", "reapply": "Reapplied"}
PREPOSITIONS = {"undo": "before", "reapply": "after"}


def format_summary(verb: str, task: str, done: Restoration, *, why: str) -> str:
    """Return what was done with a task's files; ``verb`` is ``undo`` or ``reapply``.

    ``why`` is why nothing was changed.
    """
    task, changed, left = one_line(task), done.restored or done.deleted or done.merged, done.conflicts or done.left
    if not (changed or left):
        nothing = f"Nothing to {verb}: the files are as they were {PREPOSITIONS[verb]} task {task}"
        return "\n".join(filter(None, (nothing, why, format_counts(done))))
    verb = VERBS_DONE[verb]
    if left and not (changed or done.unchanged):
        return f"{verb} none of the changes of task {task}\n{format_counts(done)}"
    return f"{verb} {'part of ' if left else ''}task {task}\n{format_counts(done)}"


def format_counts(done: Restoration) -> str:
    """Return the number of files by result."""
    numbers = (
        (len(done.deleted), "deleted"),
        (len(done.merged), "merged with later changes"),
        (len(done.unchanged), "already up to date"),
        (len(done.conflicts), "in conflict"),
        (len(done.left), "not restorable"),
    )
    more = [f"{count} {what}" for count, what in numbers if count]
    return ", ".join([f"{format_count(len(done.restored), 'file')} restored", *more])


def format_left(done: Restoration, again: str) -> Iterator[str]:
    """Yield the files that were left; ``again`` is the command that overwrites conflicts."""
    for path, reason in done.conflicts.items():
        yield f"conflict: {quote_path(path)} was not changed: {reason}"
    if done.conflicts:
        yield f"To overwrite files in conflict, run `{again}`."
    for path, reason in group_files(done.left).items():
        yield f"not restored: {quote_path(path)} ({reason})"


def format_kept(done: Restoration) -> Iterator[str]:
    """Yield the files that others changed, which undo therefore kept."""
    for path, reason in group_files(dict.fromkeys(done.kept, KEPT)).items():
        yield f"{quote_path(path)} ({reason})"


def quote_path(path: str) -> str:
    """Return a path on one line, quoted if it contains control characters."""
    return path if path.isprintable() else repr(path)


def group_files(files: Mapping[str, str]) -> Mapping[str, str]:
    """Return each file's reason; group many files by folder."""
    depth = max((path.count("/") for path in files), default=0)
    named: Mapping[str, str] = dict(sorted(files.items()))
    while len(named) > MAX_SHOWN and depth:
        depth -= 1
        named = group_by_folder(files, depth)
    return named


def group_by_folder(files: Mapping[str, str], depth: int) -> Mapping[str, str]:
    """Return the reasons by the folder at a depth."""
    groups = groupby(sorted(files), lambda path: folder_at(path, depth))
    return {top: format_reasons([files[path] for path in below]) for top, below in groups}


def folder_at(path: str, depth: int) -> str:
    """Return the folder at a depth for a deeper path."""
    parts = path.split("/")
    return path if len(parts) <= depth + 1 else "/".join(parts[: depth + 1]) + "/"


def format_reasons(reasons: Sequence[str]) -> str:
    """Return the reason, or the number of files for each reason."""
    counts = Counter(reasons)
    if len(reasons) == 1:
        return reasons[0]
    return "; ".join(f"{count} {reason}" for reason, count in counts.items())
