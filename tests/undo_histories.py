"""Histories in which tasks, people and git change a repository in turn, and the undo that git's merge prescribes.

The reference is git itself: a task is undone as ``git merge-tree`` merges a commit of the files before the task with
one of the files now, over the files after the task. A file in conflict stays as it is. Run as a program, it does the
acts that it is given as JSON to the folder that it stands in.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Act: TypeAlias = tuple[str, str, str]

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **{f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
}
NAMES = (
    "a.txt",
    "b b.txt",
    "c.py",
    "crlf.txt",
    "bare.txt",
    "empty",
    "sub/d.txt",
    "sub/e.py",
    "sub/deep/f.md",
    "run.sh",
)
NEW = ("new.txt", "sub/new.py", "more/g.txt", "more/h h.txt", "é.txt", "sub/deep/i.txt", "blob.bin", "folder")
LINES = 24


def git(
    folder: Path, *words: str, stdin: str = "", check: bool = False, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run git without this machine's configuration."""
    output = ["-c", "core.autocrlf=false", "-c", "merge.directoryRenames=false", "-c", "init.defaultBranch=main"]
    command = ["git", "-C", str(folder), *output, *words]
    data = stdin.encode()
    return subprocess.run(command, env={**ENVIRONMENT, **more}, input=data, capture_output=True, check=check)


def git_output(folder: Path, *words: str, **more: str) -> str:
    """Return what git prints."""
    return os.fsdecode(git(folder, *words, check=False, **more).stdout)


def body(name: str) -> str:
    """Return the text that a file begins with: no two lines of all files are alike."""
    end = "\r\n" if name == "crlf.txt" else "\n"
    text = "".join(f"line {n} of {name}{end}" for n in range(LINES))
    return "" if name == "empty" else text.removesuffix("\n") if name == "bare.txt" else text


def grow(root: Path) -> None:
    """Make the repository that all histories begin with."""
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(body(name).encode())
    (root / "run.sh").chmod(0o755)
    (root / "pixel.bin").write_bytes(bytes(range(256)))
    (root / "link").symlink_to("a.txt")
    git(root, "init", "-q", check=True)
    git(root, "add", "-A", check=True)
    git(root, "commit", "-qm", "first", check=True)


def act(root: Path, what: str, path: str, text: str) -> None:
    """Do one act to a folder; what cannot be done there is not done."""
    place = root / path
    if what in ("write", "bytes", "link") and place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    with suppress(FileNotFoundError, NotADirectoryError, FileExistsError, IsADirectoryError):
        place.parent.mkdir(parents=True, exist_ok=True)
        match what:
            case "write":
                place.write_bytes(text.encode())
            case "bytes":
                place.write_bytes(b"\0" + text.encode() * 9)
            case "edit":
                line, new = text.split("=", 1)
                old = place.read_bytes().split(b"\n")
                old[int(line) % len(old)] = new.encode()
                place.write_bytes(b"\n".join(old))
            case "delete":
                shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
            case "move":
                (root / text).parent.mkdir(parents=True, exist_ok=True)
                place.rename(root / text) if place.is_file() and not (root / text).exists() else None
            case "mode":
                place.chmod(0o755 if text == "x" else 0o644)
            case "link":
                place.unlink(missing_ok=True)
                place.symlink_to(text)
            case "folder":
                place.unlink() if place.is_file() else None
                place.mkdir(exist_ok=True)
                (place / "inside.txt").write_text(text)


def standing_files(root: Path) -> list[str]:
    """Return the files and links of a folder, but for those of git."""
    found = (path for path in sorted(root.rglob("*")) if ".git" not in path.parts)
    return [path.relative_to(root).as_posix() for path in found if path.is_symlink() or path.is_file()]


def acts_of(chance: random.Random, root: Path, count: int, within: str = "", tag: str = "") -> list[Act]:
    """Choose what is done to a folder as it is now, or to a folder in it; ``tag`` makes texts unlike all others."""
    acts: list[Act] = []
    there = [name for name in standing_files(root) if name.startswith(within)]
    for n in range(count):
        texts = [name for name in there if (root / name).is_file() and not (root / name).is_symlink()]
        name, new = (
            chance.choice(texts or ["sub/d.txt"]),
            chance.choice([one for one in NEW if one.startswith(within)] or ["sub/new.py"]),
        )
        what = chance.choices(
            ("edit", "write", "delete", "move", "mode", "link", "bytes", "folder", "add"), (40, 4, 8, 8, 5, 3, 4, 3, 14)
        )[0]
        match what:
            case "edit":
                acts.append(("edit", name, f"{chance.choice(range(0, LINES, 3))}={tag} {n}"))
            case "move":
                acts.append(("move", name, f"{new}.{tag}"))
            case "mode":
                acts.append(("mode", name, chance.choice("x-")))
            case "link":
                acts.append(("link", chance.choice([new, name]), f"a.txt.{tag}.{n}"))
            case "folder":
                acts.append(("folder", name, f"{tag}\n"))
            case "add" | "bytes":
                acts.append(("write" if what == "add" else what, new, "".join(f"{tag} {n} {m}\n" for m in range(9))))
            case _:
                acts.append((what, name, f"{tag} {n}\n"))
    return acts


@dataclass(slots=True)
class Reference:
    """A repository of our own that holds every state of the folder as a tree."""

    home: Path
    count: int = 0
    merges: dict[tuple[str, str, str], tuple[str, list[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home.mkdir()
        git(self.home, "init", "-q", "--bare", check=True)

    def tree(self, root: Path) -> str:
        """Return the tree of a folder as it is now, ignored files included."""
        self.count += 1
        more = {
            "GIT_DIR": str(self.home),
            "GIT_INDEX_FILE": str(self.home / f"index{self.count}"),
            "GIT_WORK_TREE": str(root),
        }
        git(root, "add", "-A", "-f", ".", check=True, **more)
        return git_output(root, "write-tree", **more).strip()

    def after(self, tree: str, acts: Sequence[Act]) -> str:
        """Return the tree that acts lead to, done in a folder beside."""
        with_files = self.home.parent / f"scratch{self.count}"
        with_files.mkdir()
        more = {
            "GIT_DIR": str(self.home),
            "GIT_INDEX_FILE": str(self.home / "scratch"),
            "GIT_WORK_TREE": str(with_files),
        }
        git(with_files, "read-tree", tree, check=True, **more)
        git(with_files, "checkout-index", "-a", "-f", check=True, **more)
        for one in acts:
            act(with_files, *one)
        return self.tree(with_files)

    def files(self, tree: str) -> dict[str, str]:
        """Return the paths of a tree with mode and content."""
        texts = git_output(self.home, "ls-tree", "-r", "-z", tree).split("\0")
        return {path: fact for fact, _, path in (line.partition("\t") for line in texts) if path}

    def merged(self, base: str, now: str, wanted: str, folder: str = "") -> tuple[dict[str, str], set[str]]:
        """Return what the files must be after what led from ``wanted`` to ``base`` was undone.

        And which are in conflict.

        A task knows its own ``folder`` and undo touches nothing else, so that is merged alone: a file that was renamed
        out of it is gone from there.
        """
        there, inside = self.files(now), [self.within(tree, folder) for tree in (base, now, wanted)]
        found, conflicts = self.merged_folder(*inside)
        outside = {path: fact for path, fact in there.items() if not path.startswith(folder)} if folder else {}
        return {**outside, **{folder + path: fact for path, fact in found.items()}}, {folder + one for one in conflicts}

    def within(self, tree: str, folder: str) -> str:
        """Return the tree of a folder; an empty one where it is not there."""
        words = ["rev-parse", "--verify", "-q", f"{tree}:{folder}"]
        return git_output(self.home, *words).strip() or git_output(self.home, "mktree").strip()

    def merged_folder(self, base: str, now: str, wanted: str) -> tuple[dict[str, str], set[str]]:
        """Merge whole trees. What undo does otherwise than git, because it writes no file with marks of a conflict:

        - A file in conflict stays as it is. One that the work renamed, where the present one is in conflict, comes
          back under its old name if nothing is there: the work had taken it away.
        - A file that stands where a folder was is in conflict only if something comes back below it.
        - What the user changed and nothing takes the place of stays, in conflict.
        """
        root = self.commit(base)
        sides = [self.commit(one, "-p", root) for one in (now, wanted)]
        reply = git_output(self.home, "merge-tree", "--write-tree", "-z", *sides).split("\0")
        rows = [line.partition("\t") for line in (reply[1 : reply.index("", 1)] if "" in reply[1:] else reply[1:])]
        facts = [(fact.split(" "), name) for fact, _, name in rows]
        there, before, after, tree = (self.files(one) for one in (now, base, wanted, reply[0]))
        names = {name for _, name in facts}
        back = {
            name: old for name, old in conflict_origins(facts, before, there) if name in after and name not in there
        }
        aside = {name: name.rpartition("~")[0] for name in names if "~" in name}
        alone = {*there} - names
        empty = {name for name, path in aside.items() if path in alone and not contains_any(path, {*tree} - names)}
        conflicts = {aside.get(name, name) for name in names - {*back} - empty} | {*back.values()}
        conflicts |= {
            path for fact, name in facts if name not in {*there, *empty} for path in find_renamed(fact, there)
        }
        known = {*there, *after}
        merged = {path: fact for path, fact in tree.items() if path not in {*names, *conflicts}}
        staying = tuple(f"{path}/" for path in conflicts if path in there)
        found = {path: fact for path, fact in merged.items() if not path.startswith(staying)}
        if not any(path in after for path in {*found, *back} - {*there, *before}):
            changed = {path for path in there if path in before and there[path] != before[path]}
            conflicts |= changed - {*after} - {*found}
        stays = {path: there[path] for path in {*conflicts, *(aside[name] for name in empty)} if path in there}
        return {**found, **stays, **{path: after[path] for path in back}}, conflicts & known

    def commit(self, tree: str, *more: str) -> str:
        return git_output(self.home, "commit-tree", "-m", "state", *more, tree).strip()

    def changed(self, one: str, other: str) -> set[str]:
        """Return the paths that differ between two trees."""
        before, after = self.files(one), self.files(other)
        return {path for path in {*before, *after} if before.get(path) != after.get(path)}

    def patched(self, tree: str, patch: str, gone: Sequence[str] = ()) -> str:
        """Return the tree that a patch makes of another without some files.

        Raises CalledProcessError if it does not apply.
        """
        self.count += 1
        more = {"GIT_DIR": str(self.home), "GIT_INDEX_FILE": str(self.home / f"index{self.count}")}
        git(self.home, "read-tree", tree, check=True, **more)
        if gone:
            git(
                self.home,
                "update-index",
                "--force-remove",
                "--",
                *gone,
                check=True,
                GIT_WORK_TREE=str(self.home),
                **more,
            )
        if patch:
            git(self.home, "apply", "--cached", "--whitespace=nowarn", "-", stdin=patch, check=True, **more)
        return git_output(self.home, "write-tree", **more).strip()


def find_renamed(fact: Sequence[str], there: Mapping[str, str]) -> list[str]:
    """Return where the present side of a conflict lies under another name."""
    mode, id, stage = fact
    return [path for path, one in there.items() if stage == "2" and one == f"{mode} blob {id}"]


def conflict_origins(
    facts: Sequence[tuple[Sequence[str], str]], base: Mapping[str, str], there: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield each conflict with the path at which its file was after the work, where something is there now."""
    for (mode, id, stage), name in facts:
        if stage == "1" and name not in base:
            yield from ((name, path) for path, one in base.items() if one == f"{mode} blob {id}" and path in there)


def contains_any(folder: str, paths: Iterable[str]) -> bool:
    """Return whether one of the paths lies in a folder."""
    return any(path.startswith(f"{folder}/") for path in paths)


def facts_without(files: Mapping[str, str], paths: set[str]) -> dict[str, str]:
    """Return all files but some."""
    return {path: fact for path, fact in files.items() if path not in paths}


if __name__ == "__main__":
    for what, path, text in json.loads(sys.argv[1]):
        act(Path.cwd(), what, path, text)
