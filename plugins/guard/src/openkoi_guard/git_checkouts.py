"""Which files that other programs run a git command takes out of history: a branch, another commit, the stash.

What the words of a command say is decided without looking; which files differ is looked up in the repository.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from openkoi_schema import rule_of

from .finding import Command
from .git_repository import split

SECONDS = 10
TREES = ("diff-tree", "-r")
SINCE_BASE = (*TREES, "--merge-base")
WORKING_TREE = ("diff-index",)
QUIET = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
DISCARDING = frozenset({"--hard", "--merge", "--keep"})
GOING_ON = frozenset({"--continue", "--skip", "--abort", "--quit"})


class Comparison(NamedTuple):
    """What git can list the files with that a command may change: the folder that it runs in, and git's words."""

    folder: str
    words: tuple[str, ...]


def comparisons(command: Command) -> Iterator[Comparison]:
    """Return what tells which files a git command may change."""
    if command.name == "git":
        folder, rest = split([word.text for word in command.words])
        if rest and not GOING_ON & set(rest):
            yield from (Comparison(folder, words) for words in compared(rest[0], rest[1:]))


def compared(subcommand: str, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return git's words for each commit that is named; a name that is none is found out when it is looked up."""
    before_paths = words[: words.index("--")] if "--" in words else words
    named = ["@{-1}" if word == "-" else word for word in before_paths if word == "-" or not word.startswith("-")]
    match subcommand:
        case "checkout" | "switch" | "rebase":
            yield from ((*TREES, "HEAD", name) for name in named)
        case "merge":
            yield from ((*SINCE_BASE, "HEAD", name) for name in named)
        case "pull":
            yield (*SINCE_BASE, "HEAD", "/".join(named) or "@{upstream}")
        case "cherry-pick" | "revert":
            yield from ((*TREES, f"{name}^", name) for name in named)
        case "reset" if DISCARDING & set(words):
            yield (*WORKING_TREE, *(named or ["HEAD"])[:1])
        case "stash" if named[:1] in (["pop"], ["apply"]):
            stash = (named[1:] or ["stash@{0}"])[0]
            yield (*TREES, f"{stash}^1", stash)
        case "stash" if named[:1] in ([], ["push"], ["save"]):
            yield (*WORKING_TREE, "HEAD")
        case _:
            return


def changed_autorun(comparison: Comparison, workspace: Path) -> Iterator[str]:
    """Return the files that differ and that other programs run, from the workspace."""
    place = workspace / comparison.folder
    top = answer(place, "rev-parse", "--show-toplevel").removesuffix("\n")
    listing, *names = comparison.words
    for path in answer(place, listing, "--name-only", "-z", *names, "--").split("\0") if top else ():
        if path and (rule := rule_of(path)) and rule.protected:
            yield os.path.relpath(Path(top, path), workspace.resolve())


def answer(place: Path, *words: str) -> str:
    """Return what git prints; nothing where it fails. Runs nothing of the repository's."""
    line = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *words]
    told = {**os.environ, **QUIET}
    try:
        done = subprocess.run(line, cwd=place, env=told, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout) if done.returncode == 0 else ""
