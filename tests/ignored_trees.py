"""Generate random trees with ignore files, and list the files that git and checkpoints see."""

import random
import subprocess
from pathlib import Path

from openkoi_checkpoints.gitignore import GitIgnore

NAMES = ("a", "b", "c.txt", "d.log", "build", "x y", "#h", "!n", "\u00e9", "]", "back\\slash")
PLAIN = r"""
    * *.txt *.log a /a a/ /a/ build/ !a !a/ !*.txt a/b a/** **/b /* !/a !/a/ a/* !a/b a/b/ \#h \!n [ab] [!a] ? ??
    ** **/ a/**/b !**/ #c foo\ [ ! / !b c.* b/**/c.txt /**/a [[:alpha:]] [[:space:]]* []a] [^b] [a-c] [c-a] *[.]txt
    a**b **a a/**/ /**/ a/? \a a\ [a\]] *** a//b //a !* !**/b build/**/!n /a/*/b a/*** [[:foo:]] b*/ [a-] [-a]
    back\\slash
"""
RULES = (*PLAIN.split(), "x y", "x\\ y", "x\\ ", "  ", "", "*.log  ", "*.log\\ ", "a\r", "\ufeffa", "\u00e9")


def grow_tree(root: Path, chance: random.Random, depth: int = 0) -> None:
    """Grow a tree with rules in it."""
    root.mkdir()
    for name in chance.sample(NAMES, chance.randint(2, 5)):
        if depth < 3 and chance.random() < 0.5:
            grow_tree(root / name, chance, depth + 1)
        else:
            (root / name).touch()
    if depth == 0 or chance.random() < 0.4:
        rules = "\n".join(chance.choices(RULES, k=chance.randint(1, 4)))
        (root / ".gitignore").write_text(rules, newline="")


def seen_by_git(root: Path) -> list[str]:
    """Return the files that git does not ignore."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    command = ["git", "-C", str(root), "ls-files", "--others", "--exclude-standard", "-z"]
    output = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return sorted(name for name in output.split("\0") if name)


def seen_by_us(root: Path) -> list[str]:
    """Return the files that checkpoints do not ignore."""
    ignored = GitIgnore(lambda folder: read(root / folder / ".gitignore"))
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts)
    names = (path.relative_to(root).as_posix() for path in found)
    return sorted(name for name in names if not ignored.hides(name, folder=False))


def read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
