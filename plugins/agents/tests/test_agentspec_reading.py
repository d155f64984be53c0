"""What a good file becomes: an agent, and where its task stops."""

from pathlib import Path

import pytest

from openkoi_agents.spec import Bounds, Spec, read_agent
from openkoi_hookspecs import Agent, BudgetExhausted, Limits, Strategy, TextIncludes, ToolReturned

WHOLE = """\
identity: {name: mender, version: 0.10, description: Mends what is broken.}
instructions: |
  Mend it.
model_policy:
  model: acme/large
  budget: {usd_per_run: 0.5, tokens_per_run: 1_000, seconds_per_run: 60}
tools:
  allow: ["read_*", run_command]
  approvals: {"run_*": always}
  protected_paths: ["infra/**"]
iteration:
  max_cycles: 30
  context_window: 128000
  summary_strategy: rolling-window
  termination_conditions:
    - {kind: tool-result, tool: run_command, match: {exit_code: 0, contains: passed}}
    - {kind: text-includes, text: <task-complete>}
    - kind: budget-exhausted
evaluation: {max_iterations: 2, quality_threshold: 0.9}
"""


def read(folder: Path, text: str, name: str = "agent.yaml") -> Spec:
    file = folder / name
    file.write_text(text)
    return read_agent(file)


@pytest.mark.row("LOOP-01", "LOOP-03", "LOOP-04", "LOOP-05", "LOOP-06", "LOOP-08", "LOOP-09", "LOOP-10")
def test_every_key_has_its_place(tmp_path: Path) -> None:
    spec = read(tmp_path, WHOLE)

    assert spec.agent == Agent(
        name="mender",
        version="0.10",
        instructions="Mend it.",
        model="acme/large",
        tools=("read_*", "run_command"),
        approvals=("run_*",),
        protected=("infra/**",),
        conditions=(
            ToolReturned(tool="run_command", exit_code=0, contains="passed"),
            TextIncludes("<task-complete>"),
            BudgetExhausted(),
        ),
        context=128_000,
        compactor="rolling-window",
        cycles=30,
        usd=0.5,
    )
    assert Bounds(iterations=2, cycles=30, tokens=1_000, usd=0.5, seconds=60.0, quality_threshold=0.9) == spec.bounds
    assert ("Mends what is broken.", ()) == (spec.description, spec.notes)


def test_a_name_is_enough_and_the_work_is_then_executed_once(tmp_path: Path) -> None:
    spec = read(tmp_path, "identity: {name: mender}")

    assert Agent(name="mender") == spec.agent
    assert Limits(iterations=0, usd=9.0) == spec.bounds.apply_to(Limits(iterations=5, usd=9.0))


def test_keys_may_be_spelled_in_camel_case(tmp_path: Path) -> None:
    camel = WHOLE
    for key in ("model_policy", "usd_per_run", "tokens_per_run", "seconds_per_run", "protected_paths", "max_cycles"):
        camel = camel.replace(key, spelled(key))
    for key in ("context_window", "summary_strategy", "termination_conditions", "exit_code", "max_iterations"):
        camel = camel.replace(key, spelled(key))

    assert "maxCycles" in camel
    assert read(tmp_path, WHOLE) == read(tmp_path, camel.replace("quality_threshold", "qualityThreshold"))


def spelled(key: str) -> str:
    first, *others = key.split("_")
    return first + "".join(word.capitalize() for word in others)


@pytest.mark.parametrize(
    ("approvals", "patterns"),
    [
        ("always", ("*",)),
        ("never", ()),
        ("{writeFile: always, run_*: always}", ("writeFile", "run_*")),
        ("{}", ()),
        ("{a: always, b: never}", ("a",)),
    ],
)
@pytest.mark.row("LOOP-18")
def test_approvals_are_for_all_tools_for_none_or_for_those_that_are_named(
    approvals: str, patterns: tuple[str, ...], tmp_path: Path
) -> None:
    spec = read(tmp_path, f"identity: {{name: mender}}\ntools: {{approvals: {approvals}}}")

    assert patterns == spec.agent.approvals


def test_text_needs_no_quotes_whatever_yaml_takes_it_for(tmp_path: Path) -> None:
    spec = read(tmp_path, "identity: {name: 007, version: 2026-11-21, description: yes}")

    assert ("007", "2026-11-21", "yes") == (spec.agent.name, spec.agent.version, spec.description)


def test_instructions_may_lie_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "words.md").write_text("Be kind.\n")

    assert "Be kind." == read(tmp_path, "identity: {name: a}\ninstructions_file: words.md").agent.instructions


@pytest.mark.row("LOOP-23")
@pytest.mark.parametrize("strategy", [*Strategy])
def test_a_team_is_led_by_its_worker_and_its_members_may_go_round_themselves(
    strategy: Strategy, tmp_path: Path
) -> None:
    (tmp_path / "heron.yaml").write_text("identity: {name: heron}\nmodel_policy: {budget: {usd_per_run: 0.1}}")
    carp = "{identity: {name: carp}, iteration: {max_cycles: 3, termination_conditions: [{kind: budget-exhausted}]}}"

    spec = read(
        tmp_path, f"identity: {{name: pond}}\ncomposite: {{strategy: {strategy}, agents: [{carp}, heron.yaml]}}"
    )

    members = (Agent(name="carp", cycles=3, conditions=(BudgetExhausted(),)), Agent(name="heron", usd=0.1))
    assert spec.agent.team is not None
    assert ("team", strategy, members) == (spec.agent.worker, spec.agent.team.strategy, spec.agent.team.members)


def test_teams_may_be_members_and_files_name_others_from_their_own_folder(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "carp.yaml").write_text("identity: {name: carp}")
    (tmp_path / "below" / "inner.yaml").write_text(
        "identity: {name: inner}\ncomposite: {strategy: parallel, agents: [carp.yaml]}"
    )

    spec = read(tmp_path, "identity: {name: a}\ncomposite: {strategy: sequential, agents: [below/inner.yaml]}")

    assert spec.agent.team is not None
    assert spec.agent.team.members[0].team is not None
    assert "carp" == spec.agent.team.members[0].team.members[0].name


def test_the_same_file_may_be_read_twice_but_not_within_itself(tmp_path: Path) -> None:
    (tmp_path / "carp.yaml").write_text("identity: {name: carp}")
    inner = "{identity: {name: %s}, composite: {strategy: parallel, agents: [carp.yaml]}}"

    spec = read(
        tmp_path,
        f"identity: {{name: a}}\ncomposite: {{strategy: parallel, agents: [{inner % 'b'}, {inner % 'c'}]}}",
    )

    assert spec.agent.team is not None
    assert ["b", "c"] == [member.name for member in spec.agent.team.members]


def test_what_a_team_makes_no_use_of_is_noted(tmp_path: Path) -> None:
    (tmp_path / "carp.yaml").write_text("identity: {name: carp}\nevaluation: {max_iterations: 2}")

    spec = read(tmp_path, "identity: {name: a}\ncomposite: {strategy: parallel, agents: [carp.yaml]}")

    note = f"{tmp_path / 'carp.yaml'}, line 2: evaluation has no effect here: a team is judged as a whole."
    assert (note,) == spec.notes
