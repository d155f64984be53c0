"""Decide what undo does with each file, by a three-way merge: files that changed after the task are merged or left.

What changed from ``wanted`` to ``base`` is undone, whatever else changed since: a path equal to the base becomes as
wanted, and a text that others changed is merged. Conflicts are left alone. An unstored file is restored if it was saved
before it was written.
"""

import stat

from .manifest import STORED_KINDS, UNSTORED_FILE_KINDS, PathEntry, PathKind, is_unchanged
from .obstacles import add_missing_folders, drop_blocked, remove_empty_folders
from .renames import is_no_file
from .restore_plan import ABSENT, CHANGED, REPLACED, RestorePlan, RestoreStates, is_not_folder, is_within

DELETED = "deleted later, or moved out of this folder"
DELETED_AS = "deleted later, under the name {}"
RENAMED = "renamed later from {}"
UNCLEAR = "renamed later, and several files match it"
RENAMED_TWICE = "renamed later to {}"
NOT_KEPT = {
    PathKind.LARGE: "too large, so its content was not saved",
    PathKind.IGNORED: "ignored, so its content was not saved",
    PathKind.CROWDED: "ignored, and has too many files, so nothing in it was saved",
    PathKind.SKIPPED: "skipped, so it was not saved",
    PathKind.UNREADABLE: "could not be read, so its content was not saved",
}


def plan_restore(views: RestoreStates) -> RestorePlan:
    """Plan all paths that were changed; parents come before their children."""
    made = RestorePlan()
    both = (*views.wanted.values(), *views.base.values(), *views.now.values())
    crowded = {entry.path: entry for entry in both if entry.kind is PathKind.CROWDED}
    for path in sorted({*views.base, *views.wanted}):
        if crowded and is_within(path.rpartition("/")[0], crowded):
            continue
        plan_path(made, path, views)
    while withdrawn := drop_blocked(made, views):
        made = withdrawn
    add_missing_folders(made, views)
    remove_empty_folders(made, views)
    return made


def plan_path(made: RestorePlan, path: str, views: RestoreStates) -> None:
    """Plan one path."""
    base, want, here = views.entries_of(path)
    if is_unchanged(base, want) or (want is None and base and base.kind is PathKind.SKIPPED and not base.size):
        if want and is_half_restored(base, here):
            made.modes.append(want)
    elif base and not want and is_missing(base, here):
        plan_missing(made, base, views)
    elif base and want and is_not_folder(base) and not is_not_folder(want) and here is None:
        plan_missing(made, base, views)
        made.make.append(want)
    elif want and here and is_not_folder(want) and not is_not_folder(base) and differs_in_executable_bit(want, here):
        if views.force:
            made.modes.append(want)
        else:
            made.conflicts[path] = CHANGED
    elif is_unchanged(want, here) or (want and here and want.has_same_content(here)):
        plan_mode(made, base, want, here)
    elif (here is None and not is_not_folder(base)) or (here and base and matches_base(base, want, here)):
        plan_replacement(made, base, want, here, views)
    else:
        plan_merge(made, path, views)


def plan_missing(made: RestorePlan, base: PathEntry, views: RestoreStates) -> None:
    """Plan a path that is neither wanted nor present: it may have been renamed, by others or by the work."""
    renamed, other = views.renames.since(base), None if views.force else views.renames.before(base)
    if views.renames.is_unclear(base):
        made.conflicts[base.path] = UNCLEAR
        return
    if renamed and views.force:
        made.remove.append(renamed)
    elif renamed:
        made.conflicts[renamed.path] = RENAMED.format(base.path)
    if other and is_no_file(other.path, views.now):
        made.conflicts[other.path] = RENAMED_TWICE.format(renamed.path) if renamed else DELETED_AS.format(base.path)
    if not (renamed or other) and is_not_folder(base):
        made.unchanged.append(base.path)


def is_missing(base: PathEntry, here: PathEntry | None) -> bool:
    """Return whether the path no longer exists; a folder in place of a file is something else, as in git."""
    return here is None or (is_not_folder(base) and here.kind is PathKind.FOLDER)


def differs_in_executable_bit(want: PathEntry, here: PathEntry) -> bool:
    """Return whether a file with the wanted content has another executable bit: a conflict, as in git."""
    return want.has_same_content(here) and bool((want.mode ^ here.mode) & stat.S_IXUSR)


def matches_base(base: PathEntry, want: PathEntry | None, here: PathEntry) -> bool:
    """Return whether the path still equals the base; deleting a file made executable conflicts."""
    return here.has_same_content(base) and (is_not_folder(want) or not (base.mode ^ here.mode) & stat.S_IXUSR)


def plan_mode(made: RestorePlan, base: PathEntry | None, want: PathEntry | None, here: PathEntry | None) -> None:
    """Plan at most a change of mode where the content is already as wanted."""
    if want and here and (mode := merge_modes(base, want, here)) != here.mode:
        made.modes.append(want.with_mode(mode))
    elif is_not_folder(base) or is_not_folder(want):
        made.unchanged.append((base or want).path)  # type: ignore[union-attr]  # one of them is a file


def plan_replacement(
    made: RestorePlan, base: PathEntry | None, want: PathEntry | None, here: PathEntry | None, views: RestoreStates
) -> None:
    """Plan the wanted content if the path equals the base and nothing is lost by that."""
    reason = unavailable_reason(want, views) or overwrite_reason(want, here, views)
    if reason:
        made.left[(want or here).path] = reason  # type: ignore[union-attr]  # something is there or wanted
    else:
        result = want.with_mode(merge_modes(base, want, here)) if want and here else want
        plan_swap(made, result, here)
        made.merged += [want.path] if want and result != want else []


def plan_merge(made: RestorePlan, path: str, views: RestoreStates) -> None:
    """Merge a path that others changed, or leave it alone."""
    base, want, here = views.entries_of(path)
    if not (is_not_folder(base) or is_not_folder(want)) and (want is None or here is None or not views.force):
        return  # a folder that is to go, has gone, or was replaced: that matters where a file is wanted in it
    target = here or (base and views.renames.since(base))
    if merged := merge_entry(base, want, target, views):
        plan_merged(made, merged, target)
        made.make += [want] if want and not is_not_folder(want) else []
    elif base and want is None and here and here.kind is PathKind.LINK and is_moved_back(base, views):
        made.unchanged.append(path)
    elif views.force:
        plan_forced(made, want, here, views)
    elif target is None:
        made.conflicts[path] = UNCLEAR if base and views.renames.is_unclear(base) else DELETED
    else:
        made.conflicts[target.path] = CHANGED if target.kind is PathKind.FILE else REPLACED


def is_moved_back(base: PathEntry, views: RestoreStates) -> bool:
    """Return whether a file that the work renamed has its old name again; the new name is another file's, as in git."""
    old = views.renames.before(base)
    here = views.now.get(old.path) if old else None
    return bool(here and here.kind is PathKind.FILE and here.has_same_content(base))


def merge_entry(
    base: PathEntry | None, want: PathEntry | None, target: PathEntry | None, views: RestoreStates
) -> PathEntry | None:
    """Return the merged entry, at the path that the file has now or had before; None for a conflict."""
    if base is None:
        return merge_new_files(want, target, views)
    source = want if want and is_not_folder(want) else views.renames.before(base)
    if not (target and source) or {base.kind, target.kind, source.kind} != {PathKind.FILE}:
        return None
    if source is not want and not is_no_file(source.path, views.now):
        return None
    made = views.merged(base, source, target)
    path = target.path if source is want else source.path
    return made and made.at_path(path).with_mode(merge_modes(base, source, target))


def merge_new_files(want: PathEntry | None, here: PathEntry | None, views: RestoreStates) -> PathEntry | None:
    """Merge two new files at one path: if one is empty, take the other, as in git."""
    if not (want and here and want.kind is here.kind is PathKind.FILE) or (want.mode ^ here.mode) & stat.S_IXUSR:
        return None
    made = views.merged(None, want, here)
    return made and made.with_mode(here.mode)


def plan_merged(made: RestorePlan, merged: PathEntry, target: PathEntry | None) -> None:
    """Plan a merged file; one that the work renamed gets its old name back."""
    made.make = [entry for entry in made.make if entry.path != merged.path]
    if target and target.path == merged.path and is_unchanged(merged, target):
        made.unchanged.append(merged.path)
        return
    made.make.append(merged)
    made.merged.append(merged.path)
    if target and target.path != merged.path:
        made.remove.append(target)
        made.moves[merged.path] = target.path


def plan_forced(made: RestorePlan, want: PathEntry | None, here: PathEntry | None, views: RestoreStates) -> None:
    """Plan to replace whatever is present, or record why the wanted content is unavailable."""
    if reason := unavailable_reason(want, views):
        made.left[want.path if want else ""] = reason
    else:
        plan_swap(made, want, here)


def plan_swap(made: RestorePlan, want: PathEntry | None, here: PathEntry | None) -> None:
    """Plan to replace one entry by another."""
    if here and (want is None or PathKind.FOLDER in (want.kind, here.kind)):
        made.remove.append(here)
    if want and want.path not in made.merged:
        made.make.append(want)


def merge_modes(base: PathEntry | None, want: PathEntry, here: PathEntry) -> int:
    """Merge modes bit by bit: bits that others changed stay."""
    if is_half_restored(base, here):
        return want.mode
    theirs = here.mode ^ base.mode if base and base.kind is here.kind else 0
    return (want.mode & ~theirs) | (here.mode & theirs) if base else here.mode


def is_half_restored(base: PathEntry | None, here: PathEntry | None) -> bool:
    """Return whether a killed restore created or opened this folder; its mode is set last."""
    folders = here is not None and here.kind is PathKind.FOLDER and (base is None or base.kind is PathKind.FOLDER)
    before = base.mode if base else 0
    return folders and here.mode == before | stat.S_IRWXU != before  # type: ignore[union-attr]  # it is a folder


def unavailable_reason(want: PathEntry | None, views: RestoreStates) -> str | None:
    """Return why the wanted content is unavailable; None if it is available."""
    if want is None or want.kind in STORED_KINDS:
        return None
    there = want.kind in UNSTORED_FILE_KINDS and views.saved(want.path, want.status_digest)
    return None if there else NOT_KEPT[want.kind]


def overwrite_reason(want: PathEntry | None, here: PathEntry | None, views: RestoreStates) -> str | None:
    """Return why the present entry must stay: its content is not stored, and no tool of the run wrote it."""
    if here is None or here.kind in STORED_KINDS:
        return None
    ours = here.kind in UNSTORED_FILE_KINDS and views.saved(here.path, want.status_digest if want else ABSENT)
    return None if ours else NOT_KEPT[here.kind]
