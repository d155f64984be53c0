"""The plugins of RUN_PLUGINS.md and PLUGINS.md, installed, in runs of the command line over a scripted model."""

import json
import os
import sys
from base64 import b64decode
from pathlib import Path

import duckdb
import pytest
from documented_plugins import DONE, calling, events_of, example_of, results_of, shell_with, turn

from openkoi_hookspecs import File, Image, events

PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
SHOUT = "import sys; print(sys.stdin.read().upper(), end='')"
TO_DO = "TO" + "DO"  # no mark of our own


def test_a_program_of_this_machine_is_a_model(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, "Provider", providers={"program": {"argv": [sys.executable, "-c", SHOUT]}})
    result = openkoi.with_environment(OPENKOI_MODEL="")("Say that carps are fish")

    assert 0 == result.returncode, result.stderr
    assert "SAY THAT CARPS ARE FISH" in result.stdout


def test_a_provider_s_failure_names_the_program(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, "Provider", providers={"program": {"argv": ["no-such-program"]}})
    result = openkoi.with_environment(OPENKOI_MODEL="")("Say hello")

    assert "no-such-program cannot be started: No such file or directory." in result.stderr


def test_a_provider_is_wrapped(tmp_path: Path) -> None:
    turns = "  - when: {contains: Say please.}\n    says: Please sit down.\n  - says: Sit down.\n"
    openkoi = shell_with(
        tmp_path, "A provider that wraps another one", turns=turns, providers={"polite": {"inner": "scripted"}}
    )
    result = openkoi("-m", f"polite/{tmp_path / 'script.yaml'}", "What now?")

    assert "Please sit down." == result.stdout.strip(), result.stderr


def test_an_embedder_makes_the_vectors_of_memory(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, "Embedder", turns="  - {says: Herons sleep in trees by the water., repeat: true}\n")
    result = openkoi("Say where herons sleep")
    rebuilt = openkoi("memory", "rebuild")  # a run leaves to the next one what takes more than two seconds

    assert (0, 0) == (result.returncode, rebuilt.returncode), result.stderr + rebuilt.stderr
    with duckdb.connect(str(openkoi.home / "data" / "openkoi.db"), read_only=True) as file:
        assert [(256,)] == file.execute("SELECT DISTINCT len(embedding) FROM memory_vec").fetchall()


def test_a_check_counts_what_is_new_since_its_baseline(tmp_path: Path) -> None:
    turns = turn(calling("write_file", path="new.py", content="# XXX: later\n"), when="after: 0") + DONE
    openkoi = shell_with(
        tmp_path, "An evaluator of checks, with a baseline", turns=turns, iteration={"max_iterations": 1}
    )
    (openkoi.folder / "old.py").write_text(f"# {TO_DO}: measure it\n")
    openkoi("Add a file")

    (found,) = events_of(openkoi, events.EvaluationFinished)
    assert {f"no new {TO_DO}"} == found.evaluation.failing
    assert [("XXX: later", "new.py:1")] == [(one.title, one.where) for one in found.evaluation.findings]


@pytest.mark.parametrize(("reply", "score", "accepted"), [("85", 0.85, True), ("It is fine.", None, False)])
def test_a_judge_s_score_decides(tmp_path: Path, reply: str, score: float | None, accepted: bool) -> None:
    turns = (
        f'  - when: {{contains: How short and complete}}\n    says: "{reply}"\n    repeat: true\n'
        + turn(calling("write_file", path="haiku.txt", content="An old pond."), when="after: 0")
        + DONE
    )
    openkoi = shell_with(tmp_path, "A judge", turns=turns, iteration={"max_iterations": 1})
    data = json.loads(openkoi("Write a haiku into haiku.txt", "--format", "json").stdout)

    assert (score, accepted) == (data["score"], data["accepted"])


def test_the_first_plugin_rolls_a_die_within_its_setting(tmp_path: Path) -> None:
    turns = turn(calling("roll_die", sides=20), calling("roll_die", sides=21), when="after: 0") + DONE
    openkoi = shell_with(tmp_path, "A first plugin", turns=turns)
    openkoi("What falls?")

    rolled, refused = results_of(openkoi)
    assert rolled.startswith("rolled ")
    assert "Give sides as a whole number from 2 to 20." in refused


def test_a_tool_provider_keeps_its_file_for_the_next_process(tmp_path: Path) -> None:
    turns = (
        turn(calling("write_note", text="Carps sleep."), when="contains: Note it, after: 0")
        + turn(calling("read_notes"), when="contains: Read it, after: 0")
        + DONE
    )
    openkoi = shell_with(tmp_path, "Tools", turns=turns)
    openkoi("Note it")
    openkoi("Read it")

    assert ["Noted.", "Carps sleep."] == results_of(openkoi)


def test_a_tool_shows_an_image_and_a_file(tmp_path: Path) -> None:
    turns = turn(calling("show_page"), when="after: 0") + "  - when: {contains: <b>Pond</b>}\n    says: I see it.\n"
    openkoi = shell_with(tmp_path, "Images and files", turns=turns)
    (openkoi.folder / "page.png").write_bytes(PIXEL)
    (openkoi.folder / "page.html").write_text("<b>Pond</b>")
    process = openkoi("How does it look?")

    assert "I see it." == process.stdout.strip(), process.stderr
    (result,) = (one.result for one in events_of(openkoi, events.ToolCallFinished))
    assert [PIXEL, b"<b>Pond</b>"] == [part.data for part in result.parts if isinstance(part, Image | File)]


def test_a_memory_is_asked_by_the_next_run(tmp_path: Path) -> None:
    turns = "  - {says: The invoice parser is in parser.py., repeat: true}\n"
    openkoi = shell_with(tmp_path, "Memory", turns=turns, hooks={"learning": {"enabled": False}})
    openkoi("Where is the invoice parser?")
    result = openkoi("Explain the invoice parser")

    first, second = events_of(openkoi, events.RecallFinished)
    assert 0 == result.returncode, result.stderr
    assert (0, True) == (len(first.recall.hits), len(second.recall.hits) > 0)
    assert (openkoi.home / "data" / "acme-memory.db").exists()


def test_a_sandbox_runs_commands_behind_its_prefix(tmp_path: Path) -> None:
    turns = turn(calling("run_command", command="nice"), when="after: 0") + DONE
    openkoi = shell_with(tmp_path, "Sandbox", turns=turns)
    openkoi("How nice is it?")

    (result,) = results_of(openkoi)
    assert str(min(os.nice(0) + 10, 19)) in result.split()


def test_checkpoints_undo_what_a_task_changed_and_leave_what_others_did(tmp_path: Path) -> None:
    turns = (
        turn(calling("read_file", path="a.txt"), when="after: 0")
        + turn(calling("write_file", path="a.txt", content="by the task"), when="after: 1")
        + DONE
    )
    openkoi = shell_with(tmp_path, "Checkpoints", turns=turns)
    (openkoi.folder / "a.txt").write_text("before")
    openkoi("Write it")
    worked = (openkoi.folder / "a.txt").read_text()
    (openkoi.folder / "mine.txt").write_text("by the user")
    result = openkoi("undo")

    assert "by the task" == worked, result.stderr
    assert ("before", "by the user") == tuple((openkoi.folder / name).read_text() for name in ("a.txt", "mine.txt"))


def test_a_compactor_shortens_a_long_conversation(tmp_path: Path) -> None:
    first = turn(calling("read_file", path="0.txt"), when="after: 0")
    steps = (turn(calling("read_file", path=f"{n}.txt"), when=f"last: line {n - 1} of") for n in range(1, 7))
    openkoi = shell_with(tmp_path, "Compactor", turns=first + "".join(steps) + DONE)
    for number in range(7):
        (openkoi.folder / f"{number}.txt").write_text(f"line {number} of many words\n" * 400)
    (tmp_path / "script.yaml").write_text("context: 16000\noutput: 500\n" + (tmp_path / "script.yaml").read_text())
    result = openkoi("Read all files")

    assert 0 == result.returncode, result.stderr
    assert all(0 < one.after < one.before for one in events_of(openkoi, events.HistoryCompacted))
    assert events_of(openkoi, events.HistoryCompacted)


def test_an_agent_runner_does_each_line_as_a_task(tmp_path: Path) -> None:
    turns = (
        "  - when: {contains: three plus one}\n    says: Four.\n  - when: {contains: one plus one}\n    says: Two.\n"
    )
    openkoi = shell_with(tmp_path, "Agent runner", turns=turns)
    (openkoi.folder / "sums.txt").write_text("What is one plus one?\n\nWhat is three plus one?\n")
    result = openkoi("lines", "sums.txt")

    assert "What is one plus one?: Two.\nWhat is three plus one?: Four.\n" == result.stdout, result.stderr
    started = [one.task for one in events_of(openkoi, events.TaskStarted)]
    assert [False, True, True] == [bool(task.parent) for task in started]


@pytest.mark.parametrize("member", [False, True], ids=["alone", "in a team"])
def test_an_agent_in_yaml_names_an_agent_runner_of_another_distribution(tmp_path: Path, member: bool) -> None:
    turns = (
        "  - when: {contains: three plus one}\n    says: Four.\n  - when: {contains: one plus one}\n    says: Two.\n"
    )
    openkoi = shell_with(tmp_path, "Agent runner", turns=turns)
    (openkoi.folder / "reader.yaml").write_text(example_of("Agent runner").files["reader.yaml"])
    team = "identity: {name: readers}\ncomposite: {strategy: sequential, agents: [reader.yaml]}\n"
    (openkoi.folder / "team.yaml").write_text(team)
    file = "team.yaml" if member else "reader.yaml"
    result = openkoi("run", file, "What is one plus one?\nWhat is three plus one?")

    assert "What is one plus one?: Two.\nWhat is three plus one?: Four.\n" == result.stdout, result.stderr
    agents = [one.task.agent.worker for one in events_of(openkoi, events.TaskStarted) if one.task.agent]
    assert (["team"] if member else []) + ["lines"] == agents


def test_an_agent_runner_that_is_not_installed_is_named_with_those_that_are(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, "Agent runner")
    (openkoi.folder / "reader.yaml").write_text("identity: {name: reader}\nworker: line\n")
    result = openkoi("run", "reader.yaml", "Read it")

    assert 2 == result.returncode
    assert "No worker named 'line'." in result.stderr
    assert "Did you mean 'lines'?" in result.stderr
