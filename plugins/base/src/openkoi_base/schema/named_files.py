"""Find the files of a workspace that other programs run because a link, a hook or a setting of git names them.

One rule: what a link, ``core.hooksPath`` or an include puts in the place of a file is what that file is, and as
protected. What a hook, ``.envrc`` or a setting calls as a command is a file of the project: a run lists its changes.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .autorun import DEPENDENCY_FOLDERS, WILDCARD, AutorunRule
from .autorun_index import GIT_CONFIG_RULE, GIT_FILES, GIT_HOOK_RULE, AutorunIndex
from .git_config import named_commands, named_paths, parse_settings

GLOBAL_SETTINGS = ("~/.gitconfig", "~/.config/git/config", "$XDG_CONFIG_HOME/git/config")
MAX_ROUNDS = 5  # a hook that names a script that names a script ...
MAX_LINKS = 40  # as in the kernel
MAX_READ = 200_000  # bytes of one hook or script
MAX_WORDS = 2_000  # of one hook or script; each is looked up
WORD = lazy_pattern(r"[\w@%+:,./~-]+")
MODULE = lazy_pattern(r"-m\s*([\w.]+)")
ENTERED = lazy_pattern(r"\bcd\s+[\"']?([\w./-]+)")
COMMENT = lazy_pattern(r"^\s*#(?!!).*$", re.MULTILINE)
SHELL = lazy_pattern(r"#!.*\b\w*sh\b")


@dataclass(frozen=True, slots=True)
class Naming:
    """The text of a file that names others, and the folders that its paths may be relative to."""

    path: str
    text: str
    folders: tuple[str, ...]
    rule: AutorunRule


def find_autorun_files(index: AutorunIndex) -> dict[str, AutorunRule]:
    """Return the files that other programs run: by their own names, and because other files name them."""
    files = index.find_files()
    for _ in range(MAX_ROUNDS):
        if not index.set_named(find_named(index, files)):
            break
        files = index.find_files()
    return files


def find_named(index: AutorunIndex, files: Mapping[str, AutorunRule]) -> dict[str, AutorunRule]:
    """Return the files that these files name, by lower-case path; if a file has two rules, protection wins."""
    found = dict[str, AutorunRule]()
    called = (one for naming in find_namings(index, files) for one in called_files(index.root, naming))
    for path, rule in (*called, *linked_files(index, files), *files_of_settings(index, files)):
        folded = path.casefold()
        if folded and not (folded in found and found[folded].protected and not rule.protected):
            found[folded] = rule
    return found


def linked_files(index: AutorunIndex, files: Mapping[str, AutorunRule]) -> Iterator[tuple[str, AutorunRule]]:
    """Yield the targets of links that replace such files, or folders of them."""
    for path in sorted(index.links & files.keys()):
        own = files[path]
        if own.protected or not (own.called or not DEPENDENCY_FOLDERS.isdisjoint(path.split("/"))):
            rules = [*rules_of_link(index, path, own)]
            for place in follow_link(index.root, path):
                yield from ((f"{place}{rest}", with_link(rule, index, path)) for rule, rest in rules)


def rules_of_link(index: AutorunIndex, path: str, own: AutorunRule) -> Iterator[tuple[AutorunRule, str]]:
    """Yield the rules for the target of a link, each with the path where it starts."""
    yield own, ""
    for rule, matched in index.rules.find_all(path, index.tops, link=True):
        rest = rule.parts[matched:]
        if rest and not WILDCARD.search("/".join(rest)):
            yield rule, "".join(f"/{part}" for part in rest)


def with_link(rule: AutorunRule, index: AutorunIndex, path: str) -> AutorunRule:
    """Return the rule for the target of a link."""
    via = index.absolute_path(path)
    return rule if rule.via else replace(rule, reason=f"{rule.reason} (through {path})", via=via)


def follow_link(root: Path, path: str) -> Iterator[str]:
    """Yield every path of the workspace to which a link leads: further links, and the final target."""
    start = f"{root}/{path}"
    pending, at, links = start.split("/")[::-1], "", 0
    while pending and links < MAX_LINKS:
        part = pending.pop()
        if part in {"", ".", ".."}:
            at = os.path.dirname(at).rstrip("/") if part == ".." else at  # noqa: PTH120
        elif os.path.islink(place := f"{at}/{part}"):  # noqa: PTH114
            target, links = os.readlink(place), links + 1  # noqa: PTH115
            yield from path_inside(root, place if place != start else "")
            pending += target.split("/")[::-1]
            at = "" if target.startswith("/") else at
        else:
            at = place
    yield from (one for one in path_inside(root, at) if not f"{path}/".startswith(f"{one}/"))


def path_inside(root: Path, place: str) -> Iterator[str]:
    """Yield a path relative to the root, if it is inside."""
    if place.startswith(f"{root}/".replace("//", "/")):
        yield os.path.relpath(place, root).replace(os.sep, "/")


def files_of_settings(index: AutorunIndex, files: Mapping[str, AutorunRule]) -> Iterator[tuple[str, AutorunRule]]:
    """Yield the folders of hooks and the further settings that settings of git name."""
    for path in settings_files(files):
        folders = folders_meant(index, path)
        for key, name in (*named_paths(read_text(index.absolute_path(path))), *global_paths()):
            rule = GIT_HOOK_RULE if key.endswith("hookspath") else GIT_CONFIG_RULE
            for folder in folders:
                yield from ((inside, with_link(rule, index, path)) for inside in paths_from(index.root, folder, name))


def find_namings(index: AutorunIndex, files: Mapping[str, AutorunRule]) -> Iterator[Naming]:
    """Yield the hooks, settings and scripts among these files that name others."""
    for path in settings_files(files):
        for key, value in named_commands(read_text(index.absolute_path(path))):
            yield Naming(f"{key} in {path}", value, folders_meant(index, path), files[path])
    for path, rule in files.items():
        if may_call(path, rule):
            text = read_text(index.absolute_path(path))
            if not rule.called or SHELL.match(text) or path.endswith("sh"):
                yield Naming(path, text, folders_meant(index, path), rule)


def may_call(path: str, rule: AutorunRule) -> bool:
    """Return whether a file is a hook, or another script that runs at once."""
    name = os.path.basename(path)  # noqa: PTH119
    hook = rule.parts in (GIT_HOOK_RULE.parts, (".husky",), (".envrc",))
    return rule.called or (hook and not name.endswith(".sample"))


def called_files(root: Path, naming: Naming) -> Iterator[tuple[str, AutorunRule]]:
    """Yield the files in the workspace that words of a text name, whether they exist or not."""
    rule = naming.rule
    reason = rule.reason if rule.called else f"{naming.path} refers to it, and {rule.reason}"
    called = AutorunRule(("",), reason, at_once=True, everywhere=True, called=True)
    entered = [os.path.join(*pair) for pair in product(naming.folders, ENTERED.findall(naming.text))]  # noqa: PTH118
    folders = [*naming.folders, *filter(os.path.isdir, entered)]
    for word in [*dict.fromkeys(words_of(naming.text))][:MAX_WORDS]:
        for folder in folders:
            for path in paths_from(root, folder, word):
                if "/" in word or os.path.isfile(f"{root}/{path}"):  # noqa: PTH113
                    yield path, called


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a text that may be paths, and the files of Python modules."""
    bare = COMMENT.sub("", text)
    for word in WORD.findall(bare):
        yield from {word, *word.split(":")}
        if word.startswith("/"):  # after "$(git rev-parse --show-toplevel)" and the like
            yield word.lstrip("/")
    for module in MODULE.findall(bare):
        path = module.replace(".", "/")
        yield from (f"./{path}.py", f"./{path}/__main__.py")


def paths_from(root: Path, folder: str, name: str) -> Iterator[str]:
    """Yield the paths that a name in a folder may refer to, relative to the root."""
    place = os.path.normpath(os.path.join(folder, os.path.expanduser(name)))  # noqa: PTH111, PTH118
    above, last = os.path.split(place)
    yield from path_inside(root, os.path.join(above if above == folder else os.path.realpath(above), last))  # noqa: PTH118


def settings_files(files: Mapping[str, AutorunRule]) -> Iterator[str]:
    """Return the settings of git among these files."""
    for path, rule in files.items():
        if os.path.basename(path) in GIT_FILES or rule.parts == GIT_CONFIG_RULE.parts:  # noqa: PTH119
            yield path


def folders_meant(index: AutorunIndex, path: str) -> tuple[str, ...]:
    """Return the folders to which a file's paths may be relative: repositories around it, working trees, its own."""
    place = index.absolute_path(path)
    own = os.path.dirname(place)  # noqa: PTH120
    tops = (index.absolute_path(top) for top in index.tops if not top or path.startswith(f"{top}/"))
    trees = (tree for git in (own, os.path.dirname(own)) for tree in find_worktrees(git))  # noqa: PTH120
    return tuple(dict.fromkeys(map(os.path.realpath, (*tops, own, os.path.dirname(own), *trees))))  # noqa: PTH120


def find_worktrees(git: str) -> Iterator[str]:
    """Yield the working trees of a git folder that do not contain it."""
    for key, value in parse_settings(read_text(f"{git}/config")):
        if key == "core.worktree":
            yield os.path.join(git, value)  # noqa: PTH118
    for pointer in (f"{git}/gitdir", *(str(one) for one in Path(git).glob("worktrees/*/gitdir"))):
        if text := read_text(pointer).strip():
            yield os.path.dirname(text)  # noqa: PTH120


def read_text(path: str) -> str:
    """Return the relevant start of a file's text; empty if there is none. Do not wait for a pipe."""
    if not os.path.isfile(path):  # noqa: PTH113
        return ""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:  # noqa: PTH123
            return file.read(MAX_READ).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def global_paths() -> Iterator[tuple[str, str]]:
    """Yield the paths that the user's own git settings name."""
    for file in GLOBAL_SETTINGS:
        yield from named_paths(read_text(os.path.expanduser(os.path.expandvars(file))))  # noqa: PTH111
