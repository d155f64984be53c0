"""``openkoi blame`` attributes a task's seconds, prompt text, tokens and decisions to plugins, models and tools."""

from itertools import takewhile
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ACME = """
from openkoi_hookspecs import Check, Deny, Evaluation, Finding, Section, hookimpl

class Strict:
    async def evaluate(self, work, run):
        checks = Check("no pond", passed=False), Check("no fish", passed=False, required=False)
        return Evaluation(checks=checks, findings=(Finding("There is a pond"),))

@hookimpl
def before_plan(task):
    return [Section("acme", "x" * 123)]

@hookimpl
def before_tool(call):
    if call.tool == "run_command":
        return Deny("no commands here")

@hookimpl
def on_event(event):
    return None
"""
TURNS = """
  - when: {after: 0}
    says: I look.
    calls: [{tool: list_files, arguments: {}}, {tool: run_command, arguments: {command: date}}]
    usage: {input: 100, output: 10}
  - says: Done.
    usage: {input: 200, output: 20}
"""
WRITES = """
  - when: {after: 0}
    says: I write it.
    calls:
      - {tool: write_file, arguments: {path: b.txt, content: b}}
      - {tool: run_command, arguments: {command: date}}
  - {says: Done., repeat: true}
"""


@pytest.fixture(name="openkoi")
def make_shell(tmp_path: Path) -> Shell:
    return shell(tmp_path).with_plugin(ACME, hooks="acme", evaluators="acme:Strict")


def test_what_each_plugin_model_and_tool_did_is_shown(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, TURNS)
    result = openkoi("-i", "0", "-m", model, "Look around")

    process = openkoi("blame")

    rows = [line.split() for line in process.stdout.splitlines() if line]
    acme = next(row for row in rows if row[0] == "acme")
    assert "Rejected by acme: no commands here" in result.stderr
    assert int(acme[1]) > 10
    assert acme[3:] == ["123", "1", "denied", "call"]
    executor = next(row for row in rows if row[0] == "executor")
    assert (executor[1], executor[3]) == ("2", "330")
    assert ["list_files", "1"] in [row[:2] for row in rows]
    assert not [row for row in rows if row[0] == "run_command"]


def test_the_hooks_of_a_plugin_are_shown_below_it(openkoi: Shell) -> None:
    openkoi("-i", "0", "-m", write_script(openkoi.folder, TURNS), "Look around")

    lines = openkoi("blame").stdout.partition("\n\n")[0].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("acme "))
    below = list(takewhile(lambda line: line.startswith("  "), lines[start + 1 :]))
    hooks = {row[0]: row[1:] for row in map(str.split, below)}

    assert {"before_plan", "before_tool", "on_event"} == hooks.keys()
    assert ("1", "123") == (hooks["before_plan"][0], hooks["before_plan"][2])
    assert ["2", "0", "1", "denied", "call"] == [hooks["before_tool"][0], *hooks["before_tool"][2:]]
    assert int(lines[start].split()[1]) == sum(int(row[0]) for row in hooks.values())


def test_a_denial_names_its_plugin_where_decisions_are_explained(openkoi: Shell) -> None:
    result = openkoi("-i", "0", "-m", write_script(openkoi.folder, TURNS), "--why", "Look around")
    afterwards = openkoi("status", "--why")

    line = "    denied    acme: no commands here\n"
    assert "Rejected by acme: no commands here" in result.stderr
    assert line in result.stderr
    assert line in afterwards.stdout


def test_failed_checks_and_findings_name_their_evaluator(openkoi: Shell) -> None:
    (openkoi.folder / "a.txt").write_text("a")
    model = write_script(openkoi.folder, WRITES)
    result = openkoi("-i", "1", "--no-judge", "-m", model, "--why", "Write b.txt")

    acme = next(line.split() for line in openkoi("blame").stdout.splitlines() if line.startswith("acme"))

    assert "checks fail (acme" in result.stderr
    assert "no pond (acme)" in result.stderr
    assert acme[4:] == ["1", "denied", "call,", "1", "failed", "check,", "1", "important", "finding"]


def test_a_task_that_does_not_exist_is_refused(openkoi: Shell) -> None:
    refused = openkoi("blame", "abcdef")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert "abcdef" in refused.stderr


def test_without_a_task_it_says_so(openkoi: Shell) -> None:
    refused = openkoi("blame")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "No tasks yet." in refused.stderr
