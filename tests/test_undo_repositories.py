"""Undo over generated repositories: every byte and mode as before, and what cannot come back is named."""

import asyncio
import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import generated_repository
import pytest
from cli_process import Shell, write_script
from generated_repository import ENVIRONMENT, HUGE, Work, grow, kind_of, paths_below

from openkoi_checkpoints import CheckpointStore

SAMPLE = (0, 6, 9, 13)
CAMPAIGN = range(50)

Standing = dict[str, tuple[str, int, str]]


@dataclass(slots=True)
class Story:
    """A folder of one seed, its store, and what must hold for what is left alone."""

    home: Path
    seed: int
    named: dict[str, str] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    may_be_named: set[str] = field(default_factory=set)
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        grow(self.root, self.seed)
        self.chance = random.Random(-self.seed - 1)

    @property
    def root(self) -> Path:
        return self.home / "root"

    @property
    def store(self) -> CheckpointStore:
        return CheckpointStore(folder=self.home / "kept")

    def taken(self) -> str:
        """Take a checkpoint; what is hidden or huge now may be named later."""
        self.may_be_named |= ignored_paths(self.root, self.home / "rules") | huge_files(self.root)
        return asyncio.run(self.store.create(self.root))

    def work(self, acts: int = 10) -> str:
        """Do something to the folder, and take it."""
        Work(self.root, self.chance).done(acts)
        return self.taken()

    def restore(self, id: str) -> None:
        """Restore; note what is named, and what was merged."""
        restoration = asyncio.run(self.store.restore(self.root, id))
        self.named |= {**restoration.conflicts, **restoration.left}
        self.merged |= {*restoration.merged}


def folder_state(root: Path) -> Standing:
    """Return every path with its type, mode, and bytes or target; folders ``.git`` are left to ``kept_by_git``."""
    return {path: fact(root / path) for path in paths_below(root, "")}


def kept_by_git(root: Path) -> Standing:
    """Return every path in folders named ``.git`` below a folder: index, refs, stash, HEAD and all else."""
    found = [Path(here, ".git") for here, folders, _ in os.walk(root) if ".git" in folders]
    return {str(path.relative_to(root)): fact(path) for git in found for path in git.rglob("*")}


def fact(path: Path) -> tuple[str, int, str]:
    """Type, mode and content of one path."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return kind_of(path), 0, os.readlink(path)  # noqa: PTH115  # Path would tidy it
    if stat.S_ISDIR(status.st_mode):
        return kind_of(path), stat.S_IMODE(status.st_mode), ""
    return kind_of(path), stat.S_IMODE(status.st_mode), sha256(path.read_bytes()).hexdigest()


def ignored_paths(root: Path, rules: Path) -> set[str]:
    """Return what git would ignore, were this a repository with nothing in it yet."""
    subprocess.run(["git", "init", "-q", "--bare", str(rules)], check=True, env=ENVIRONMENT)
    command = ["git", f"--git-dir={rules}", f"--work-tree={root}", "check-ignore", "--no-index", "-z", "--stdin"]
    paths = os.fsencode("\0".join(paths_below(root, "")))
    is_named = subprocess.run(command, cwd=root, input=paths, capture_output=True, check=False, env=ENVIRONMENT)
    return set(os.fsdecode(is_named.stdout).split("\0"))


def huge_files(root: Path) -> set[str]:
    """Return the files that are too large to be kept."""
    return {path for path in paths_below(root, "") if (root / path).lstat().st_size > HUGE - 100_000}


def is_named(path: str, text: str) -> bool:
    """Return whether a text names a path, or a folder that it lies in."""
    parts = path.split("/")
    folders = ("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))
    return any(f" {name if name.isprintable() else repr(name)} " in text for name in (path, *folders))


def unnamed_differences(want: Standing, here: Standing, named: Mapping[str, str]) -> list[str]:
    """Return the paths that differ and are not named; a folder stays that something named is in."""
    held = {str(above) for path in named for above in Path(path).parents}
    differ = [path for path in {*want, *here} if want.get(path) != here.get(path) and path not in named]
    return [path for path in differ if not (path in held and path not in want)]


def wrongly_named(story: Story) -> list[str]:
    """Return what is named though nothing there was ignored or huge, nor anything below it."""
    founded = story.may_be_named | {str(above) for path in story.named for above in Path(path).parents}
    return [path for path in story.named if path not in founded]


def check_undo_and_redo(home: Path, seed: int) -> None:
    """Work in three attempts, take all back, take it up again, and take it back once more."""
    story = Story(home, seed)
    before, first = folder_state(story.root), story.taken()
    for _ in range(3):
        last = story.work()
    after, git = folder_state(story.root), kept_by_git(home)
    story.restore(first)
    undone = unnamed_differences(before, folder_state(story.root), story.named)
    story.restore(last)
    redone = unnamed_differences(after, folder_state(story.root), story.named)
    story.restore(first)

    assert ([], []) == (undone, redone)
    assert [] == unnamed_differences(before, folder_state(story.root), story.named)
    assert [] == wrongly_named(story)
    assert git == kept_by_git(home)


def check_that_a_person_s_work_stays(home: Path, seed: int) -> None:
    """A person edits the folder after the run: all of that stays, and what is in the way of undo is named."""
    story = Story(home, seed)
    before, first = folder_state(story.root), story.taken()
    story.work()
    after = folder_state(story.root)
    Work(story.root, story.chance).done(8)
    mixed = folder_state(story.root)
    story.restore(first)
    now = folder_state(story.root)
    theirs = {path for path in mixed if mixed[path] != after.get(path) and mixed[path] != before.get(path)}
    lost = [path for path in theirs - story.merged if mixed[path] != now.get(path)]

    assert [] == [path for path in lost if mixed[path][0] != "folder"]
    assert [] == [
        path
        for path in unnamed_differences(before, now, story.named)
        if path not in theirs | story.merged and mixed.get(path) != now.get(path)
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", SAMPLE)
def test_undo_and_redo_are_exact(tmp_path: Path, seed: int) -> None:
    check_undo_and_redo(tmp_path, seed)


@pytest.mark.parametrize("seed", SAMPLE[:1])
def test_what_a_person_did_since_stays(tmp_path: Path, seed: int) -> None:
    check_that_a_person_s_work_stays(tmp_path, seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", CAMPAIGN)
def test_undo_and_redo_are_exact_in_all_repositories(tmp_path: Path, seed: int) -> None:
    check_undo_and_redo(tmp_path, seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", CAMPAIGN)
def test_what_a_person_did_since_stays_in_all_repositories(tmp_path: Path, seed: int) -> None:
    check_that_a_person_s_work_stays(tmp_path, seed)


TURNS = """
  - when: {{after: 0}}
    calls:
      - {{tool: write_file, arguments: {{path: "made/deep.txt", content: "made\\n"}}}}
      - {{tool: write_file, arguments: {{path: "out/by tool", content: "made\\n"}}}}
      - {{tool: run_command, arguments: {{command: {command}}}}}
  - when: {{after: 1}}
    says: "Done."
"""


def check_the_command_line(home: Path, seed: int) -> None:
    """A whole run with tools and a command; then ``openkoi undo``, ``redo`` and ``undo`` again."""
    (home / "home").mkdir()
    (home / "home" / "config.toml").write_text('[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n')
    story, openkoi = Story(home, seed), Shell(home / "root", home / "home")
    before, git = folder_state(story.root), kept_by_git(home)
    story.taken()
    (home / "acts.py").write_text(Path(generated_repository.__file__).read_text())
    command = json.dumps(f"{sys.executable} {home / 'acts.py'} {seed}")
    model = write_script(home, TURNS.format(command=command)).partition("/")[2]
    ran = openkoi("-m", f"scripted/{home / model}", "-i", "0", "Change some files")
    assert (0, git) == (ran.returncode, kept_by_git(home)), ran.stderr
    story.taken()
    after = folder_state(story.root)
    assert 5 < len([path for path in after if before.get(path) != after[path]])
    undone = openkoi("undo")

    assert [] == unnamed_differences_in_output(before, folder_state(story.root), undone.stderr)
    assert "by tool" not in undone.stderr
    redone = openkoi("redo")
    assert [] == unnamed_differences_in_output(after, folder_state(story.root), undone.stderr + redone.stderr)
    assert git == kept_by_git(home)


def unnamed_differences_in_output(want: Standing, here: Standing, reply: str) -> list[str]:
    """The paths that differ and that a frontend does not name."""
    differ = {path: "" for path in {*want, *here} if want.get(path) != here.get(path)}
    return unnamed_differences(want, here, {path: "" for path in differ if is_named(path, reply)})


@pytest.mark.campaign
@pytest.mark.parametrize("seed", CAMPAIGN[::4])
def test_the_command_line_is_exact(tmp_path: Path, seed: int) -> None:
    check_the_command_line(tmp_path, seed)
