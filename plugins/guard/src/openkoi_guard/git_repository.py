"""Find git commands that write a repository's settings, which may name programs for git to run."""

import posixpath
from collections.abc import Iterator, Sequence

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs
from .git_settings import ALWAYS, SOMETIMES
from .issue import Invocation

GLOBAL_VALUES = frozenset({"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"})
LOOKING = frozenset(
    {
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--get-color",
        "--list",
        "-l",
        "list",
        "get",
        "--name-only",
    }
)
ELSEWHERE = ("--global", "--system", "--file", "-f", "--blob")
REMOTE = frozenset({"add", "remove", "rm", "rename", "set-url", "set-branches"})
SUBMODULE = frozenset({"add", "init", "deinit", "sync", "set-url", "set-branch", "absorbgitdirs"})
SPARSE = frozenset({"init", "set", "add", "disable", "reapply"})
# Settings that git reads and never runs; others ask.
PLAIN_NAMED = lazy_pattern(
    r"branch\..+\.(remote|merge|rebase|description)|remote\..+\.(fetch|prune|tagopt)|remote\.pushdefault"
)
# Subcommands that change where work comes from and goes to, which the user must see.
REDIRECTING = frozenset({"set-url", "rm", "remove", "deinit", "absorbgitdirs"})
UPSTREAM = ("-u", "--set-upstream-to", "--unset-upstream", "--edit-description")


def list_written_settings(command: Invocation) -> Iterator[str]:
    """Return the settings file that a git command writes."""
    if command.name != "git":
        return
    texts = [word.text for word in command.words]
    folder, rest = split_git_words(texts)
    if rest and writes_settings(rest[0], rest[1:]):
        name = "config.worktree" if "--worktree" in rest else "config"
        yield posixpath.join(folder, ".git", name)


def split_git_words(texts: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the folder that git runs in (``-C``), and its arguments from the subcommand on."""
    folder, at = "", 0
    while at < len(texts) and texts[at].startswith("-"):
        takes = texts[at] in GLOBAL_VALUES and at + 1 < len(texts)
        if takes and texts[at] == "-C":
            folder = posixpath.join(folder, texts[at + 1])
        at += 2 if takes else 1
    return folder, texts[at:]


def writes_settings(subcommand: str, words: Sequence[str]) -> bool:
    """Return whether a subcommand must write the repository's settings to do its work."""
    first = next((word for word in words if not word.startswith("-")), "")
    if subcommand == "config":
        return sets_config(words)
    if subcommand == "branch":
        return any(word.split("=")[0] in UPSTREAM for word in words)
    if subcommand == "submodule":
        return first in SUBMODULE or (first == "update" and "--init" in words)
    return (subcommand == "remote" and first in REMOTE) or (subcommand == "sparse-checkout" and first in SPARSE)


def sets_config(words: Sequence[str]) -> bool:
    """Return whether ``git config`` changes the repository's own settings."""
    if any(word.split("=")[0] in ELSEWHERE for word in words) or LOOKING & set(words):
        return False
    plain = [word for word in words if not word.startswith("-")]
    changing = {"--unset", "--unset-all", "--remove-section", "--rename-section", "--edit", "-e"} & set(words)
    return bool(changing) or len(plain) > 1


def is_plain(command: Invocation) -> bool:
    """Return whether a git command writes only settings that git reads and never runs."""
    texts = [word.text for word in command.words]
    _, rest = split_git_words(texts)
    if not all(word.is_known for word in command.words) or texts[: len(texts) - len(rest)]:
        return False
    if rest[0] != "config":
        return REDIRECTING.isdisjoint(rest)
    plain = [word for word in rest[1:] if not word.startswith("-") and word not in {"set", "unset"}]
    if plain and plain[0].lower().startswith("alias.") and not any(word.startswith("!") for word in plain[1:]):
        return True
    return "--edit" not in rest and "-e" not in rest and bool(plain) and is_plain_key(plain[0].lower())


def is_plain_key(key: str) -> bool:
    section, _, name = key.partition(".")
    if section == "core":
        return name in load_programs("plain-core")
    runs = ALWAYS.fullmatch(key) or SOMETIMES.fullmatch(key)
    return bool(PLAIN_NAMED.fullmatch(key)) or (
        section in load_programs("plain-section") and "." not in name and not runs
    )
