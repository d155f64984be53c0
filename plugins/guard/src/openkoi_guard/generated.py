"""What a build or a test makes again: deleting it is not asked about when git tracks nothing of it and ignores it all.

What the words of a line say is decided without looking; what git says of a folder is looked up last.
"""

import os
import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from glob import iglob
from pathlib import Path

from .finding import Command
from .patterns import RULES, lines_of
from .visited_folders import expand_folders
from .words import Word

GLOBBING = frozenset({"rimraf", "del", "del-cli"})  # They read patterns themselves.
DELETING = frozenset({"rm", *GLOBBING})
# What else a line may do before without putting something of value into such a folder.
HARMLESS_BEFORE = frozenset({"cd", "pushd", "echo", "printf", "ls", "rm", "rimraf", "test", "[", "set", "true", "pwd"})
# Where a later command of the line may run before the deletion, what it moves may be of value.
OUT_OF_ORDER = re.compile(r"\b(for|while|until|function|trap)\b|\(\s*\)|(?<![&>|])&(?![&>\d])")
MOVES = re.compile(r"\b(mv|ln|rsync|rename|mount|git\s+(mv|stash|checkout|worktree\s+move))\b")
UNSETTLED = re.compile(r"\b(eval|alias|select)\b")
BRACES = re.compile(r"\{([\w.,/-]+)\}")
COMPUTED = re.compile(r"[$`*?\[{~\\]")
SPELLED = re.compile(r"[\w.@+*?\[\]/-]+")
GLOB = ":(glob)"
SECONDS = 10
MOST_ENTRIES = 20_000


@cache
def names(kind: str) -> tuple[str, ...]:
    """Return the names of a kind that ``rules/generated.table`` lists."""
    rows = (line.split() for line in lines_of(RULES / "generated.table"))
    return tuple(name for first, *rest in rows if first == kind for name in rest)


def may_lose(line: str) -> bool:
    """Return whether something of value may come into a generated folder, whatever the order of the commands says."""
    return bool(UNSETTLED.search(line) or (OUT_OF_ORDER.search(line) and MOVES.search(line)))


def generated_targets(command: Command, earlier: Collection[str], line: str) -> tuple[str, ...]:
    """Return what a command deletes when all of it is of this kind by name, as paths or patterns for git; else nothing.

    ``earlier`` are the words of the commands before it in the line: what they may have moved there is of value.
    """
    own = command.name in GLOBBING
    words = [one for word in command.words if not word.option for one in braced(replace(word, glob=word.glob or own))]
    made = [word for word in words if os.path.basename(word.text) not in names("lock")]  # noqa: PTH119
    if command.name not in DELETING or not made or may_lose(line):
        return ()
    if not all(word.known and is_generated(word) for word in made):
        return ()
    parts = {part for word in made for part in whole(word.text).split("/") if is_made_again(part)}
    if any(name in word for name in parts for word in earlier):
        return ()
    return tuple(target for word in made for target in targets_of(word))


def targets_of(word: Word) -> tuple[str, ...]:
    """Return a path, or how git is asked for all that a pattern means."""
    path = whole(word.text)
    spellings = dict.fromkeys((path, path.replace("**/", "*/")))  # as a shell reads it by default
    return tuple(one for each in spellings for one in patterns_of(each)) if COMPUTED.search(path) else (path,)


def braced(word: Word) -> Iterator[Word]:
    """Yield what a shell makes of braces, as in ``rm -rf {build,dist}``."""
    found = BRACES.search(word.text) if word.glob else None
    if not found:
        yield word
        return
    before, after = word.text[: found.start()], word.text[found.end() :]
    for one in found[1].split(","):
        yield from braced(replace(word, text=before + one + after))


def whole(path: str) -> str:
    """Return a path in one spelling; all that is in a folder counts as the folder."""
    return os.path.normpath(path).removesuffix("/*")


def patterns_of(name: str, above: str = "") -> tuple[str, ...]:
    """Return how git is asked for what has such a name, and for all that is in it."""
    return tuple(f"{GLOB}{above}{name}{deeper}" for deeper in ("", "/**"))


def is_made_again(name: str) -> bool:
    """Return whether a name, or a pattern of names, is one of these."""
    known = (*names("folder"), *names("file"))
    return any(name == one or (not COMPUTED.search(name) and fnmatchcase(name, one)) for one in known)


def is_below(path: str) -> bool:
    """Return whether a path, or a pattern of paths, lies in the folder that is worked in."""
    return not path.startswith("/") and ".." not in path.split("/") and SPELLED.fullmatch(path) is not None


def is_generated(word: Word) -> bool:
    """Return whether a path is below the folder that is worked in, and is or lies in a folder of such a name."""
    path = whole(word.text)
    return is_below(path) and any(map(is_made_again, path.split("/"))) and (word.glob or not COMPUTED.search(path))


def is_disposable(paths: Sequence[str], folders: Sequence[str], workspace: Path) -> bool:
    """Return whether git has or would take nothing that is in these, in whichever of the folders the line is."""
    folders = expand_folders(folders, workspace)
    if any(COMPUTED.search(folder) for folder in folders):
        return False
    above = [workspace / folder for folder in (".", *folders) if (workspace / folder).is_dir()]
    patterns = [path for path in paths if path.startswith(GLOB)]
    if patterns and not all(lists_nothing(patterns, folder) and spares_git(patterns, folder) for folder in above):
        return False
    reading = [path for path in patterns if "**/" not in path]  # a search and ** do not follow links
    matched = (folder / one for folder in above for path in reading for one in matches(path, folder))
    if not all(is_plain(one, workspace) for one in matched):
        return False
    places = [workspace / folder / path for folder in (".", *folders) for path in paths if path not in patterns]
    return all(is_plain(place, workspace) for place in places) and are_ignored(places)


def matches(pattern: str, folder: Path) -> Iterator[str]:
    """Yield what a pattern of a shell means, one folder deep for each star: git would not look behind links."""
    return iglob(pattern.removeprefix(GLOB).removesuffix("/**"), root_dir=folder)  # noqa: PTH207  Path.glob goes deeper


def spares_git(patterns: Sequence[str], folder: Path) -> bool:
    """Return whether no branch, or other file in ``.git``, has a name that a search at any depth finds."""
    searched = {one.removeprefix(f"{GLOB}**/") for one in patterns if one.startswith(f"{GLOB}**/")}
    wanted = {one for one in searched if "/" not in one}
    if not wanted or not (folder / ".git").is_dir():
        return True
    for count, (_, below, files) in enumerate(os.walk(folder / ".git")):
        if "objects" in below:
            below.remove("objects")
        if count > MOST_ENTRIES or any(fnmatchcase(name, one) for name in (*below, *files) for one in wanted):
            return False
    return True


def is_plain(place: Path, workspace: Path) -> bool:
    """Return whether a path is one of the workspace, with no link on the way, and no file with a folder's name."""
    real, written = os.path.realpath(place), os.path.normpath(workspace.resolve() / place)
    inside = any(map(is_made_again, Path(os.path.relpath(place.parent, workspace)).parts))
    known = not place.is_file() or inside or any(fnmatchcase(place.name, name) for name in names("file"))
    return real == written and Path(real).is_relative_to(workspace.resolve()) and known


def are_ignored(places: Sequence[Path]) -> bool:
    """Return whether git tracks nothing in these and ignores all that is in them; git is asked once for each folder."""
    inside: dict[Path, list[str]] = {}
    for place in places:
        inside.setdefault(next(parent for parent in place.parents if parent.is_dir()), []).append(str(place))
    return all(lists_nothing(paths, above) for above, paths in inside.items())


def lists_nothing(paths: Sequence[str], above: Path) -> bool:
    """Return whether git tracks none of these paths, and would add none. Runs nothing of the repository's."""
    settings = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
    line = ["git", *settings, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    try:
        done = subprocess.run(line, cwd=above, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return done.returncode == 0 and not done.stdout
