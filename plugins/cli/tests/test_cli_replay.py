"""A task is told again from its log: cycle by cycle, also when it was killed, and with what it was spent on."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

from openkoi_hookspecs import Event, Response, StreamEnd, Task, ToolCall, Usage, events
from openkoi_runlog import RunLog

READ = (
    "  - when: {after: 0}\n    calls: [{tool: read_file, arguments: {path: a.txt}}]\n"
    '  - when: {after: 1}\n    says: "It says hello."\n'
)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    (openkoi.folder / "a.txt").write_text("hello\n")
    return openkoi


@pytest.mark.row("LOOP-21")
def test_the_cycles_of_a_task_are_told(openkoi: Shell) -> None:
    openkoi("-m", write_script(openkoi.folder, READ), "-i", "0", "Read a.txt")
    result = openkoi("replay", "--cycles")
    lines = result.stdout.splitlines()

    assert 0 == result.returncode, result.stderr
    assert lines[0].startswith("Read a.txt (")
    assert "iteration 1" == lines[1]
    assert lines[2].startswith("  cycle 1  (no text)  [")
    assert lines[3].startswith("    Reading a.txt -> ")
    assert lines[4].startswith("  cycle 2  It says hello.  [")
    assert "  ended: answered" == lines[5]
    assert lines[-3].endswith(" total (1 model)")


@pytest.mark.row("LOOP-21")
def test_a_task_that_was_killed_is_told_as_far_as_it_came(openkoi: Shell) -> None:
    call = ToolCall("1", "run", {"command": "make"})
    happened: list[Event] = [
        events.TaskStarted(Task("Build it")),
        events.CycleStarted(0, 30),
        events.ModelResponse("acme/large", Response((call,), StreamEnd(Usage(input=9))), 0.5),
        events.ToolCallStarted(call, "Running make"),
    ]
    log = RunLog(openkoi.home / "data" / "sessions", "s-1", str)
    log.append("4f2a", happened)
    log.close()
    result = openkoi("replay", "4f", "--cycles")

    assert [
        "Build it (4f2a)",
        "iteration 1",
        "  cycle 1  (no text)  [9 tokens, $0.50]",
        "    ! Running make -> no result: it may have run",
        "the run has not ended",
        "$0.50 total (1 model)",
        "  By phase: execute $0.50",
        "  By model: acme/large $0.50",
    ] == result.stdout.splitlines()


def test_cycles_are_for_people(openkoi: Shell) -> None:
    result = openkoi("replay", "--cycles", "--format", "json")

    assert (2, True) == (result.returncode, "--format jsonl" in result.stderr)
    assert 2 == openkoi("replay", "nosuch", "--cycles").returncode


@pytest.mark.row("SAFE-04")
def test_what_it_was_spent_on_is_told_to_programs_and_to_who_asks(openkoi: Shell) -> None:
    openkoi("-m", write_script(openkoi.folder, READ), "-i", "0", "Read a.txt")
    result = json.loads(openkoi("replay", "--format", "json").stdout)
    by_phase, by_model = result["costs"]["by_phase"], result["costs"]["by_model"]

    assert ({"execute"}, {"scripted/script.yaml"}) == (set(by_phase), set(by_model))
    assert result["cost_usd"] == by_phase["execute"]["cost_usd"] == by_model["scripted/script.yaml"]["cost_usd"]
    assert result["usage"]["total"] == by_phase["execute"]["tokens"]
    assert "By phase: execute" in openkoi("replay", "--verbose").stderr
    assert "By phase" not in openkoi("replay").stderr
