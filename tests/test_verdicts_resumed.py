"""Test that resume accepts the work on disk, judged by the model on the command line."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from cli_process import Shell, shell
from verdict_runs import ANSWER_TURN, DONE, EDIT, TASK, configure, judge_of, result, verdict, write_script_outside

from openkoi_hookspecs import Usage
from openkoi_testing.servers import OpenAIServer, Say

GARBAGE = "  - says: It is fine.\n    repeat: true\n"
SLOW = EDIT + '  - says: "Done."\n    delay: 60\n'
LATE = "  - says: too late\n    delay: 60\n    repeat: true\n"
REFUSING = "  - fails: {refused: not to be asked again}\n    repeat: true\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with one file, and a home without memory of anything."""
    openkoi = shell(tmp_path)
    (openkoi.folder / "a.py").write_text("x = 0\n")
    configure(openkoi, "[evaluators.testrunner]\nenabled = false\n[evaluators.lint]\nenabled = false\n")
    return openkoi


def end_unjudged(openkoi: Shell) -> str:
    """Let a task end whose judge cannot be read; the next verdict would accept it. Return the task's id."""
    models = (
        "--executor",
        write_script_outside(openkoi, EDIT + DONE, "executor.yaml"),
        "--evaluator",
        write_script_outside(openkoi, GARBAGE, "judge.yaml"),
    )
    first = openkoi(TASK, *models, "--format", "json")
    assert (3, "x = 3\n") == (first.returncode, (openkoi.folder / "a.py").read_text()), first.stderr
    write_script_outside(openkoi, REFUSING, "executor.yaml")
    write_script_outside(openkoi, judge_of(0.95), "judge.yaml")
    return str(result(first)["task_id"])[:8]


def run_and_kill(openkoi: Shell, *models: str, until: str) -> None:
    """Begin the task, and kill it when its log contains this."""
    kill_at(openkoi, TASK, *models, until=until)


def resume_and_kill(openkoi: Shell, *models: str, until: str) -> None:
    """Resume the task, and kill it when its log contains this."""
    kill_at(openkoi, "resume", *models, until=until)


def kill_at(openkoi: Shell, *line: str, until: str) -> None:
    child = openkoi.started(*line)
    deadline = time.monotonic() + 60
    while not any(until in log.read_text() for log in openkoi.home.rglob("*.jsonl")):
        assert time.monotonic() < deadline, f"the log never contained {until}"
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=20)


def count_answers(openkoi: Shell) -> int:
    """Return how many answers of models the log contains."""
    return sum(report.read_text().count('"type":"model.response"') for report in openkoi.home.rglob("*.jsonl"))


# What is judged is what is on the disk.


@pytest.mark.parametrize("name", ["a.py", "mine.py"], ids=["a file of the task", "another file"])
def test_files_that_changed_since_are_not_accepted_by_the_old_diff(openkoi: Shell, name: str) -> None:
    task = end_unjudged(openkoi)
    before = count_answers(openkoi)
    (openkoi.folder / name).write_text("x = 7\n")
    again = openkoi("resume", "--format", "json")

    assert (2, before) == (again.returncode, count_answers(openkoi)), again.stderr
    assert f"Task {task} cannot be judged, because files changed after it stopped: {name}." in again.stderr
    assert f"`openkoi resume {task}`" in again.stderr
    assert "x = 7\n" == (openkoi.folder / name).read_text()


def test_work_that_was_undone_is_judged_only_after_it_was_redone(openkoi: Shell) -> None:
    task = end_unjudged(openkoi)
    undone = openkoi("undo")
    before = count_answers(openkoi)
    refused = openkoi("resume")

    assert (0, 2, before) == (undone.returncode, refused.returncode, count_answers(openkoi)), refused.stderr
    assert f"its changes were undone (a.py). Run `openkoi redo {task}`, then `openkoi resume {task}`." in refused.stderr
    assert "x = 0\n" == (openkoi.folder / "a.py").read_text()

    redone, again = openkoi("redo", task), openkoi("resume", task, "--format", "json")

    assert (0, 0, 0.95) == (redone.returncode, again.returncode, result(again)["score"]), again.stderr
    assert "x = 3\n" == (openkoi.folder / "a.py").read_text()


def test_a_change_that_was_taken_out_again_does_not_stand_in_the_way(openkoi: Shell) -> None:
    end_unjudged(openkoi)
    (openkoi.folder / "a.py").write_text("x = 7\n")
    refused = openkoi("resume")
    (openkoi.folder / "a.py").write_text("x = 3\n")
    again = openkoi("resume", "--format", "json")

    assert (2, 0, 0.95) == (refused.returncode, again.returncode, result(again)["score"]), again.stderr


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
@pytest.mark.parametrize("edited", [True, False], ids=["edited", "untouched"])
def test_a_task_that_was_killed_while_it_was_judged_is_not_judged_by_the_old_diff(openkoi: Shell, edited: bool) -> None:
    models = (
        "--executor",
        write_script_outside(openkoi, EDIT + DONE, "executor.yaml"),
        "--evaluator",
        write_script_outside(openkoi, LATE, "judge.yaml"),
    )
    run_and_kill(openkoi, *models, until='"role":"evaluator"')
    write_script_outside(openkoi, judge_of(0.95), "judge.yaml")
    if edited:
        (openkoi.folder / "a.py").write_text("x = 7\n")
    again = openkoi("resume", "--format", "json")

    assert (2 if edited else 0) == again.returncode, again.stderr
    assert edited is ("files changed after it stopped: a.py" in again.stderr)


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
def test_a_judge_that_is_killed_on_resume_is_resumed_over_the_files_that_it_judges(openkoi: Shell) -> None:
    """An earlier iteration was restored at the end; the first resume brings the last one's files back."""
    executor = EDIT.replace("x = 3", "x = 2") + "  - when: {after: 1}\n    says: One.\n"
    executor += EDIT.replace("after: 0", "after: 2") + ANSWER_TURN.format("Two.")
    low = judge_of(0.6, "+x = 2")
    models = ("--executor", write_script_outside(openkoi, executor, "executor.yaml"))
    first = openkoi(TASK, *models, "--evaluator", write_script_outside(openkoi, low + GARBAGE, "judge.yaml"))
    assert (3, "x = 2\n") == (first.returncode, (openkoi.folder / "a.py").read_text()), first.stderr

    write_script_outside(openkoi, low + LATE, "judge.yaml")
    asked = openkoi.started("resume")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and "x = 3\n" != (openkoi.folder / "a.py").read_text():
        time.sleep(0.05)
    asked.send_signal(signal.SIGKILL)
    asked.communicate(timeout=20)
    write_script_outside(openkoi, low + judge_of(0.9), "judge.yaml")
    again = openkoi("resume", "--format", "json")

    assert (0, "Two.", 0.9) == (again.returncode, result(again)["output"], result(again)["score"]), again.stderr
    assert "x = 3\n" == (openkoi.folder / "a.py").read_text()


# Who judges.


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
def test_a_killed_task_is_judged_by_whom_its_command_line_named(openkoi: Shell) -> None:
    with OpenAIServer(Say(verdict(0.9), usage=Usage(input=9, output=9))) as server:
        there = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-test")
        run_and_kill(
            there,
            "-m",
            write_script_outside(openkoi, SLOW, "executor.yaml"),
            "--evaluator",
            "openai/gpt-fake",
            until='"type":"tool_result"',
        )
        write_script_outside(openkoi, EDIT + DONE, "executor.yaml")
        before = len(server.asked)
        again = there("resume", "--format", "json")

        assert (0, 0.9) == (again.returncode, result(again)["score"]), again.stderr
        assert (0, True) == (before, len(server.asked) > 0)


def test_resume_judges_by_the_evaluator_that_it_names_itself(openkoi: Shell) -> None:
    end_unjudged(openkoi)
    write_script_outside(openkoi, REFUSING, "judge.yaml")
    again = openkoi(
        "resume", "--evaluator", write_script_outside(openkoi, judge_of(0.85), "other.yaml"), "--format", "json"
    )

    assert (0, 0.85) == (again.returncode, result(again)["score"]), again.stderr


def test_a_model_for_every_role_keeps_the_configured_judge_out_on_resume_too(openkoi: Shell) -> None:
    other = write_script_outside(openkoi, REFUSING, "other.yaml")
    off = "[evaluators.testrunner]\nenabled = false\n[evaluators.lint]\nenabled = false\n"
    configure(openkoi, f'{off}[models]\nevaluator = "{other}"\n')
    first = openkoi(TASK, "-m", write_script_outside(openkoi, EDIT + DONE, "executor.yaml"))
    write_script_outside(openkoi, judge_of(0.95), "executor.yaml")
    again = openkoi("resume", "--format", "json")

    assert (3, 0, 0.95) == (first.returncode, again.returncode, result(again)["score"]), again.stderr


@pytest.mark.sampled(2)
@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
@pytest.mark.parametrize("option", ["--evaluator", "-m"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_model_that_only_a_killed_resume_named_is_used_again(openkoi: Shell, option: str, times: int) -> None:
    task = end_unjudged(openkoi)
    write_script_outside(openkoi, REFUSING, "judge.yaml")
    other = write_script_outside(openkoi, LATE, "other.yaml")
    resume_and_kill(openkoi, option, other, until='"type":"run.continued"')
    for _ in range(times - 1):
        resume_and_kill(openkoi, until='"type":"run.continued"')
    write_script_outside(openkoi, judge_of(0.85), "other.yaml")
    again = openkoi("resume", task, "--format", "json")

    assert (0, 0.85) == (again.returncode, result(again)["score"]), again.stderr


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
def test_a_fork_that_is_resumed_with_another_judge_keeps_it(openkoi: Shell) -> None:
    models = ("--executor", write_script_outside(openkoi, EDIT + DONE, "executor.yaml"))
    first = openkoi(TASK, *models, "--evaluator", write_script_outside(openkoi, judge_of(0.5), "judge.yaml"), "-i", "1")
    assert 3 == first.returncode, first.stderr
    garbage = write_script_outside(openkoi, GARBAGE, "garbage.yaml")
    forked = openkoi("fork", "--set", f"models.evaluator={garbage}", "--format", "json")
    assert None is result(forked)["score"], forked.stderr
    other = write_script_outside(openkoi, LATE, "other.yaml")
    resume_and_kill(openkoi, "--evaluator", other, until=other)
    write_script_outside(openkoi, judge_of(0.85), "other.yaml")
    again = openkoi("resume", "--format", "json")

    assert (0, 0.85) == (again.returncode, result(again)["score"]), again.stderr


@pytest.mark.parametrize(("set_to", "score"), [("", 0.5), ("other", 0.6)], ids=["remembered", "set by fork"])
def test_a_fork_is_judged_by_whom_the_command_line_named(openkoi: Shell, set_to: str, score: float) -> None:
    models = (
        "--executor",
        write_script_outside(openkoi, EDIT + DONE, "executor.yaml"),
        "--evaluator",
        write_script_outside(openkoi, judge_of(0.5), "judge.yaml"),
    )
    first = openkoi(TASK, *models, "-i", "1", "--format", "json")
    other = write_script_outside(openkoi, judge_of(0.6), "other.yaml")
    named = ["--set", f"models.evaluator={other}"] if set_to else []
    forked = openkoi("fork", str(result(first)["task_id"])[:8], *named, "--format", "json")

    assert (0.5, score) == (result(first)["score"], result(forked)["score"]), forked.stderr


# Which task is resumed.


def test_without_an_id_a_task_of_this_folder_is_resumed_and_one_elsewhere_is_named(openkoi: Shell) -> None:
    task = end_unjudged(openkoi)
    other = openkoi.folder.parent / "other"
    other.mkdir()
    there = Shell(other, openkoi.home)
    refused = there("resume")

    assert 1 == refused.returncode
    assert "No interrupted task to resume in this folder." in refused.stderr
    assert f"Task {task} was interrupted in {openkoi.folder}: run `openkoi resume {task}` there." in refused.stderr

    (other / "a.py").write_text("x = 0\n")
    later = end_unjudged(there)
    here = openkoi("resume", "--format", "json")

    assert (0, task) == (here.returncode, str(json.loads(here.stdout)["task_id"])[:8]), here.stderr
    assert later != task
