"""What is wrong with a file is said line by line, all of it at once, and nothing else ever goes wrong."""

import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_agents.spec import Spec, read_agent
from openkoi_hookspecs import ConfigError

WHO = "identity: {name: a}\n"
GOOD = """\
identity: {name: mender, version: 0.1.0}
instructions: "Mend \\u00e9verything."
modelPolicy: {model: acme/large, budget: {usdPerRun: 0.5}}
tools:
  allow: ["read_*", run_command]
  approvals: {"run_*": always}
  protected_paths: ["infra/**"]
iteration:
  max_cycles: 30
  context_window: 128000
  termination_conditions:
    - {kind: tool-result, tool: run_command, match: {exit_code: 0, contains: passed}}
    - {kind: text-includes, text: <task-complete>}
evaluation: {max_iterations: 2, quality_threshold: 0.9}
"""


def mistakes(folder: Path, text: str | bytes) -> list[str]:
    """What is said of a file, without its path."""
    file = folder / "agent.yaml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ConfigError) as raised:
        read_agent(file)
    return str(raised.value).replace(f"{file}", "agent.yaml").splitlines()


@pytest.mark.parametrize(
    ("text", "place", "reply"),
    [
        ("", "1, column 1", "the file must be a table with identity"),
        ("- a", "1, column 1", "the file must be a table"),
        ("tools: {}", "1, column 1", "identity is missing; set it to a table with name and version"),
        ("identity: {}", "1, column 11", "identity.name is missing; set it to a name on one line"),
        ("identity: {name: }", "1, column 18", "identity.name must be a name on one line, not nothing"),
        ('identity: {name: " "}', "1, column 18", "identity.name must be a name"),
        ("identity: mender", "1, column 11", "identity must be a table with name and version, not 'mender'"),
        (WHO + "max_cycles: 3", "2, column 1", "max_cycles is not a valid key here. It belongs under iteration."),
        (WHO + "iterations: {}", "2, column 1", "iterations is not a valid key here. Did you mean iteration?"),
        (WHO + "iteration:\n  maxCycle: 3", "3, column 3", "Did you mean max_cycles?"),
        (WHO + "iteration: {max_cycles: many}", "2, column 25", "must be a whole number above 0, not 'many'"),
        (WHO + "iteration: {max_cycles: true}", "2, column 25", "must be a whole number above 0, not true"),
        (WHO + "iteration: {max_cycles: 0}", "2, column 25", "must be a whole number above 0, not 0"),
        (WHO + "iteration: {max_cycles: 1.5}", "2, column 25", "must be a whole number above 0, not 1.5"),
        (WHO + f"iteration: {{max_cycles: {'9' * 5000}}}", "2, column 25", "must be a whole number above 0"),
        (WHO + "model_policy: {budget: {usd_per_run: -1}}", "2, column 38", "a number of dollars above 0, not -1"),
        (WHO + "model_policy: {budget: {usd_per_run: .inf}}", "2, column 38", "not .inf"),
        (WHO + "model_policy: {budget: {usd_per_run: .nan}}", "2, column 38", "not .nan"),
        (WHO + "model_policy: {budget: {usd_per_run: '1'}}", "2, column 38", "not '1'"),
        (WHO + "tools: {allow: read_file}", "2, column 16", "must be a list of tool names"),
        (
            WHO + "tools: {allow: [1]}",
            "2, column 17",
            "tools.allow[1] is 1, but tools.allow must be a list of tool names",
        ),
        (WHO + "tools: {approvals: sometimes}", "2, column 20", 'must be "always", "never", or a table'),
        (WHO + "tools: {approvals: {a: often}}", "2, column 24", 'tools.approvals.a must be "always", "never"'),
        (
            WHO + "tools: {approvals: {'*': always, a: never}}",
            "2, column 34",
            'tools.approvals.a cannot be "never", because \'*\', which is "always", also matches it',
        ),
        (WHO + "iteration: {summary_strategy: none}", "2, column 31", "must be rolling-window or periodic-summary"),
        (WHO + "evaluation: {quality_threshold: 80}", "2, column 33", "must be a number from 0 to 1, not 80"),
        (
            WHO + "instructions: a\ninstructions_file: b",
            "3, column 1",
            "instructions (line 2) and instructions_file (line 3)",
        ),
        (WHO + "instructions_file: no.md", "2, column 20", "instructions_file cannot be read: File not found"),
        (
            WHO + "instructions_file: ../a.md",
            "2, column 20",
            "must be in the folder of the agent's file, or in a subfolder",
        ),
        (
            WHO + "instructions_file: /etc/hosts",
            "2, column 20",
            "must be in the folder of the agent's file, or in a subfolder",
        ),
        (
            WHO + "composite: {strategy: chaos, agents: [{identity: {name: b}}]}",
            "2, column 23",
            "must be sequential, parallel",
        ),
        (WHO + "composite: {strategy: parallel, agents: []}", "2, column 41", "must be a list of 1 to 32 agents"),
        (WHO + "composite: {strategy: parallel}", "2, column 12", "composite.agents is missing"),
        (
            WHO + "composite: {strategy: debate, agents: [{identity: {name: b}}]}",
            "2, column 39",
            "must list at least 2 agents",
        ),
        (
            WHO + "composite: {strategy: parallel, rounds: 2, agents: [{identity: {name: b}}]}",
            "2, column 33",
            "applies only to debate and iterative teams",
        ),
        (WHO + "composite: {strategy: parallel, agents: [3]}", "2, column 42", "composite.agents[1] must be an agent"),
        (WHO + "composite: {strategy: parallel, agents: [no.yaml]}", "2, column 42", "cannot be read: File not found"),
        (WHO + "composite: {strategy: parallel, agents: [agent.yaml]}", "2, column 42", "agent.yaml -> agent.yaml"),
        (
            WHO
            + "composite:\n  strategy: parallel\n  agents:\n    - {identity: {name: b}}\n    - {identity: {name: b}}",
            "6, column 7",
            "is a second agent named 'b'",
        ),
        (
            WHO + "composite:\n  strategy: parallel\n  agents:\n    - identity: {name: b}\n      tool: {}",
            "6, column 7",
            "composite.agents[1].tool is not a valid key here. Did you mean tools?",
        ),
        (WHO + WHO, "2, column 1", "'identity' occurs twice, first on line 1"),
        (WHO + "iteration: {max_cycles: 1, maxCycles: 2}", "2, column 28", "'maxCycles' occurs twice"),
        (WHO + "iteration:\n\tmax_cycles: 3", "3, column 1", "tab used for indentation: use spaces"),
        (WHO + "tools: &a {}\niteration: *a", "3, column 12", "references (*) are not supported"),
        ("? [a]\n: b\n", "1, column 3", "a key must be text"),
        (WHO + "instructions: !!python/object/apply:os.system [echo]", "2, column 15", "the tag"),
        (WHO + "instructions: !secret x", "2, column 15", "the tag '!secret' is not supported"),
        ("identity: {name: a", "1, column 19", "invalid YAML: expected ',' or '}'"),
        ("a: b\n---\nc: d", "2, column 1", "invalid YAML"),
        ('identity: {name: "\\U00110000"}', "1, column 1", "invalid YAML"),
        (WHO + "instructions: \x07", "2, column 1", "this line contains a character that YAML does not allow"),
        (WHO + "instructions: " + "[" * 100, "2, column 74", "values are nested more than 60 deep"),
    ],
)
def test_every_mistake_is_named_with_its_place(text: str, place: str, reply: str, tmp_path: Path) -> None:
    output = mistakes(tmp_path, text)

    assert any(line.startswith(f"agent.yaml, line {place}") and reply in line for line in output), output


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        ("{kind: text-includes}", "[1].text is missing"),
        ("{kind: text-includes, text: ''}", "[1].text must be text that the message must contain, not ''"),
        ("{kind: tool-result}", "[1].tool is missing"),
        (
            "{kind: tool-result, tool: a, match: {exit_code: '0'}}",
            "[1].match.exit_code must be a whole number, not '0'",
        ),
        (
            "{kind: tool-result, tool: a, match: {exitcode: 0}}",
            "exitcode is not a valid key here. Did you mean exit_code?",
        ),
        ("{kind: budget-exhausted, usd: 1}", "[1].usd is not a valid key here. Valid keys: kind"),
        ("{kind: text-include, text: a}", "[1].kind must be one of text-includes, tool-result, budget-exhausted"),
        ("{text: a}", "[1].kind is missing; set it to one of: text-includes, tool-result, budget-exhausted"),
        ("done", "[1] is 'done', but iteration.termination_conditions must be a list of conditions"),
    ],
)
def test_conditions_are_held_against_their_kind(kind: str, reply: str, tmp_path: Path) -> None:
    output = mistakes(tmp_path, f"{WHO}iteration:\n  termination_conditions:\n    - {kind}")

    assert 1 == len(output)
    assert reply in output[0]
    assert output[0].startswith("agent.yaml, line 4, column ")


@pytest.mark.row("LOOP-23")
def test_iteration_and_composite_exclude_each_other_and_both_lines_are_named(tmp_path: Path) -> None:
    output = mistakes(
        tmp_path, f"{WHO}iteration: {{max_cycles: 3}}\ncomposite: {{strategy: parallel, agents: [{{{WHO.strip()}}}]}}"
    )

    assert [
        "agent.yaml, line 3, column 1: iteration (line 2) and composite (line 3) cannot be combined: "
        "an agent either iterates or leads a team. Remove one of them."
    ] == output


def test_all_mistakes_are_said_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    output = mistakes(
        tmp_path, "identity: {}\ntools: {allow: a}\nitertion: {}\ncomposite: {strategy: x, agents: [1]}\n"
    )

    assert [1, 2, 3, 4, 4] == [int(re.search(r"line (\d+)", line)[1]) for line in output]  # type: ignore[index]  # each has one


def test_what_nobody_would_read_is_not_all_said(tmp_path: Path) -> None:
    output = mistakes(tmp_path, WHO + "".join(f"key{number}: 1\n" for number in range(1_000)))

    assert (26, "agent.yaml: 975 more errors.") == (len(output), output[-1])
    assert "a file is limited to 20,000 values" in mistakes(tmp_path, "a: [" + "1," * 30_000 + "]")[0]


def test_mistakes_in_a_member_s_file_are_told_of_that_file(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("\nidentity: {nam: b}")

    output = mistakes(tmp_path, WHO + "composite: {strategy: parallel, agents: [b.yaml]}")

    assert [True, True] == [line.startswith(f"{tmp_path / 'b.yaml'}, line 2, column ") for line in output]


def test_files_that_lead_back_to_where_they_began_are_refused(tmp_path: Path) -> None:
    for name, other in (("agent", "b"), ("b", "agent")):
        text = f"identity: {{name: {name}}}\ncomposite: {{strategy: parallel, agents: [{other}.yaml]}}"
        (tmp_path / f"{name}.yaml").write_text(text)

    with pytest.raises(ConfigError, match=r"agent\.yaml -> b\.yaml -> agent\.yaml"):
        read_agent(tmp_path / "agent.yaml")


def test_files_that_multiply_are_stopped(tmp_path: Path) -> None:
    for depth in range(10):
        inner = f"{{identity: {{name: %s}}, composite: {{strategy: parallel, agents: [{depth + 1}.yaml]}}}}"
        members = ", ".join(inner % name for name in "abcdefgh")
        text = f"identity: {{name: n}}\ncomposite: {{strategy: parallel, agents: [{members}]}}"
        (tmp_path / f"{depth}.yaml").write_text(text)

    with pytest.raises(ConfigError, match="exceeds the limit of"):
        read_agent(tmp_path / "0.yaml")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_instructions_that_only_seem_to_lie_beside_the_file_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the key")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "words.md").symlink_to(tmp_path / "secret")

    assert "must be in the folder" in mistakes(tmp_path / "here", WHO + "instructions_file: words.md")[0]


def test_what_is_no_file_no_text_or_too_long_is_said(tmp_path: Path) -> None:
    for path, reply in (
        (tmp_path / "no.yaml", "File not found"),
        (tmp_path, "is not a file"),
        (Path("a\0b"), "cannot be read|File not found"),
    ):
        with pytest.raises(ConfigError, match=reply):
            read_agent(path)

    assert "line 2: not valid UTF-8" in mistakes(tmp_path, b"a: b\n\xff")[0]
    assert "larger than 1 MB" in mistakes(tmp_path, WHO + "#" * 1_000_001)[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")

    with pytest.raises(ConfigError, match="is not a file"):
        read_agent(tmp_path / "pipe.yaml")


def outcome(folder: Path, content: bytes) -> Spec | str:
    file = folder / "agent.yaml"
    file.write_bytes(content)
    try:
        return read_agent(file)
    except ConfigError as error:
        return str(error)


PIECES = st.one_of(
    st.text(max_size=6).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=4),
    st.sampled_from(
        [b"*a", b"&a ", b"!!int ", b"!!binary x", b"\t", b"- ", b"? ", b"<<: {a: 1}", b"'", b'"\\ud800"', b"{", b"]"]
    ),
    st.sampled_from(
        [b"---\n", b"|", b"null", b".nan", b"1e999", b"0x", b"2001-01-01", b"composite: {}\n", b"\0", b"%Y"]
    ),
)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 30), PIECES), min_size=1, max_size=5))
def test_whatever_becomes_of_a_file_it_is_read_or_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int, bytes]]
) -> None:
    content = GOOD.encode()
    for at, gone, new in changes:
        content = content[:at] + new + content[at + gone :]

    reply = outcome(tmp_path_factory.mktemp("any"), content)

    assert isinstance(reply, Spec) or all("agent.yaml" in line for line in reply.splitlines())


@settings(max_examples=60)
@given(st.permutations(GOOD.splitlines()), st.integers(0, 14))
def test_lines_may_stand_anywhere(tmp_path_factory: pytest.TempPathFactory, lines: list[str], most: int) -> None:
    reply = outcome(tmp_path_factory.mktemp("any"), "\n".join(lines[:most]).encode())

    assert isinstance(reply, (Spec, str))


MEMBERS = f"{{strategy: parallel, agents: [{{{WHO.strip()}}}]}}"


@pytest.mark.parametrize(("key", "value"), [("iteration", "{max_cycles: 3}"), ("composite", MEMBERS)])
def test_what_a_worker_does_in_its_own_way_is_not_said_beside_it(tmp_path: Path, key: str, value: str) -> None:
    [output] = mistakes(tmp_path, f"{WHO}{key}: {value}\nworker: lines")

    assert output.startswith(f"agent.yaml, line 3, column 1: {key} (line 2) and worker (line 3) cannot be combined: ")


@pytest.mark.parametrize("name", ["''", "[lines]", '"a\\nb"'])
def test_the_name_of_a_worker_is_one_line_of_text(tmp_path: Path, name: str) -> None:
    [output] = mistakes(tmp_path, f"{WHO}worker: {name}")

    assert "worker must be the name of an agent runner, on one line, not " in output
