"""Test that third-party personas, remote sandboxes and exporters work with the contract alone."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell
from documented_plugins import (
    DONE,
    calling,
    events_of,
    imported_by,
    logged,
    public_libraries,
    results_of,
    shell_with,
    turn,
)

from openkoi_hookspecs import events

if os.name != "posix":
    pytest.skip("processes as POSIX has them", allow_module_level=True)

HERE = Path(__file__).parent
PLUGINS = ("tool_servers", "scripts", "stdio", "web", "scheduler", "fleet", "persona", "remote", "traces")
LINGER = turn(calling("run_command", command="sleep 60"), when="contains: Linger")


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_of_others_knows_the_contract_and_public_libraries_alone(name: str) -> None:
    imported = imported_by((HERE / f"acme_{name}.py").read_text())

    assert imported <= {*sys.stdlib_module_names, "click", *public_libraries()}


# A persona.

ALIVE = "  - when: {contains: Change one sentence of this persona}\n    says: You are a lively koi.\n    repeat: true\n"


def test_a_persona_is_in_every_prompt_but_those_of_sub_tasks_and_changes_when_the_user_agrees(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, "Agent runner", turns=ALIVE + DONE)
    openkoi = openkoi.with_plugin((HERE / "acme_persona.py").read_text(), commands="acme:persona", hooks="acme:Persona")
    (openkoi.folder / "lines.txt").write_text("One thing\n")
    nothing = openkoi("acme", "review").stderr
    openkoi("lines", "lines.txt")
    worked = openkoi("acme", "work", "One", "Two").stdout
    diff = openkoi("acme", "review").stdout
    openkoi("acme", "review", "--approve")
    openkoi("Say three")

    assert "Nothing is proposed." in nothing
    assert "2 done\n" == worked
    assert "+You are a lively koi.\n" in diff
    output = {one.run: sections(one.event) for one in logged(openkoi) if isinstance(one.event, events.PlanReady)}
    texts = [(task.text, output[run].get("persona", "")) for run, task in started(openkoi) if run in output]
    assert ("One thing", "") in texts
    assert ("One", "You are a calm koi. You speak plainly.\n") in texts
    assert ("Say three", "You are a lively koi.\n") in texts


def sections(event: events.PlanReady) -> dict[str, str]:
    return {section.name: section.text for section in event.plan.sections}


def started(openkoi: Shell) -> list[tuple[str, Any]]:
    return [(one.run, one.event.task) for one in logged(openkoi) if isinstance(one.event, events.TaskStarted)]


# Another machine.


@contextmanager
def machine() -> Iterator[int]:
    child = subprocess.Popen([sys.executable, str(HERE / "acme_machine.py")], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        yield int(child.stdout.readline())
    finally:
        child.terminate()
        child.wait(timeout=30)
        child.stdout.close()


def on_machine(tmp_path: Path, port: int, command: str) -> Shell:
    turns = turn(calling("run_command", command=command), when="after: 0") + DONE
    settings = {"use": {"sandbox": "acme"}, "sandboxes": {"acme": {"port": port}}}
    openkoi = shell_with(tmp_path, turns=turns, **settings)
    (openkoi.folder / "a.txt").write_text("carp")
    (openkoi.folder / "old.txt").write_text("old")
    return openkoi.with_plugin((HERE / "acme_remote.py").read_text(), sandboxes="acme:Remote")


def test_a_command_runs_elsewhere_and_its_files_come_back(tmp_path: Path) -> None:
    with machine() as port:
        openkoi = on_machine(tmp_path, port, "echo $MACHINE; tr a-z A-Z < a.txt > b.txt; rm old.txt")
        result = openkoi("Do it there")

    assert 0 == result.returncode, result.stderr
    assert "elsewhere" in results_of(openkoi)[0]
    assert ("CARP", False) == ((openkoi.folder / "b.txt").read_text(), (openkoi.folder / "old.txt").exists())
    (work,) = events_of(openkoi, events.ExecutionFinished)
    assert {"b.txt", "old.txt"} == set(work.work.files)
    assert "acme.sent" in {one["type"] for one in lines_of(openkoi)}
    assert "old.txt" not in openkoi("undo").stderr
    assert "old" == (openkoi.folder / "old.txt").read_text()


def test_a_machine_that_is_away_is_a_failed_result_that_says_so(tmp_path: Path) -> None:
    openkoi = on_machine(tmp_path, 1, "echo hello")
    result = openkoi("Do it there")

    assert 0 == result.returncode, result.stderr
    assert "127.0.0.1:1 cannot be reached, so nothing was run" in results_of(openkoi)[0]


def lines_of(openkoi: Shell) -> list[dict[str, Any]]:
    files = sorted((openkoi.home / "data" / "sessions").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


# Traces.


def spans(openkoi: Shell) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (openkoi.home / "data" / "acme-traces.jsonl").read_text().splitlines()]


def test_spans_of_runs_sub_tasks_failures_and_stopped_runs_are_complete(tmp_path: Path) -> None:
    turns = LINGER + "  - when: {contains: Fail}\n    fails: {refused: not today}\n    repeat: true\n"
    turns += "  - when: {contains: Another thing}\n    says: Done.\n"  # whose prompt recalls the thing before
    turns += turn(calling("read_file", path="missing.txt"), when="contains: One thing, after: 0") + DONE
    openkoi = shell_with(tmp_path, "Agent runner", "A daemon", turns=turns)
    openkoi = openkoi.with_plugin((HERE / "acme_traces.py").read_text(), hooks="acme:Traces")
    (openkoi.folder / "lines.txt").write_text("One thing\nAnother thing\n")
    openkoi("lines", "lines.txt")
    result = openkoi("batch", "--seconds", "12", "Linger", "Fail", "Say it")

    found = spans(openkoi)
    runs = {span["run"]: span for span in found if span["name"] == "invoke_agent"}
    assert set(runs) == {run for run, _ in started(openkoi)}, result.stderr
    assert {"Linger", "Fail"} == {span["text"] for span in runs.values() if span["failed"]}
    assert ["One thing", "Another thing"] == [span["text"] for span in runs.values() if span["parent"]]
    assert all(span["parent"] in runs for span in found if span["name"] != "invoke_agent")
    assert [True] == [span["failed"] for span in found if span["name"] == "execute_tool read_file"]
    assert [True] == [span["failed"] for span in found if span["name"] == "execute_tool run_command"]
    assert sum(span["name"] == "chat" for span in found) == len(events_of(openkoi, events.ModelResponse))
    assert all(span["ns"] >= 0 for span in found)
