"""``openkoi run AGENT.yaml TASK...``: when it is meant, what outranks what, and how it ends."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

from openkoi_cli.group import put_command_first

COMMANDS = ["run", "status"]
MENDER = """\
identity: {name: mender, version: 1.2.0}
instructions: You mend.
model_policy: {budget: {usd_per_run: 0.5}}
iteration:
  max_cycles: 2
  termination_conditions: [{kind: text-includes, text: OVER}]
"""
TURNS = '  - when: {contains: ["You mend."]}\n    says: "Mended. OVER"\n  - says: "Nobody told me who I am."\n'


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    (openkoi.folder / "mender.yaml").write_text(MENDER)
    return openkoi


@pytest.mark.row("C57")
@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("run a.yaml fix it", "agent a.yaml fix it"),
        ("run a.yml", "agent a.yml"),
        ("-m x run --budget 1 A.YAML fix", "agent -m x --budget 1 A.YAML fix"),
        ("run the tests", "run run the tests"),
        ("-i 2 run the tests", "run -i 2 run the tests"),
        ("run status", "run run status"),
        ("run --help", "run --help"),
        ("run", "run"),
        ("run -- a.yaml fix", "run -- a.yaml fix"),
        ("-- run a.yaml", "run -- run a.yaml"),
        ("a.yaml fix it", "run a.yaml fix it"),
        ("agent a.yaml", "run agent a.yaml"),
        ("status", "status"),
    ],
)
def test_run_is_a_command_only_before_an_agent_s_file(line: str, meant: str) -> None:
    assert meant.split() == put_command_first(line.split(), COMMANDS)


@pytest.mark.row("C57")
def test_a_quoted_task_may_name_a_file_and_an_agent_may_lie_under_any_name(tmp_path: Path) -> None:
    file = tmp_path / "my agent"
    file.write_text(MENDER)

    assert ["run", "Explain a.yaml"] == put_command_first(["run", "Explain a.yaml"], COMMANDS)
    assert ["agent", str(file), "fix"] == put_command_first(["run", str(file), "fix"], COMMANDS)


@pytest.mark.row("C61", "LOOP-11")
def test_a_declared_condition_ends_it_well(openkoi: Shell) -> None:
    process = openkoi("run", "mender.yaml", "-m", write_script(openkoi.folder, TURNS), "Fix", "it", "--format", "json")
    result = json.loads(process.stdout)

    assert (0, True, "Mended. OVER") == (process.returncode, result["ok"], result["output"])
    assert ({"name": "mender", "version": "1.2.0"}, "text-includes") == (result["agent"], result["terminated_by"])


@pytest.mark.row("C61", "LOOP-12")
def test_cycles_that_are_used_up_are_no_failure_but_another_status(openkoi: Shell) -> None:
    turns = '  - says: "Not yet."\n    calls: [{tool: list_files, arguments: {}}]\n    repeat: true\n'

    process = openkoi("run", "mender.yaml", "-m", write_script(openkoi.folder, turns), "Fix it", "--format", "json")
    result = json.loads(process.stdout)

    assert (3, True, "maxCycles") == (process.returncode, result["ok"], result["terminated_by"])


@pytest.mark.row("C61")
@pytest.mark.campaign
def test_dollars_that_are_used_up_end_it_well_where_that_was_declared(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, TURNS)
    line = ("run", "mender.yaml", "--budget", "0.0000001", "-m", model, "--format", "json", "Fix it")
    undeclared = openkoi(*line)
    (openkoi.folder / "mender.yaml").write_text(MENDER.replace("OVER}", "OVER}, {kind: budget-exhausted}"))

    declared = openkoi(*line)

    assert [4, 0] == [undeclared.returncode, declared.returncode]
    assert ["budget-exhausted"] * 2 == [json.loads(result.stdout)["terminated_by"] for result in (undeclared, declared)]


@pytest.mark.campaign
def test_flags_and_variables_outrank_the_file_and_the_file_the_settings(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, TURNS)
    (openkoi.folder / "own.yaml").write_text(MENDER.replace("{budget:", f"{{model: {model}, budget:"))
    (openkoi.folder / "mender.yaml").write_text(MENDER.replace("{budget:", "{model: scripted/nowhere.yaml, budget:"))
    lost = openkoi("run", "mender.yaml", "Fix it")

    assert "Mended. OVER\n" == openkoi("run", "own.yaml", "Fix it").stdout
    assert "Mended. OVER\n" == openkoi("run", "mender.yaml", "-m", model, "Fix it").stdout
    assert "Mended. OVER\n" == openkoi.with_environment(OPENKOI_EXECUTOR=model)("run", "mender.yaml", "Fix it").stdout
    assert "nowhere.yaml" in openkoi.with_environment(OPENKOI_MODEL=model)("run", "mender.yaml", "Fix it").stderr
    assert "nowhere.yaml" in lost.stderr
    assert lost.returncode != 0


def test_without_a_task_or_a_file_it_is_said_what_is_missing(openkoi: Shell) -> None:
    nothing, nowhere = openkoi("run", "mender.yaml"), openkoi("run", "nowhere.yaml", "Fix it")

    assert (2, 2) == (nothing.returncode, nowhere.returncode)
    assert 'openkoi run mender.yaml "Fix the failing tests"' in nothing.stderr
    assert "Usage: openkoi run [OPTIONS] AGENT.yaml TASK..." in nothing.stderr
    assert "Error: File not found: nowhere.yaml.\n" in nowhere.stderr


def test_what_is_wrong_with_the_file_is_all_said_and_the_result_is_an_object_still(openkoi: Shell) -> None:
    (openkoi.folder / "mender.yaml").write_text("identity: {nam: a}\niteration: {}\ncomposite: {}\n")

    result = openkoi("run", "mender.yaml", "Fix it", "--format", "json")

    assert 2 == result.returncode
    assert "mender.yaml, line 3, column 1: iteration (line 2) and composite (line 3)" in result.stderr
    assert json.loads(result.stdout)["stop_reason"].replace("\n", "\n    ") in result.stderr


def test_what_is_not_made_use_of_is_said(openkoi: Shell) -> None:
    member = "{identity: {name: a}, instructions: You mend., evaluation: {max_iterations: 1}}"
    team = f"identity: {{name: pond}}\ncomposite: {{strategy: parallel, agents: [{member}]}}\n"
    (openkoi.folder / "team.yaml").write_text(team)

    result = openkoi("run", "team.yaml", "-m", write_script(openkoi.folder, TURNS), "Fix it")

    assert "## a\n\nMended. OVER\n" == result.stdout
    assert "team.yaml, line 2: evaluation has no effect here: a team is judged as a whole." in result.stderr


def test_a_member_of_a_team_goes_round_no_more_often_than_a_person_allows(openkoi: Shell) -> None:
    member = "{identity: {name: a}, iteration: {max_cycles: 9}}"
    team = f"identity: {{name: pond}}\ncomposite: {{strategy: sequential, agents: [{member}]}}\n"
    (openkoi.folder / "team.yaml").write_text(team)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("[iteration]\nmax_cycles = 3\n")

    result = openkoi("run", "team.yaml", "-m", write_script(openkoi.folder, TURNS), "Fix", "it", "--format", "jsonl")
    agent = json.loads(result.stdout.splitlines()[0])["data"]["task"]["agent"]

    assert 3 == agent["team"]["members"][0]["cycles"]


def test_a_file_may_lower_what_a_task_may_cost_and_not_raise_it(openkoi: Shell) -> None:
    rich = MENDER.replace("usd_per_run: 0.5", "usd_per_run: 99999").replace("max_cycles: 2", "max_cycles: 900")
    (openkoi.folder / "mender.yaml").write_text(rich)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("[iteration]\nmax_cycles = 3\n")

    result = openkoi("run", "mender.yaml", "-m", write_script(openkoi.folder, TURNS), "Fix", "it", "--format", "jsonl")
    limits = json.loads(result.stdout.splitlines()[0])["data"]["task"]["limits"]

    assert (2.0, 3) == (limits.get("usd", 2.0), limits["cycles"])
    assert "budget of $99999.00, but the limit is $2.00. Raise the limit with --budget" in result.stderr


@pytest.mark.row("C57")
def test_piped_input_is_the_task_of_an_agent_as_it_is_without_one(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, TURNS)
    piped = openkoi("run", "mender.yaml", "-m", model, stdin="Fix the parser")
    empty = openkoi("run", "mender.yaml", "-m", model)

    assert "Mended. OVER\n" == piped.stdout, piped.stderr
    assert 2 == empty.returncode
    assert 'No task given. For example: openkoi run mender.yaml "Fix the failing tests"' in empty.stderr
