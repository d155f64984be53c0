"""Test undo and diff when a task created a repository, or ran beside another."""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """An empty folder, and no guard that would ask."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n')
    return openkoi


def run(openkoi: Shell, line: str, name: str = "script.yaml") -> None:
    """Let a task run a line."""
    call = f"{{tool: run_command, arguments: {{command: {json.dumps(line)}}}}}"
    turns = f"  - when: {{after: 0}}\n    calls: [{call}]\n  - when: {{after: 1}}\n    says: Done.\n"
    write_script(openkoi.folder.parent, turns, name)
    result = openkoi("-m", f"scripted/{openkoi.folder.parent / name}", "-i", "0", "Change some files")
    assert 0 == result.returncode, result.stderr


def test_a_repository_that_a_task_made_is_named_as_a_whole(openkoi: Shell) -> None:
    run(openkoi, "git init -q && git -c user.name=n -c user.email=a@b commit -q --allow-empty -m first && echo n > n")
    undone = openkoi("undo")

    assert (1, False) == (undone.returncode, (openkoi.folder / "n").exists()), undone.stderr
    output = [line for line in undone.stderr.splitlines() if "not undone" in line]
    assert ["  not undone: the repository .git was created; delete that folder if you do not need it"] == output


def test_diff_says_that_another_task_ran_at_the_same_time(openkoi: Shell) -> None:
    lines = [f"touch {one}.begun; until test -f {other}.begun; do sleep 0.1; done" for one, other in ("ab", "ba")]
    with ThreadPoolExecutor() as both:
        list(both.map(lambda n: run(openkoi, lines[n], f"{n}.yaml"), range(2)))
    result = openkoi("diff")

    assert (0, True) == (result.returncode, "ran here at the same time" in result.stderr), result.stderr


def test_a_file_that_the_user_replaced_by_a_folder_is_gone_and_no_conflict(openkoi: Shell) -> None:
    run(openkoi, "echo made > made && echo more > more")
    (openkoi.folder / "made").unlink()
    (openkoi.folder / "made").mkdir()
    (openkoi.folder / "made" / "mine").write_text("mine\n")
    undone = openkoi("undo")

    assert (0, "0 files restored, 1 deleted, 1 already up to date") == (
        undone.returncode,
        undone.stdout.splitlines()[1],
    )
    assert ["made", "made/mine"] == sorted(
        path.relative_to(openkoi.folder).as_posix() for path in openkoi.folder.rglob("*")
    )


GIT = "git -c user.name=n -c user.email=a@b"


def not_undone(text: str) -> list[str]:
    """Return the files that undo reports as left."""
    return [line.removeprefix("  not undone: ") for line in text.splitlines() if "not undone" in line]


def make_repository(folder: Path) -> None:
    """Make a repository with a commit."""
    folder.mkdir(parents=True, exist_ok=True)
    line = f"git init -q -b main && touch first && git add first && {GIT} commit -q -m first"
    subprocess.run(line, shell=True, check=True, cwd=folder)


def test_a_commit_and_a_branch_in_a_repository_below_the_workspace_are_named(openkoi: Shell) -> None:
    make_repository(openkoi.folder / "libs" / "sub dir")
    run(openkoi, f"cd 'libs/sub dir' && echo n > n && git add n && {GIT} commit -q -m second && git branch new")
    undone = openkoi("undo")
    commit, branch = not_undone(undone.stderr)

    assert 1 == undone.returncode
    assert re.fullmatch(
        r"in libs/sub dir: commit \w+ was made on main \(undo with `git -C 'libs/sub dir' reset --soft \w+`\)", commit
    )
    assert re.fullmatch(
        r"in libs/sub dir: branch new was created .* \(undo with `git -C 'libs/sub dir' branch -D new`\)", branch
    )


def test_the_commands_that_undo_names_for_a_repository_below_work(openkoi: Shell) -> None:
    make_repository(openkoi.folder)
    make_repository(openkoi.folder / "sub")
    before = git_refs(openkoi.folder) + git_refs(openkoi.folder / "sub")
    commit = f"touch new && git add new && {GIT} commit -q -m new"
    run(openkoi, f"{commit}; cd sub && {commit} && git tag v1")
    assert before != git_refs(openkoi.folder) + git_refs(openkoi.folder / "sub")
    for text in not_undone(openkoi("undo").stderr):
        command = text.partition("(undo with `")[2].removesuffix("`)")
        subprocess.run(command, shell=True, check=True, cwd=openkoi.folder)

    assert before == git_refs(openkoi.folder) + git_refs(openkoi.folder / "sub")


def git_refs(folder: Path) -> str:
    """Return where all branches and tags point."""
    return subprocess.run(["git", "show-ref"], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("rm -rf sub", ["the repository sub/.git was deleted and cannot be restored; clone it again"]),
        ("git clone -q sub new", ["the repository new/.git was created; delete that folder if you do not need it"]),
        ("git clone -q sub new && rm -rf new", []),
    ],
)
def test_repositories_below_that_were_made_or_deleted_are_named(openkoi: Shell, line: str, named: list[str]) -> None:
    make_repository(openkoi.folder / "sub")
    run(openkoi, f"touch made; {line}")

    assert named == not_undone(openkoi("undo").stderr)
