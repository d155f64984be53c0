"""Decide what a restore does with each path, by merging three ways. Knows entries; knows no disk.

What was changed from ``wanted`` to ``base`` is taken back, whatever else is there now: a path that is as in the base
becomes as wanted, and a text that others changed too is merged. What conflicts is left alone. What was only noticed
comes back if it was saved before it was written.
"""

import stat

from .manifest import KEPT, NOTICED, Entry, Kind, same
from .obstacles import add_folders, remove_empty_folders, withdraw
from .plan import ABSENT, CHANGED, REPLACED, Plan, Sides, is_file, within
from .renames import no_file

DELETED = "deleted since, or moved out of this folder"
DELETED_AS = "deleted since, as {}"
RENAMED = "renamed since, from {}"
RENAMED_TWICE = "renamed since, to {}"
NOT_KEPT = {
    Kind.LARGE: "too large, so its content was not kept",
    Kind.IGNORED: "ignored, so its content was not kept",
    Kind.CROWDED: "ignored and too full to look at, so nothing in it was kept",
    Kind.PASSED: "passed over, so it was not kept",
    Kind.UNREADABLE: "could not be read, so its content was not kept",
}


def plan_restore(views: Sides) -> Plan:
    """Go through all paths that were changed; those above come before those below."""
    made = Plan()
    both = (*views.wanted.values(), *views.base.values(), *views.now.values())
    crowded = {entry.path: entry for entry in both if entry.kind is Kind.CROWDED}
    for path in sorted({*views.base, *views.wanted}):
        if crowded and within(path.rpartition("/")[0], crowded):
            continue
        add(made, path, views)
    while withdrawn := withdraw(made, views):
        made = withdrawn
    add_folders(made, views)
    remove_empty_folders(made, views)
    return made


def add(made: Plan, path: str, views: Sides) -> None:
    """Note what has to be done for one path."""
    base, want, here = views.of(path)
    if same(base, want) or (want is None and base and base.kind is Kind.PASSED and not base.size):
        if want and half_made(base, here):
            made.modes.append(want)
    elif base and not want and gone(base, here):
        add_gone(made, base, views)
    elif base and want and is_file(base) and not is_file(want) and here is None:
        add_gone(made, base, views)
        made.make.append(want)
    elif want and here and is_file(want) and not is_file(base) and made_alike(want, here):
        if views.force:
            made.modes.append(want)
        else:
            made.conflicts[path] = CHANGED
    elif same(want, here) or (want and here and want.same_content(here)):
        set_mode(made, base, want, here)
    elif (here is None and not is_file(base)) or (here and base and unchanged(base, want, here)):
        replace_content(made, base, want, here, views)
    else:
        reconcile(made, path, views)


def add_gone(made: Plan, base: Entry, views: Sides) -> None:
    """Where nothing is wanted and nothing is there any more: it may have been renamed, by others or by the work."""
    renamed, other = (None, None) if views.force else (views.renames.since(base), views.renames.before(base))
    if renamed:
        made.conflicts[renamed.path] = RENAMED.format(base.path)
    if other and no_file(other.path, views.now):
        made.conflicts[other.path] = RENAMED_TWICE.format(renamed.path) if renamed else DELETED_AS.format(base.path)
    if not (renamed or other) and is_file(base):
        made.unchanged.append(base.path)


def gone(base: Entry, here: Entry | None) -> bool:
    """Whether it is not there any more; a folder in the place of a file is something else, as in git."""
    return here is None or (is_file(base) and here.kind is Kind.FOLDER)


def made_alike(want: Entry, here: Entry) -> bool:
    """Whether others made the same file, but executable, or not: which one is meant is not known, as in git."""
    return want.same_content(here) and bool((want.mode ^ here.mode) & stat.S_IXUSR)


def unchanged(base: Entry, want: Entry | None, here: Entry) -> bool:
    """Whether it still is as in the base; to delete a file that others made executable is a conflict, as in git."""
    return here.same_content(base) and (is_file(want) or not (base.mode ^ here.mode) & stat.S_IXUSR)


def set_mode(made: Plan, base: Entry | None, want: Entry | None, here: Entry | None) -> None:
    """Where the content is as wanted: its mode at most."""
    if want and here and (mode := wanted_mode(base, want, here)) != here.mode:
        made.modes.append(want.with_mode(mode))
    elif is_file(base) or is_file(want):
        made.unchanged.append((base or want).path)  # type: ignore[union-attr]  # one of them is a file


def replace_content(made: Plan, base: Entry | None, want: Entry | None, here: Entry | None, views: Sides) -> None:
    """Where it still is as in the base: what is wanted, if that can be had and nothing is lost by it."""
    reason = not_kept(want, views) or overwrites(want, here, views)
    if reason:
        made.left[(want or here).path] = reason  # type: ignore[union-attr]  # something is there or wanted
    else:
        result = want.with_mode(wanted_mode(base, want, here)) if want and here else want
        put(made, result, here)
        made.merged += [want.path] if want and result != want else []


def reconcile(made: Plan, path: str, views: Sides) -> None:
    """Where others changed it too: merge it, or leave it alone."""
    base, want, here = views.of(path)
    if not (is_file(base) or is_file(want)) and (want is None or here is None or not views.force):
        return  # a folder that is to go, has gone, or was replaced: that matters where a file is wanted in it
    target = here or (base and views.renames.since(base))
    if merged := merged_entry(base, want, target, views):
        place(made, merged, target)
        made.make += [want] if want and not is_file(want) else []
    elif base and want is None and here and here.kind is Kind.LINK and is_moved_back(base, views):
        made.unchanged.append(path)
    elif views.force:
        put_or_name(made, want, here, views)
    elif target is None:
        made.conflicts[path] = DELETED
    else:
        made.conflicts[target.path] = CHANGED if target.kind is Kind.FILE else REPLACED


def is_moved_back(base: Entry, views: Sides) -> bool:
    """Return whether a file that the work renamed has its old name again: the new one is another, as in git."""
    old = views.renames.before(base)
    here = views.now.get(old.path) if old else None
    return bool(here and here.kind is Kind.FILE and here.same_content(base))


def merged_entry(base: Entry | None, want: Entry | None, target: Entry | None, views: Sides) -> Entry | None:
    """Return what merging leads to, at whatever path the file has now or had before; None for a conflict."""
    if base is None:
        return merged_new(want, target, views)
    source = want if want and is_file(want) else views.renames.before(base)
    if not (target and source) or {base.kind, target.kind, source.kind} != {Kind.FILE}:
        return None
    if source is not want and not no_file(source.path, views.now):
        return None
    made = views.merged(base, source, target)
    path = target.path if source is want else source.path
    return made and made.at(path).with_mode(wanted_mode(base, source, target))


def merged_new(want: Entry | None, here: Entry | None, views: Sides) -> Entry | None:
    """Return what merging two new files at one path leads to: the other one, where one is empty, as in git."""
    if not (want and here and want.kind is here.kind is Kind.FILE) or (want.mode ^ here.mode) & stat.S_IXUSR:
        return None
    made = views.merged(None, want, here)
    return made and made.with_mode(here.mode)


def place(made: Plan, merged: Entry, target: Entry | None) -> None:
    """Put a merged file in place; one that had been renamed by the work gets its name back."""
    made.make = [entry for entry in made.make if entry.path != merged.path]
    if target and target.path == merged.path and same(merged, target):
        made.unchanged.append(merged.path)
        return
    made.make.append(merged)
    made.merged.append(merged.path)
    if target and target.path != merged.path:
        made.remove.append(target)
        made.moves[merged.path] = target.path


def put_or_name(made: Plan, want: Entry | None, here: Entry | None, views: Sides) -> None:
    """Put what is wanted in place of whatever is there, or say why it cannot be had."""
    if reason := not_kept(want, views):
        made.left[want.path if want else ""] = reason
    else:
        put(made, want, here)


def put(made: Plan, want: Entry | None, here: Entry | None) -> None:
    """Note that one thing makes way for another."""
    if here and (want is None or Kind.FOLDER in (want.kind, here.kind)):
        made.remove.append(here)
    if want and want.path not in made.merged:
        made.make.append(want)


def wanted_mode(base: Entry | None, want: Entry, here: Entry) -> int:
    """Merge modes bit by bit: those that others changed stay as they are."""
    if half_made(base, here):
        return want.mode
    theirs = here.mode ^ base.mode if base and base.kind is here.kind else 0
    return (want.mode & ~theirs) | (here.mode & theirs) if base else here.mode


def half_made(base: Entry | None, here: Entry | None) -> bool:
    """Whether a restore that was killed has made or opened this folder: its mode would have come last."""
    folders = here is not None and here.kind is Kind.FOLDER and (base is None or base.kind is Kind.FOLDER)
    before = base.mode if base else 0
    return folders and here.mode == before | stat.S_IRWXU != before  # type: ignore[union-attr]  # it is a folder


def not_kept(want: Entry | None, views: Sides) -> str | None:
    """Why what is wanted cannot be had."""
    if want is None or want.kind in KEPT:
        return None
    there = want.kind in NOTICED and views.saved(want.path, want.look)
    return None if there else NOT_KEPT[want.kind]


def overwrites(want: Entry | None, here: Entry | None, views: Sides) -> str | None:
    """Why what is here must stay: nobody kept it, unless it was a tool of ours that put it where something else was."""
    if here is None or here.kind in KEPT:
        return None
    ours = here.kind in NOTICED and views.saved(here.path, want.look if want else ABSENT)
    return None if ours else NOT_KEPT[here.kind]
