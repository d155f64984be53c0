"""Generate realistic folders from a seed, and what a run may do to one, also from a seed.

Run as a program it does to the folder it stands in what the seed says: ``python generated_repository.py 7``.
"""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HUGE = 5_100_000
NAMES = (
    *("a.txt", "b b.txt", "c.py", "d", "\u00e9 \u732b", "line\nfeed", 'q"uote', "back\\slash", "-dash", "tab\there"),
    *(
        "trailing.",
        "~",
        "x" * 200,
        "UPPER",
        "upper",
        ".hidden",
        "e\u0301",
        "#hash",
        "!bang",
        "*",
        os.fsdecode(b"bad\xff"),
    ),
)
TARGETS = ("..", "nowhere", "a.txt", ".", "/absent")
MODES = (0o644, 0o644, 0o644, 0o600, 0o444, 0o755, 0o640, 0o400)
FOLDER_MODES = (0o755, 0o755, 0o755, 0o700, 0o750, 0o555)
RULES = b"*.log\n.env\nout/\n"
STATES = ("folder", "unborn", "committed", "dirty", "detached", "worktree", "submodule", "merging")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **{f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
}


def git(root: Path, *words: str, check: bool = True) -> None:
    """Run git without this machine's configuration."""
    command = ["git", "-C", str(root), "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words]
    subprocess.run(command, check=check, capture_output=True, env=ENVIRONMENT)


def paths_below(root: Path, folder: str) -> Iterator[str]:
    """Yield every path under a folder, except those inside ``.git``."""
    for item in sorted(os.scandir(root / folder), key=lambda item: item.name):
        path = f"{folder}/{item.name}" if folder else item.name
        if item.is_dir(follow_symlinks=False) and item.name == ".git":
            continue
        yield path
        if item.is_dir(follow_symlinks=False):
            yield from paths_below(root, path)


def kind_of(path: Path) -> str:
    """File, folder or link."""
    return "link" if path.is_symlink() else "folder" if path.is_dir() else "file"


def content(chance: random.Random) -> bytes:
    """Bytes that are easily damaged: line endings, a byte order mark, no final newline, binary, nothing."""
    lines = [f"line {chance.randrange(1000)}" for _ in range(chance.randrange(1, 12))]
    ends = ["\n".join(lines), "\n".join(lines) + "\n", "\r\n".join(lines) + "\r\n", "\ufeff" + "\r\n".join(lines), ""]
    return chance.choice([*map(str.encode, ends), "\r".join(lines).encode("utf-16"), chance.randbytes(300), b"caf\xe9"])


def grow(root: Path, seed: int) -> str:
    """Make a folder of this seed; return which state its repository is in."""
    chance, state = random.Random(seed), STATES[seed % len(STATES)]
    home = root.with_name(f"{root.name}-main") if state == "worktree" else root
    home.mkdir(parents=True)
    if state != "folder":
        git(home, "init", "-q")
    plant(home, chance)
    if state not in ("folder", "unborn"):
        add_history(home)
        AFTERWARDS[state](root, home, chance)
    if state != "folder":
        git(root, "add", "--", ".gitignore", check=False)
    finish(root, chance)
    return state


def committed(home: Path, text: str) -> None:
    """Commit all there is."""
    git(home, "add", "-A")
    git(home, "commit", "-qm", text)


def add_history(home: Path) -> None:
    """A history with branches, a tag, and a stash."""
    committed(home, "first")
    git(home, "branch", "other")
    git(home, "tag", "-a", "-m", "one", "v1")
    (home / "stashed").write_text("put aside\n")
    git(home, "add", "stashed")
    git(home, "stash")


def dirty(root: Path, home: Path, chance: random.Random) -> None:
    """Stage a change, change it again, delete a file, and add a new one."""
    (root / "staged").write_bytes(content(chance))
    git(root, "add", "staged")
    (root / "staged").write_bytes(content(chance) + b"later")
    git(root, "rm", "-q", "--cached", "-r", "--ignore-unmatch", "a.txt")


def worktree(root: Path, home: Path, chance: random.Random) -> None:
    """A second working tree: its ``.git`` is a file."""
    git(home, "worktree", "add", "-q", str(root), "other")


def submodule(root: Path, home: Path, chance: random.Random) -> None:
    """A repository in it, as a submodule, and another one by itself."""
    source = root.with_name(f"{root.name}-source")
    source.mkdir()
    git(source, "init", "-q")
    (source / "inner.txt").write_bytes(b"inner\r\n")
    committed(source, "inner")
    git(root, "submodule", "add", "-q", str(source), "module")
    git(root, "clone", "-q", str(source), "nested")


def merging(root: Path, home: Path, chance: random.Random) -> None:
    """A merge that stopped at a conflict."""
    (root / "both").write_text("ours\n")
    committed(root, "ours")
    git(root, "checkout", "-q", "other")
    (root / "both").write_text("theirs\n")
    committed(root, "theirs")
    git(root, "merge", "main", check=False)


AFTERWARDS: Mapping[str, Callable[[Path, Path, random.Random], None]] = {
    "committed": lambda root, home, chance: None,
    "dirty": dirty,
    "detached": lambda root, home, chance: git(root, "checkout", "-q", "--detach"),
    "worktree": worktree,
    "submodule": submodule,
    "merging": merging,
}


def plant(root: Path, chance: random.Random, depth: int = 0) -> None:
    """Grow files, folders and links."""
    (root / ".gitignore").write_bytes(RULES if depth == 0 else chance.choice((b"!*.log\n", b"*.py\n", b"")))
    for name in chance.sample(NAMES, chance.randint(4, 9)):
        if depth < 3 and chance.random() < 0.35:
            (root / name).mkdir()
            plant(root / name, chance, depth + 1)
        else:
            (root / name).write_bytes(content(chance))


def finish(root: Path, chance: random.Random) -> None:
    """Add what git does not keep: odd modes, links, hard links, empty folders, ignored and huge files."""
    folders = [root, *(path for path in real_paths(root) if path.is_dir())]
    for folder in folders:
        with suppress(FileExistsError):
            (folder / f"to {chance.randrange(99)}").symlink_to(chance.choice(TARGETS))
        if chance.random() < 0.3:
            (folder / "empty").mkdir(exist_ok=True)
    add_ignored(root, chance)
    for n in range(chance.randrange(3)):
        (chance.choice(folders) / f"huge{n}.bin").write_bytes(chance.randbytes(9) + bytes(HUGE))
    files = [path for path in real_paths(root) if path.is_file()]
    for path in chance.sample(files, min(2, len(files))):
        path.with_name("twin").unlink(missing_ok=True)
        path.with_name("twin").hardlink_to(path)
    for path in real_paths(root):
        path.chmod(chance.choice(FOLDER_MODES if path.is_dir() else MODES))


def add_ignored(root: Path, chance: random.Random) -> None:
    """Files that the rules hide, and one in a folder that they hide."""
    (root / "app.log").write_bytes(content(chance))
    (root / ".env").write_bytes(b"KEY=secret\r\n")
    (root / "out" / "deep").mkdir(parents=True, exist_ok=True)
    for n in range(chance.randrange(1, 6)):
        (root / "out" / chance.choice(("", "deep")) / f"made{n}").write_bytes(content(chance))


def real_paths(root: Path) -> list[Path]:
    """Files and folders, the deepest first; no links, nothing that is git's."""
    return [
        root / path for path in paths_below(root, "") if not (root / path).is_symlink() and (root / path).name != ".git"
    ][::-1]


@dataclass(frozen=True, slots=True)
class Work:
    """A run's random acts in a folder. Acts that are impossible are skipped."""

    root: Path
    chance: random.Random

    def done(self, acts: int) -> None:
        """Do a number of acts."""
        for _ in range(acts):
            act = self.chance.choice(ACTS)
            with suppress(OSError):
                act(self)

    def any(self, *kinds: str) -> Path:
        """Return a path of one of these kinds; raises OSError when there is none."""
        paths = [self.root / path for path in paths_below(self.root, "")]
        there = [path for path in paths if path.name != ".git" and kind_of(path) in kinds]
        if not there:
            raise FileNotFoundError
        return self.chance.choice(there)

    def fresh(self) -> Path:
        """Return a free path."""
        folder = self.chance.choice([self.root, self.any("folder")])
        return folder / f"{self.chance.choice(NAMES)[:40]} {self.chance.randrange(1000)}"

    def edit(self) -> None:
        """Write in place, through every hard link."""
        path = self.any("file")
        with path.open("ab") as file:
            file.write(content(self.chance))

    def replace(self) -> None:
        """Write beside a file and rename, as editors do."""
        path = self.any("file")
        path.with_name("draft~").write_bytes(content(self.chance))
        path.with_name("draft~").replace(path)

    def create(self) -> None:
        place = self.fresh() / self.chance.choice((".", "deep", "deep/er"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content(self.chance))

    def delete(self) -> None:
        remove(self.any("folder") if self.chance.random() < 0.3 else self.any("file", "link"))

    def rename(self) -> None:
        self.any("file", "link", "folder").rename(self.fresh())

    def change_mode(self) -> None:
        path = self.any("file", "folder")
        path.chmod(self.chance.choice(FOLDER_MODES if path.is_dir() else MODES))

    def swap(self) -> None:
        """Put something of another type in a path's place."""
        path = self.any("file", "link", "folder")
        remove(path)
        kind = self.chance.randrange(4)
        if kind == 0:
            path.write_bytes(content(self.chance))
        elif kind == 1:
            path.symlink_to(self.chance.choice(TARGETS))
        else:
            (path / "inside" if kind == 3 else path).mkdir(parents=True)

    def touch_hidden(self) -> None:
        """Change, delete or make what the rules hide."""
        path = self.root / self.chance.choice(("app.log", ".env", "out/made0", "out/deep/made1", "new.log", "out/new"))
        if path.exists() and self.chance.random() < 0.4:
            path.unlink()
        else:
            path.write_bytes(content(self.chance) + b"by a command")

    def huge(self) -> None:
        """Make a file huge, or a new huge one."""
        path = self.fresh() if self.chance.random() < 0.5 else self.any("file")
        path.write_bytes(self.chance.randbytes(9) + bytes(HUGE))

    def rules(self) -> None:
        """Change what is hidden."""
        place = self.chance.choice([self.root, self.any("folder")]) / ".gitignore"
        place.write_bytes(self.chance.choice((RULES, b"", b"*.txt\n", b"*\n", b"!.env\n")))


def remove(path: Path) -> None:
    """Delete anything except git's files."""
    if path.is_dir() and not path.is_symlink():
        if any(".git" in (*folders, *files) for _, folders, files in os.walk(path)):
            raise PermissionError
        shutil.rmtree(path)
    else:
        path.unlink()


ACTS = (
    *(Work.edit, Work.edit, Work.replace, Work.create, Work.create, Work.delete, Work.delete, Work.delete),
    *(Work.rename, Work.rename, Work.change_mode, Work.change_mode, Work.swap, Work.swap, Work.touch_hidden),
    *(Work.huge, Work.replace, Work.rules),
)


if __name__ == "__main__":
    Work(Path.cwd(), random.Random(int(sys.argv[1]))).done(25)
