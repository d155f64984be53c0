"""Test that all file changes of a task can be shown, undone and redone."""

import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from cli_process import Shell, write_script

CHANGE = "rm -f gone.bin; printf 'b\\r\\n' > kept.txt; chmod 600 kept.txt; ln -sf kept.txt link\n"
TURNS = """
  - when: {after: 0}
    calls:
      - {tool: read_file, arguments: {path: "kept.txt"}}
      - {tool: write_file, arguments: {path: "new/deep.txt", content: "new\\n"}}
      - {tool: run_command, arguments: {command: "sh change.sh"}}
  - when: {after: 1}
    says: "Done."
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with files of many kinds, in a repository with something staged."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "kept.txt").write_bytes(b"a\r\n\xef\xbb\xbf no end")
    (folder / "gone.bin").write_bytes(bytes(range(256)))
    (folder / "gone.bin").chmod(0o755)
    (folder / "change.sh").write_text(CHANGE)
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("[hooks.guard]\nenabled = false\n")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run([*git, "init", "-q"], cwd=folder, check=True)
    subprocess.run([*git, "add", "kept.txt"], cwd=folder, check=True)
    return Shell(folder, home)


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return every path with its mode and its bytes, what the repository keeps among them."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if path.is_symlink():
            found[str(path.relative_to(folder))] = (0, str(path.readlink()).encode())
        elif path.is_file():
            found[str(path.relative_to(folder))] = (stat.S_IMODE(status.st_mode), path.read_bytes())
    return found


def run_task(openkoi: Shell, tmp_path: Path) -> dict[str, tuple[int, bytes]]:
    before = everything(openkoi.folder)
    model = write_script(tmp_path, TURNS)
    ran = openkoi("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change some files")
    assert 0 == ran.returncode, ran.stderr
    assert everything(openkoi.folder) != before
    return before


def test_undo_brings_every_byte_and_mode_back_and_redo_takes_it_up_again(openkoi: Shell, tmp_path: Path) -> None:
    before = run_task(openkoi, tmp_path)
    after = everything(openkoi.folder)
    result = openkoi("diff")
    undone = openkoi("undo")

    assert (0, before) == (undone.returncode, everything(openkoi.folder)), undone.stderr
    assert "+++ b/new/deep.txt" in result.stdout
    redone = openkoi("redo")
    assert (0, after) == (redone.returncode, everything(openkoi.folder)), redone.stderr


def test_what_a_person_changed_since_is_left_alone_and_named(openkoi: Shell, tmp_path: Path) -> None:
    run_task(openkoi, tmp_path)
    (openkoi.folder / "kept.txt").write_text("mine\n")
    undone = openkoi("undo")

    assert 1 == undone.returncode
    assert "kept.txt" in undone.stderr
    assert "mine\n" == (openkoi.folder / "kept.txt").read_text()
    assert not (openkoi.folder / "new" / "deep.txt").exists()


def test_a_task_is_undone_and_a_later_one_stays(openkoi: Shell, tmp_path: Path) -> None:
    run_task(openkoi, tmp_path)
    first = openkoi("status").stdout.split("Last tasks:")[1].split()[2]
    openkoi("undo")
    openkoi("redo")
    model = write_script(tmp_path, TURNS.replace("new/deep", "newer/deep"))
    openkoi("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change more files")
    undone = openkoi("undo", first)

    assert (0, "2 files restored, 2 deleted\n" in undone.stdout) == (undone.returncode, True), undone.stderr
    assert [False, True] == [(openkoi.folder / name / "deep.txt").exists() for name in ("new", "newer")]


DEATH = """
import os
from openkoi_hookspecs import hookimpl

@hookimpl(trylast=True)
def after_tool(result, call):
    if call.tool == "run_command":
        os._exit(9)
"""
PERSON = """
from pathlib import Path
from openkoi_hookspecs import hookimpl

@hookimpl
def before_tool(call, run):
    if call.tool == "run_command":
        with (run.workspace / "k.txt").open("a") as file:
            file.write("by a person")
        (run.workspace / "mine.txt").write_text("mine")
"""


def test_what_a_person_changed_while_the_task_was_under_way_stays(openkoi: Shell, tmp_path: Path) -> None:
    """A hook plays the person, who writes while a command waits for a word."""
    (openkoi.folder / "k.txt").write_text("k")
    shell = openkoi.with_plugin(PERSON, hooks="acme")
    later = TURNS.replace("      - {tool: run", "  - when: {after: 1}\n    calls:\n      - {tool: run")
    model = write_script(tmp_path, later.replace("1}\n    says", "2}\n    says"))
    ran = shell("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change some files")
    result, undone = openkoi("diff"), openkoi("undo")

    assert (0, True, False) == (ran.returncode, "new/deep" in result.stdout, "by a person" in result.stdout), ran.stderr
    assert (0, "") == (undone.returncode, undone.stderr)
    assert ("kby a person", "mine") == tuple((openkoi.folder / name).read_text() for name in ("k.txt", "mine.txt"))
    assert not (openkoi.folder / "new" / "deep.txt").exists()


def test_redo_of_a_task_that_died_leaves_what_a_person_changed_since(openkoi: Shell, tmp_path: Path) -> None:
    dies, model = openkoi.with_plugin(DEATH, hooks="acme"), write_script(tmp_path, TURNS)
    dies.cold("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change some files")
    undone = openkoi("undo")
    (openkoi.folder / "kept.txt").write_text("mine")
    redone = openkoi("redo")

    assert "interrupted during run_command" in undone.stderr
    assert (0, 1, True) == (undone.returncode, redone.returncode, "kept.txt" in redone.stderr), undone.stderr
    assert "mine" == (openkoi.folder / "kept.txt").read_text()


def test_what_was_written_in_a_folder_that_is_passed_over_is_taken_back_or_named(
    openkoi: Shell, tmp_path: Path
) -> None:
    modules = openkoi.folder / "node_modules"
    modules.mkdir()
    (modules / "deep.txt").write_text("old")
    (openkoi.folder / "change.sh").write_text("echo made > node_modules/made.js")
    within = TURNS.replace('"new/deep.txt"', '"node_modules/deep.txt", overwrite: true')
    model = write_script(tmp_path, within)
    ran = openkoi("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change some files")
    text = (modules / "deep.txt").read_text()
    undone = openkoi("undo")

    assert (0, "new\n", "old") == (ran.returncode, text, (modules / "deep.txt").read_text()), ran.stderr + undone.stderr
    assert (1, True) == (undone.returncode, "node_modules" in undone.stderr)


def test_tasks_that_worked_at_the_same_time_are_named(openkoi: Shell, tmp_path: Path) -> None:
    """One waits within its own turn while the other works."""
    slow = (
        "\n  - when: {after: 0}\n    delay: 1\n    calls: [{tool: write_file, arguments: {path: q.txt, content: q}}]\n"
    )
    slow += "  - when: {after: 1}\n    says: Done.\n"
    (tmp_path / "slow").mkdir()
    first, second, before = (
        write_script(tmp_path / "slow", slow),
        write_script(tmp_path, TURNS),
        everything(openkoi.folder),
    )
    models = [tmp_path / "slow" / first.partition("/")[2], tmp_path / second.partition("/")[2]]
    with ThreadPoolExecutor() as both:
        run_task = both.map(lambda model: openkoi("-m", f"scripted/{model}", "-i", "0", "Change some files"), models)
        assert [0, 0] == [one.returncode for one in run_task]

    output = [openkoi("undo") for _ in range(2)]

    assert [(0, True)] * 2 == [(one.returncode, "ran here at the same time" in one.stderr) for one in output]
    assert before == everything(openkoi.folder)


def test_what_could_not_be_kept_is_said_where_it_is_to_be_taken_back(openkoi: Shell, tmp_path: Path) -> None:
    (openkoi.home / "config.toml").write_text("[checkpoints.store]\nmax_files = 1\n")
    model = write_script(tmp_path, TURNS)
    openkoi("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change some files")

    for word in ("undo", "diff"):
        output = openkoi(word)
        assert (1, True) == (output.returncode, "ran without a checkpoint" in output.stderr), output.stderr


def test_a_folder_that_is_gone_is_not_said_to_be_taken_back(openkoi: Shell, tmp_path: Path) -> None:
    model = write_script(tmp_path, TURNS)
    openkoi("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change some files")
    run = openkoi("status").stdout.partition("tasks")[2]
    id = next(word for word in run.split() if len(word) == 8 and set(word) <= set("0123456789abcdef"))
    openkoi.folder.rename(tmp_path / "elsewhere")
    output = replace(openkoi, folder=tmp_path / "elsewhere")("undo", id)

    assert (1, "", True) == (output.returncode, output.stdout, "is not a readable folder" in output.stderr), (
        output.stderr
    )


def test_where_nothing_was_changed_there_is_nothing_to_take_back(openkoi: Shell) -> None:
    for word in ("undo", "redo", "diff"):
        output = openkoi(word)
        assert 1 == output.returncode
        assert "No task changed files" in output.stderr


EDIT_TEXT = """
  - when: {after: 0}
    calls: [{tool: run_command, arguments: {command: "sed -i s/three/THREE/ text.txt"}}]
  - when: {after: 1}
    says: "Done."
"""
TEXT = "one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def edited_repository(openkoi: Shell, tmp_path: Path) -> Shell:
    """A repository with a committed text, which a task has edited since."""
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    (openkoi.folder / "text.txt").write_text(TEXT)
    subprocess.run([*git, "add", "-A"], cwd=openkoi.folder, check=True)
    subprocess.run([*git, "commit", "-qm", "first"], cwd=openkoi.folder, check=True)
    edit(openkoi, tmp_path)
    return openkoi


def edit(openkoi: Shell, tmp_path: Path) -> None:
    model = write_script(tmp_path, EDIT_TEXT)
    ran = openkoi("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change a text")
    assert 0 == ran.returncode, ran.stderr


def test_a_line_that_was_appended_since_stays_when_the_task_is_undone(edited_repository: Shell) -> None:
    with (edited_repository.folder / "text.txt").open("a") as file:
        file.write("six\n")
    undone = edited_repository("undo")

    assert (0, f"{TEXT}six\n") == (undone.returncode, (edited_repository.folder / "text.txt").read_text())
    assert "0 files restored, 1 merged with later changes\n" in undone.stdout
    redone = edited_repository("redo")
    assert (0, f"{TEXT}six\n".replace("three", "THREE")) == (
        redone.returncode,
        (edited_repository.folder / "text.txt").read_text(),
    )


def test_after_an_outside_revert_the_next_run_s_diff_is_its_own_and_redo_works(
    edited_repository: Shell, tmp_path: Path
) -> None:
    subprocess.run(["git", "checkout", "-q", "."], cwd=edited_repository.folder, check=True)
    reverted, redone = edited_repository("diff"), edited_repository("redo")
    assert ("+THREE" in reverted.stdout, "Reverted since task" in reverted.stderr) == (True, True), reverted.stderr
    assert (0, True) == (redone.returncode, "THREE" in (edited_repository.folder / "text.txt").read_text()), (
        redone.stderr
    )

    subprocess.run(["git", "checkout", "-q", "."], cwd=edited_repository.folder, check=True)
    edit(edited_repository, tmp_path)
    result = edited_repository("diff")
    assert ("-three\n+THREE\n" in result.stdout, "") == (True, result.stderr)
    assert (0, TEXT) == (edited_repository("undo").returncode, (edited_repository.folder / "text.txt").read_text())


def test_what_conflicts_is_named_left_and_overwritten_by_force(edited_repository: Shell) -> None:
    (edited_repository.folder / "text.txt").write_text(TEXT.replace("three", "mine"))
    undone = edited_repository("undo")

    assert (1, "mine" in (edited_repository.folder / "text.txt").read_text()) == (undone.returncode, True)
    assert "Undid none of the changes of task" in undone.stdout
    assert "0 files restored, 1 in conflict\n" in undone.stdout
    assert "conflict: text.txt was not changed" in undone.stderr
    forced = edited_repository("undo", "--force")
    assert (0, TEXT) == (forced.returncode, (edited_repository.folder / "text.txt").read_text()), forced.stderr


def test_what_diff_says_after_undo_is_true(edited_repository: Shell) -> None:
    edited_repository("undo")
    result = edited_repository("diff")

    assert (0, True) == (result.returncode, "+THREE" in result.stdout)
    assert "is undone: these changes are not in this folder. Run `openkoi redo" in result.stderr
    again = edited_repository("undo")
    assert (1, True) == (again.returncode, "Run `openkoi redo` to reapply it" in again.stderr)
    edited_repository("redo")
    assert ("", 0) == (edited_repository("diff").stderr, edited_repository("undo").returncode)


def test_force_overwrites_what_conflicts_and_nothing_that_merges(edited_repository: Shell, tmp_path: Path) -> None:
    (edited_repository.folder / "other.txt").write_text(TEXT)
    turns = EDIT_TEXT.replace("text.txt", "text.txt other.txt").replace("three/THREE", "four/FOUR")
    model = write_script(tmp_path, turns)
    edited_repository("-m", f"scripted/{tmp_path / model.partition('/')[2]}", "-i", "0", "Change two texts")
    (edited_repository.folder / "other.txt").write_text(TEXT.replace("four", "mine"))
    with (edited_repository.folder / "text.txt").open("a") as file:
        file.write("six\n")
    undone, forced = edited_repository("undo"), edited_repository("undo", "--force")

    assert (1, 0) == (undone.returncode, forced.returncode), forced.stderr
    assert "1 merged with later changes, 1 in conflict" in undone.stdout
    assert TEXT == (edited_repository.folder / "other.txt").read_text()
    assert f"{TEXT}six\n".replace("three", "THREE") == (edited_repository.folder / "text.txt").read_text()


@pytest.mark.parametrize("there", [False, True], ids=["no such folder", "a folder of that name"])
def test_a_path_from_the_home_folder_is_outside_unless_a_folder_has_its_name(openkoi: Shell, there: bool) -> None:
    calls = '{tool: write_file, arguments: {path: "~/a.txt", content: "one"}}'
    if there:
        (openkoi.folder / "~").mkdir()
    model = write_script(openkoi.folder.parent, f"  - calls: [{calls}]\n  - says: Done.\n    repeat: true\n")
    path = model.replace("scripted/", f"scripted/{openkoi.folder.parent}/")
    result = openkoi("-i", "0", "-m", path, "Write a note")
    undone = openkoi("undo")

    assert ("outside the working directory" in result.stderr) is not there
    assert 0 == undone.returncode if there else "outside the workspace" not in undone.stderr, undone.stderr
    assert [] == [*openkoi.folder.parent.rglob("a.txt")]
