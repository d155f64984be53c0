"""What undo and diff say where a task made a repository, or ran beside another."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """An empty folder, and no guard that would ask."""
    made = shell(tmp_path)
    made.home.mkdir()
    (made.home / "config.toml").write_text('[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n')
    return made


def run(openkoi: Shell, line: str, name: str = "script.yaml") -> None:
    """Let a task run a line."""
    call = f"{{tool: run_command, arguments: {{command: {json.dumps(line)}}}}}"
    turns = f"  - when: {{after: 0}}\n    calls: [{call}]\n  - when: {{after: 1}}\n    says: Done.\n"
    write_script(openkoi.folder.parent, turns, name)
    done = openkoi("-m", f"scripted/{openkoi.folder.parent / name}", "-i", "0", "Change some files")
    assert 0 == done.returncode, done.stderr


def test_a_repository_that_a_task_made_is_named_as_a_whole(openkoi: Shell) -> None:
    run(openkoi, "git init -q && git -c user.name=n -c user.email=a@b commit -q --allow-empty -m first && echo n > n")
    undone = openkoi("undo")

    assert (1, False) == (undone.returncode, (openkoi.folder / "n").exists()), undone.stderr
    told = [line for line in undone.stderr.splitlines() if "not undone" in line]
    assert ["  not undone: the repository .git was made: delete that folder if it is of no use to you"] == told


def test_diff_says_that_another_task_ran_at_the_same_time(openkoi: Shell) -> None:
    lines = [f"touch {one}.begun; until test -f {other}.begun; do sleep 0.1; done" for one, other in ("ab", "ba")]
    with ThreadPoolExecutor() as both:
        list(both.map(lambda n: run(openkoi, lines[n], f"{n}.yaml"), range(2)))
    shown = openkoi("diff")

    assert (0, True) == (shown.returncode, "ran here at the same time" in shown.stderr), shown.stderr


def test_a_file_that_the_user_replaced_by_a_folder_is_gone_and_no_conflict(openkoi: Shell) -> None:
    run(openkoi, "echo made > made && echo more > more")
    (openkoi.folder / "made").unlink()
    (openkoi.folder / "made").mkdir()
    (openkoi.folder / "made" / "mine").write_text("mine\n")
    undone = openkoi("undo")

    assert (0, "0 files restored, 1 deleted, 1 already as wanted") == (undone.returncode, undone.stdout.splitlines()[1])
    assert ["made", "made/mine"] == sorted(
        path.relative_to(openkoi.folder).as_posix() for path in openkoi.folder.rglob("*")
    )
