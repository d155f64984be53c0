"""Which files that other programs run a git command takes out of history: a branch, another commit, the stash.

What the words of a command say is decided without looking; which files differ is looked up in the repository.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from openkoi_base.schema import find_rule

from .finding import Command
from .git_repository import split

SECONDS = 10
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

    ``paths``: only files there, all if there are none. ``branch`` may be one that only remotes have.
    """

    folder: str
    words: tuple[str, ...]
    paths: tuple[str, ...] = ()
    branch: str = ""


def comparisons(command: Command) -> Iterator[Comparison]:
    """Return what tells which files a git command may change."""
    if command.name == "git":
        folder, rest = split([word.text for word in command.words])
        if rest and not GOING_ON & set(rest):
            yield from (one._replace(folder=folder) for one in compared(rest[0], rest[1:]))


def compared(subcommand: str, words: Sequence[str]) -> Iterator[Comparison]:
    """Return a comparison for each commit that is named; a name that is none is found out when it is looked up."""
    if subcommand in {"checkout", "switch"}:
        yield from of_checkout(words)
    elif subcommand == "restore":
        yield of_restore(words)
    else:
        yield from (Comparison("", each) for each in of_history(subcommand, named(words)[0], words))


def named(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return what is named before ``--``, ``-`` being the last branch, and the paths after it."""
    at = words.index("--") if "--" in words else len(words)
    names = [word for word in words[:at] if word == "-" or not word.startswith("-")]
    return ["@{-1}" if name == "-" else name for name in names], tuple(words[at + 1 :])


def of_checkout(words: Sequence[str]) -> Iterator[Comparison]:
    """Compare with a branch or commit; files of one, or of the index, with the working tree."""
    names, paths = named(words)
    if paths:
        yield Comparison("", (*WORKING_TREE, names[0]) if names else NOT_STAGED, paths)
        return
    creates = CREATING & set(words)
    if creates or len(names) < 2:
        yield from (Comparison("", (*TREES, "HEAD", name), branch="" if creates else name) for name in names)
    else:
        yield Comparison("", (*WORKING_TREE, names[0]), tuple(names[1:]))
    if names and not creates:
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


def changed_autorun(comparison: Comparison, workspace: Path) -> Iterator[str]:
    """Return the files that differ and that other programs run, from the workspace."""
    place = workspace / comparison.folder
    top = answer(place, "rev-parse", "--show-toplevel").removesuffix("\n")
    for words in looked_up(comparison, place) if top else ():
        listing, *names = words
        for path in answer(place, listing, "--name-only", "-z", *names, "--", *comparison.paths).split("\0"):
            if path and (rule := find_rule(path)) and rule.protected:
                yield os.path.relpath(Path(top, path), workspace.resolve())


def looked_up(comparison: Comparison, place: Path) -> Iterator[tuple[str, ...]]:
    """Return git's words, with the branches of remotes that ``git checkout`` would take for one that is not here."""
    if not comparison.branch or answer(place, "rev-parse", "--verify", "-q", f"{comparison.branch}^{{commit}}"):
        yield comparison.words
        return
    for commit in answer(place, "rev-parse", f"--remotes=*/{glob_escaped(comparison.branch)}").split():
        yield (*comparison.words[:-1], commit)


def glob_escaped(name: str) -> str:
    """Return a name that a pattern of git's takes as it is."""
    return re.sub(r"([*?\[\\])", r"\\\1", name)


def answer(place: Path, *words: str) -> str:
    """Return what git prints; nothing where it fails. Runs nothing of the repository's."""
    line = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *words]
    told = {**os.environ, **QUIET}
    try:
        done = subprocess.run(line, cwd=place, env=told, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout) if done.returncode == 0 else ""
