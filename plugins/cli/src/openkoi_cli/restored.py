"""Say what came of restoring files: how many, and what was left, file by file. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from openkoi_hookspecs import Restoration
from openkoi_report import format_count

SHOWN = 10
KEPT = "not changed by the task"
DONE = {"undo": "Undid", "reapply": "Reapplied"}
SINCE = {"undo": "before", "reapply": "after"}


def summary(verb: str, task: str, done: Restoration, *, why: str) -> str:
    """Say what was done with a task's files, and with how many; ``verb`` is ``undo`` or ``reapply``.

    ``why`` says why nothing was to be done.
    """
    changed, left = done.restored or done.deleted or done.merged, done.conflicts or done.left
    if not (changed or left):
        nothing = f"Nothing to {verb}: the files are as they were {SINCE[verb]} task {task}"
        return "\n".join(filter(None, (nothing, why, counts(done))))
    verb = DONE[verb]
    if left and not (changed or done.unchanged):
        return f"{verb} nothing of task {task}\n{counts(done)}"
    return f"{verb} {'part of ' if left else ''}task {task}\n{counts(done)}"


def counts(done: Restoration) -> str:
    """Count the files, by what became of them."""
    numbers = (
        (len(done.deleted), "deleted"),
        (len(done.merged), "merged with later changes"),
        (len(done.unchanged), "already as wanted"),
        (len(done.conflicts), "in conflict"),
        (len(done.left), "not restorable"),
    )
    more = [f"{count} {what}" for count, what in numbers if count]
    return ", ".join([f"{format_count(len(done.restored), 'file')} restored", *more])


def left_alone(done: Restoration, again: str) -> Iterator[str]:
    """Name what was left; ``again`` is the command that overwrites what conflicts."""
    for path, reason in done.conflicts.items():
        yield f"conflict: {shown(path)} was left as it is: {reason}"
    if done.conflicts:
        yield f"To overwrite what is there now, run `{again}`."
    for path, reason in shortened(done.left).items():
        yield f"not restored: {shown(path)} ({reason})"


def changed_by_others(done: Restoration) -> Iterator[str]:
    """Name what others changed, and undo therefore kept."""
    for path, reason in shortened(dict.fromkeys(done.kept, KEPT)).items():
        yield f"{shown(path)} ({reason})"


def shown(path: str) -> str:
    """A path on one line, quoted where it could not stand there as it is."""
    return path if path.isprintable() else repr(path)


def shortened(files: Mapping[str, str]) -> Mapping[str, str]:
    """Name every file or, where they are many, a folder that it lies in."""
    depth = max((path.count("/") for path in files), default=0)
    named: Mapping[str, str] = dict(sorted(files.items()))
    while len(named) > SHOWN and depth:
        depth -= 1
        named = gathered(files, depth)
    return named


def gathered(files: Mapping[str, str], depth: int) -> Mapping[str, str]:
    """Name folders that are so many steps down in place of what lies deeper."""
    groups = groupby(sorted(files), lambda path: folder_of(path, depth))
    return {top: told([files[path] for path in below]) for top, below in groups}


def folder_of(path: str, depth: int) -> str:
    """The folder that is so many steps down, of what lies deeper."""
    parts = path.split("/")
    return path if len(parts) <= depth + 1 else "/".join(parts[: depth + 1]) + "/"


def told(reasons: Sequence[str]) -> str:
    """One reason, or how many files have which."""
    counts = Counter(reasons)
    if len(reasons) == 1:
        return reasons[0]
    return "; ".join(f"{count} {reason}" for reason, count in counts.items())
