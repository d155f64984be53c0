"""Which files that other programs run a git command takes out of history: a branch, another commit, the stash.

What the words of a command say is decided without looking; which files differ is looked up in the repository.
"""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from openkoi_base.schema import find_rule

from .finding import Command
from .git_repository import split

Process = subprocess.Popen[bytes]

SECONDS = 10
SET_BY_ENVIRONMENT = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES"})
TREES = ("diff-tree", "-r")
SINCE_BASE = (*TREES, "--merge-base")
WORKING_TREE = ("diff-index",)
NOT_STAGED = ("diff-files",)
QUIET = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
DISCARDING = frozenset({"--hard", "--merge", "--keep"})
GOING_ON = frozenset({"--continue", "--skip", "--abort", "--quit"})
CREATING = frozenset({"-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"})
SOURCE = re.compile(r"(?:--source=|-s)(.+)")


class Comparison(NamedTuple):
    """What git can list the files with that a command may change: the folder that it runs in, and git's words.

    ``paths``: only files there, all if there are none. ``branch`` may be one that only remotes have. ``or_path`` is a
    name that may be a file if it is no commit.
    """

    folder: str
    words: tuple[str, ...]
    paths: tuple[str, ...] = ()
    branch: str = ""
    or_path: str = ""


def comparisons(command: Command) -> Iterator[Comparison]:
    """Return what tells which files a git command may change."""
    if command.name == "git":
        folder, rest = split([word.text for word in command.words])
        if rest and not GOING_ON & set(rest):
            yield from (one._replace(folder=folder) for one in compared(rest[0], rest[1:]))


def compared(subcommand: str, words: Sequence[str]) -> Iterator[Comparison]:
    """Return a comparison for each commit that is named; a name that is none is found out when it is looked up."""
    if subcommand in {"checkout", "switch"}:
        yield from of_checkout(words, may_be_files=subcommand == "checkout")
    elif subcommand == "restore":
        yield of_restore(words)
    else:
        yield from (Comparison("", each) for each in of_history(subcommand, named(words)[0], words))


def named(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return what is named before ``--``, ``-`` being the last branch, and the paths after it."""
    at = words.index("--") if "--" in words else len(words)
    names = [word for word in words[:at] if word == "-" or not word.startswith("-")]
    return ["@{-1}" if name == "-" else name for name in names], tuple(words[at + 1 :])


def of_checkout(words: Sequence[str], *, may_be_files: bool) -> Iterator[Comparison]:
    """Compare with a branch or commit; files of one, or of the index, with the working tree."""
    names, paths = named(words)
    if paths:
        yield Comparison("", (*WORKING_TREE, names[0]) if names else NOT_STAGED, paths)
        return
    creates = CREATING & set(words)
    if creates:
        yield from (Comparison("", (*TREES, "HEAD", name)) for name in names)
    elif len(names) < 2:
        yield from (
            Comparison("", (*TREES, "HEAD", name), branch=name, or_path=name if may_be_files else "") for name in names
        )
    else:
        yield Comparison("", (*WORKING_TREE, names[0]), tuple(names[1:]))
        yield Comparison("", NOT_STAGED, tuple(names))


def of_restore(words: Sequence[str]) -> Comparison:
    """Compare files of a commit, or of the index, with the working tree."""
    names, paths = named(words)
    found = [match[1] for word in words if (match := SOURCE.fullmatch(word))]
    if not found and any(word in {"-s", "--source"} for word in words):
        found, names = names[:1], names[1:]
    return Comparison("", (*WORKING_TREE, found[0]) if found else NOT_STAGED, (*names, *paths))


def of_history(subcommand: str, names: Sequence[str], words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return git's words for commands that move to, or take over, whole commits."""
    match subcommand:
        case "rebase":
            yield from ((*TREES, "HEAD", name) for name in names)
        case "merge":
            yield from ((*SINCE_BASE, "HEAD", name) for name in names)
        case "pull":
            yield (*SINCE_BASE, "HEAD", "/".join(names) or "@{upstream}")
        case "cherry-pick" | "revert":
            yield from ((*TREES, *(name.split("..", 1) if ".." in name else (f"{name}^", name))) for name in names)
        case "reset" if DISCARDING & set(words):
            yield (*WORKING_TREE, *(names or ["HEAD"])[:1])
        case "stash" if names[:1] in (["pop"], ["apply"]):
            yield from of_stash((names[1:] or ["stash@{0}"])[0])
        case "stash" if names[:1] == ["branch"]:
            stash = (names[2:] or ["stash@{0}"])[0]
            yield from (*of_stash(stash), (*TREES, "HEAD", f"{stash}^1"))
        case "stash" if names[:1] in ([], ["push"], ["save"]):
            yield (*WORKING_TREE, "HEAD")
        case _:
            return


def of_stash(stash: str) -> Iterator[tuple[str, ...]]:
    """Compare a stash with the commit that it was made on."""
    yield (*TREES, f"{stash}^1", stash)


def changed_autorun(
    comparisons: Sequence[Comparison], workspace: Path, is_named: Callable[[str], bool] = lambda _path: False
) -> Iterator[str]:
    """Return the files that differ and that other programs run by their name, or are named, from the workspace.

    Git runs once for each comparison, for all of them at the same time.
    """
    places = [workspace / one.folder for one in comparisons]
    tops = [top_folder(place) for place in places]
    asked = [
        list_changed(one, place) if top else None for one, place, top in zip(comparisons, places, tops, strict=True)
    ]
    for comparison, place, top, process in zip(comparisons, places, tops, asked, strict=True):
        listed = read_output(process)
        paths = [listed] if listed is not None else fall_back(comparison, place) if top else []
        for path in "\0".join(paths).split("\0"):
            shown = os.path.relpath(top / path, workspace.resolve()) if top and path else ""
            if shown and (is_named(shown) or ((rule := find_rule(path)) and rule.protected)):
                yield shown


def top_folder(place: Path) -> Path | None:
    """Return the top of the repository that a folder belongs to; None outside of one."""
    real = Path(os.path.realpath(place))
    if SET_BY_ENVIRONMENT.isdisjoint(os.environ):
        return next((one for one in (real, *real.parents) if (one / ".git").exists()), None)
    top = read_output(start_git(place, "rev-parse", "--show-toplevel"))
    return Path(top.removesuffix("\n")) if top else None


def list_changed(comparison: Comparison, place: Path, *instead: str) -> Process | None:
    """Start git to list the files that differ; ``instead`` of the last of its words, another commit."""
    listing, names = comparison.words[0], comparison.words[1:]
    if instead:
        names = (*names[:-1], *instead)
    return start_git(place, listing, "--name-only", "-z", *names, "--", *comparison.paths)


def fall_back(comparison: Comparison, place: Path) -> Iterator[str]:
    """Yield the files of what else a name may be that is no commit: a branch of a remote, or a file."""
    if comparison.branch:
        remotes = start_git(place, "rev-parse", f"--remotes=*/{glob_escaped(comparison.branch)}")
        for commit in (read_output(remotes) or "").split():
            yield read_output(list_changed(comparison, place, commit)) or ""
    if comparison.or_path:
        yield read_output(list_changed(Comparison("", NOT_STAGED, (comparison.or_path,)), place)) or ""


def glob_escaped(name: str) -> str:
    """Return a name that a pattern of git's takes as it is."""
    return re.sub(r"([*?\[\\])", r"\\\1", name)


def start_git(place: Path, *words: str) -> Process | None:
    """Start git, which runs nothing of the repository's."""
    line = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *words]
    try:
        return subprocess.Popen(
            line, cwd=place, env={**os.environ, **QUIET}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except (OSError, ValueError):
        return None


def read_output(process: Process | None) -> str | None:
    """Return what git prints; None where it fails or takes too long."""
    if process is None:
        return None
    with process:
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except (ValueError, subprocess.SubprocessError):
            process.kill()
            return None
    return os.fsdecode(output) if process.returncode == 0 else None
