"""Test that a task is forked at one of its iterations with other settings, or run on a copy."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, write_script

TURNS = """
  - when: {after: 0, contains: "Write it"}
    calls: [{tool: write_file, arguments: {path: a.txt, content: "one\\n"}}]
  - when: {contains: "Write it", after: 1}
    says: "One."
  - when: {contains: "Fix", after: 2}
    calls: [{tool: edit_file, arguments: {path: a.txt, search: one, replace: two}}]
  - when: {contains: "Fix", after: 3}
    says: "Two."
"""
CHECK = """
import unittest


class Two(unittest.TestCase):
    def test_two(self):
        self.assertEqual("two\\n", open("a.txt").read())
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder whose test requires the second attempt, and a model outside it that makes both."""
    folder, home = tmp_path / "folder", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (folder / "test_it.py").write_text(CHECK)
    write_script(tmp_path, TURNS)
    (home / "config.toml").write_text("[evaluators.judge]\nenabled = false\n[evaluators.lint]\nenabled = false\n")
    return Shell(folder, home)


def model(openkoi: Shell) -> str:
    return f"scripted/{openkoi.folder.parent / 'script.yaml'}"


def result(openkoi: Shell, *arguments: str) -> dict[str, object]:
    result = openkoi(*arguments, "--format", "json")
    assert result.stdout, result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_a_task_is_begun_again_at_its_second_iteration_with_another_setting(openkoi: Shell) -> None:
    first = result(openkoi, "-m", model(openkoi), "Write it into a.txt, so that the tests pass")
    assert ["continue", "accept"] == [one["decision"] for one in first["iterations"]]  # type: ignore[attr-defined]  # a list

    forked = result(openkoi, "fork", str(first["task_id"])[:8], "--at", "2", "--set", "iteration.quality_threshold=0.5")

    assert "two\n" == (openkoi.folder / "a.txt").read_text()
    assert first["task_id"] != forked["task_id"]
    assert (True, 2) == (forked["accepted"], len(forked["iterations"]))  # type: ignore[arg-type]  # it is a list
    assert first["iterations"][0]["usage"] == forked["iterations"][0]["usage"]  # type: ignore[index]  # as above
    assert 0 == openkoi("undo").returncode
    assert "two\n" == (openkoi.folder / "a.txt").read_text()
    process = openkoi("replay", str(forked["task_id"])[:8])
    assert (0, "Two.\n") == (process.returncode, process.stdout)


CANNOT = (
    (("--at", "4"), 1, "cannot be forked at iteration 4: it has only 2 iterations."),
    (("--at", "3"), 1, "cannot be forked at iteration 3: it has only 2 iterations."),
    (("--set", "nonsense"), 2, "expected KEY=VALUE"),
    (("--set", "iteration.max_iterations=many"), 2, "should be a number"),
    (("feed",), 2, "No task named 'feed'"),
)


BAD = (
    ("iteration.max_iteration=3", 2, "iteration.max_iteration"),
    ("nonsense.key=1", 2, "nonsense"),
    ("iteration.quality_threshold=5", 2, "should be from 0 to 1"),
    ("safety.sandbox_minimum=bogus", 2, "safety.sandbox_minimum in --set safety.sandbox_minimum is 'bogus'"),
    ("safety.tool_loop.warning=soon", 2, "should be a number"),
    ("use.sandbox=bogus", 2, "No sandbox named 'bogus'"),
    ("use.compactor=bogus", 2, "No compactor named 'bogus'"),
    ("use.memory=bogus", 2, "No memory named 'bogus'"),
    ("models.executor=nope/x", 2, "No provider named 'nope'"),
    ("evaluators.testrunner.seconds=soon", 2, "seconds"),
    ("checkpoints.store.max_files=many", 2, "max_files"),
    ("use.checkpoints=bogus", 2, "No checkpoint named 'bogus'"),
)


def test_a_fork_warns_once_of_a_setting_that_has_no_effect(openkoi: Shell) -> None:
    with (openkoi.home / "config.toml").open("a") as file:
        file.write("[iteration]\nqualty_threshold = 0.5\n")
    result(openkoi, "-m", model(openkoi), "Write it into a.txt, so that the tests pass")

    process = openkoi("fork", "--at", "2")

    assert 1 == process.stderr.count("qualty_threshold")


def test_a_fork_checks_its_settings_before_it_touches_a_file(openkoi: Shell) -> None:
    """The second iteration began with other files than there are now."""
    result(openkoi, "-m", model(openkoi), "Write it into a.txt, so that the tests pass")
    before = {path: path.stat().st_mtime_ns for path in openkoi.folder.iterdir() if path.is_file()}
    for setting, status, reply in BAD:
        process = openkoi("fork", "--at", "2", "--set", setting)

        assert (status, True) == (process.returncode, reply in process.stderr), f"{setting}: {process.stderr}"
        assert before == {path: path.stat().st_mtime_ns for path in openkoi.folder.iterdir() if path.is_file()}


JUDGE = """
from openkoi_hookspecs import Evaluation, Finding, Score

class Judge:
    judges = True

    async def evaluate(self, work, run):
        score = 0.6 if "+one" in work.diff else 0.5
        return Evaluation(scores=(Score("taste", score),), findings=(Finding("not to my taste"),))
"""


def test_a_task_whose_best_files_were_brought_back_is_forked_from_them(openkoi: Shell) -> None:
    judged = openkoi.with_plugin(JUDGE, evaluators="acme:Judge")
    (openkoi.folder / "test_it.py").unlink()
    first = result(judged, "-m", model(openkoi), "Write it into a.txt, so that the tests pass", "--iterate", "2")
    assert "one\n" == (openkoi.folder / "a.txt").read_text()

    forked = result(judged, "fork", str(first["task_id"])[:8], "--at", "2")

    assert (first["accepted"], len(forked["iterations"])) == (False, 2)  # type: ignore[arg-type]  # it is a list


def test_what_cannot_be_forked_is_explained(openkoi: Shell) -> None:
    result(openkoi, "-m", model(openkoi), "Write it into a.txt, so that the tests pass")
    before = (openkoi.folder / "a.txt").read_text()
    for arguments, status, reply in CANNOT:
        process = openkoi("fork", *arguments)

        assert (status, True) == (process.returncode, reply in process.stderr), process.stderr
    assert before == (openkoi.folder / "a.txt").read_text()


def test_a_task_without_a_checkpoint_cannot_be_forked(openkoi: Shell) -> None:
    """Its files are as it left them, and not as they were."""
    with (openkoi.home / "config.toml").open("a") as file:
        file.write("[checkpoints.store]\nmax_files = 1\n[safety]\nrequire_checkpoint = false\n")
    (openkoi.folder / "other.txt").write_text("other\n")
    result(openkoi, "-m", model(openkoi), "Write it into a.txt, so that the tests pass")
    process = openkoi("fork", "--at", "2")

    assert (1, True) == (process.returncode, "ran without a checkpoint" in process.stderr), process.stderr


def test_a_dry_run_shows_what_it_would_do_and_does_nothing_here(openkoi: Shell) -> None:
    (openkoi.folder / "link").symlink_to("nowhere")
    before = sorted(path.name for path in openkoi.folder.iterdir())
    result = openkoi("--dry-run", "-m", model(openkoi), "Write it into a.txt, so that the tests pass")

    assert 0 == result.returncode, result.stderr
    assert result.stdout.startswith("Two.\ndiff --git a/a.txt b/a.txt\n")
    assert "+two" in result.stdout
    assert "[dry run] no files were changed" in result.stderr
    assert before == sorted(path.name for path in openkoi.folder.iterdir())
    undone = openkoi("undo")
    assert (1, True) == (undone.returncode, "No task changed files" in undone.stderr)
    forked = openkoi("fork", "--at", "1")
    assert (1, True) == (forked.returncode, "was a dry run: its copy of the folder was deleted" in forked.stderr)


def test_a_fork_does_not_cost_what_was_changed_since(openkoi: Shell) -> None:
    result(openkoi, "-m", model(openkoi), "Write it into a.txt, so that the tests pass")
    (openkoi.folder / "a.txt").write_text("mine")
    forked = openkoi("fork", "--at", "1")

    assert (1, True) == (forked.returncode, "changed after it ended: a.txt." in forked.stderr)
    assert "mine" == (openkoi.folder / "a.txt").read_text()


def test_a_fork_leaves_files_alone_that_are_not_of_its_task(openkoi: Shell) -> None:
    result(openkoi, "-m", model(openkoi), "Write it into a.txt, so that the tests pass")
    (openkoi.folder / "mine.txt").write_text("mine")
    forked = openkoi("fork", "--at", "1")

    assert (0, "mine") == (forked.returncode, (openkoi.folder / "mine.txt").read_text()), forked.stderr
