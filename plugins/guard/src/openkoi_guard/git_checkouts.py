"""Find files that other programs run and that a git command takes from a branch, a commit or the stash.

A command's words are compared without git; which files differ is looked up in the repository.
"""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from openkoi_base.schema.autorun import find_rule
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .git_repository import split_git_words
from .issue import Invocation
from .limits import GIT_TIMEOUT_SECONDS

Process = subprocess.Popen[bytes]

SET_BY_ENVIRONMENT = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES"})
TREES = ("diff-tree", "-r")
SINCE_BASE = (*TREES, "--merge-base")
WORKING_TREE = ("diff-index",)
NOT_STAGED = ("diff-files",)
QUIET_ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
DISCARDING = frozenset({"--hard", "--merge", "--keep"})
CONTINUING = frozenset({"--continue", "--skip", "--abort", "--quit"})
CREATING = frozenset({"-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"})
SOURCE = lazy_pattern(r"(?:--source=|-s)(.+)")


class Comparison(NamedTuple):
    """How git lists the files that a command may change: the folder it runs in, and git's arguments.

    ``paths``: only files there, all if empty. ``branch``: may only be in remotes. ``or_path``: may be a file if it is
    not a commit.
    """

    folder: str
    words: tuple[str, ...]
    paths: tuple[str, ...] = ()
    branch: str = ""
    or_path: str = ""


def list_comparisons(command: Invocation) -> Iterator[Comparison]:
    """Yield the comparisons that list which files a git command may change."""
    if command.name == "git":
        folder, rest = split_git_words([word.text for word in command.words])
        if rest and not CONTINUING & set(rest):
            yield from (one._replace(folder=folder) for one in compare_subcommand(rest[0], rest[1:]))


def compare_subcommand(subcommand: str, words: Sequence[str]) -> Iterator[Comparison]:
    """Yield a comparison for each commit that is named; invalid names are detected when they are looked up."""
    if subcommand in {"checkout", "switch"}:
        yield from compare_checkout(words, may_be_files=subcommand == "checkout")
    elif subcommand == "restore":
        yield compare_restore(words)
    else:
        yield from (Comparison("", each) for each in compare_history(subcommand, split_names(words)[0], words))


def split_names(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the names before ``--``, with ``-`` as the last branch, and the paths after it."""
    at = words.index("--") if "--" in words else len(words)
    names = [word for word in words[:at] if word == "-" or not word.startswith("-")]
    return ["@{-1}" if name == "-" else name for name in names], tuple(words[at + 1 :])


def compare_checkout(words: Sequence[str], *, may_be_files: bool) -> Iterator[Comparison]:
    """Compare with a branch or commit; files of one, or of the index, with the working tree."""
    names, paths = split_names(words)
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


def compare_restore(words: Sequence[str]) -> Comparison:
    """Compare files of a commit, or of the index, with the working tree."""
    names, paths = split_names(words)
    found = [match[1] for word in words if (match := SOURCE.fullmatch(word))]
    if not found and any(word in {"-s", "--source"} for word in words):
        found, names = names[:1], names[1:]
    return Comparison("", (*WORKING_TREE, found[0]) if found else NOT_STAGED, (*names, *paths))


def compare_history(subcommand: str, names: Sequence[str], words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return git's arguments for commands that check out or merge whole commits."""
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
            yield from compare_stash((names[1:] or ["stash@{0}"])[0])
        case "stash" if names[:1] == ["branch"]:
            stash = (names[2:] or ["stash@{0}"])[0]
            yield from (*compare_stash(stash), (*TREES, "HEAD", f"{stash}^1"))
        case "stash" if names[:1] in ([], ["push"], ["save"]):
            yield (*WORKING_TREE, "HEAD")
        case _:
            return


def compare_stash(stash: str) -> Iterator[tuple[str, ...]]:
    """Compare a stash with the commit that it was made on."""
    yield (*TREES, f"{stash}^1", stash)


def list_changed_autorun(
    comparisons: Sequence[Comparison], workspace: Path, is_named: Callable[[str], bool] = lambda _path: False
) -> Iterator[str]:
    """Yield the files that differ and that other programs run by their name, or are named, from the workspace.

    Git runs once for each comparison, for all of them at the same time.
    """
    places = [workspace / one.folder for one in comparisons]
    tops = [find_top_folder(place) for place in places]
    asked = [
        start_listing(one, place) if top else None for one, place, top in zip(comparisons, places, tops, strict=True)
    ]
    for comparison, place, top, process in zip(comparisons, places, tops, asked, strict=True):
        listed = read_output(process)
        paths = [listed] if listed is not None else list_fallback(comparison, place) if top else []
        for path in "\0".join(paths).split("\0"):
            relative = os.path.relpath(top / path, workspace.resolve()) if top and path else ""
            if relative and (is_named(relative) or ((rule := find_rule(path)) and rule.protected)):
                yield relative


def find_top_folder(place: Path) -> Path | None:
    """Return the top folder of a folder's repository; None if it is not in one."""
    real = Path(os.path.realpath(place))
    if SET_BY_ENVIRONMENT.isdisjoint(os.environ):
        return next((one for one in (real, *real.parents) if (one / ".git").exists()), None)
    top = read_output(start_git(place, "rev-parse", "--show-toplevel"))
    return Path(top.removesuffix("\n")) if top else None


def start_listing(comparison: Comparison, place: Path, *instead: str) -> Process | None:
    """Start git to list the files that differ; with ``instead``, another commit replaces its last word."""
    listing, names = comparison.words[0], comparison.words[1:]
    if instead:
        names = (*names[:-1], *instead)
    return start_git(place, listing, "--name-only", "-z", *names, "--", *comparison.paths)


def list_fallback(comparison: Comparison, place: Path) -> Iterator[str]:
    """Yield the files that differ when a name is not a commit: those of a remote's branch, or of the index."""
    if comparison.branch:
        remotes = start_git(place, "rev-parse", f"--remotes=*/{escape_glob(comparison.branch)}")
        for commit in (read_output(remotes) or "").split():
            yield read_output(start_listing(comparison, place, commit)) or ""
    if comparison.or_path:
        yield read_output(start_listing(Comparison("", NOT_STAGED, (comparison.or_path,)), place)) or ""


def escape_glob(name: str) -> str:
    """Return a name as a pattern that only matches itself."""
    return re.sub(r"([*?\[\\])", r"\\\1", name)


def start_git(place: Path, *words: str) -> Process | None:
    """Start git so that it runs no program of the repository."""
    line = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *words]
    try:
        return subprocess.Popen(
            line, cwd=place, env={**os.environ, **QUIET_ENVIRONMENT}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except (OSError, ValueError):
        return None


def read_output(process: Process | None) -> str | None:
    """Return git's output; None if it fails or times out."""
    if process is None:
        return None
    with process:
        try:
            output, _ = process.communicate(timeout=GIT_TIMEOUT_SECONDS)
        except (ValueError, subprocess.SubprocessError):
            process.kill()
            return None
    return os.fsdecode(output) if process.returncode == 0 else None
