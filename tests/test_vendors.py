"""Test that requests go only to the vendor that the user chose, with the configured model for each role."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import AnthropicServer, OpenAIServer, Say

LLAMA = "groq/llama-3.3-70b-versatile"
POOR = '{"scores": {"clarity": 0.2, "accuracy": 0.2, "tone": 0.2, "structure": 0.2}, "findings": [], "suggestion": ""}'
WRITES = Say([ToolCall("c1", "write_file", {"path": "note.md", "content": "Koi swim."})])
REFLECTS = "You read the record of a task"
AGENT = f"""\
identity: {{name: writer}}
model_policy: {{model: {LLAMA}}}
evaluation: {{max_iterations: 1, quality_threshold: 0.8}}
"""


TEAM = f"""\
identity: {{name: team}}
composite:
  strategy: sequential
  agents:
    - {{identity: {{name: one}}, model_policy: {{model: {LLAMA}}}}}
    - {{identity: {{name: two}}, model_policy: {{model: {LLAMA}}}}}
evaluation: {{max_iterations: 1, quality_threshold: 0.8}}
"""


@dataclass(frozen=True)
class World:
    """A command line with keys of several vendors, all of whom are fakes on this machine."""

    openkoi: Shell
    groq: OpenAIServer
    openai: OpenAIServer
    anthropic: AnthropicServer

    def configured(self, text: str) -> None:
        self.openkoi.home.mkdir(exist_ok=True)
        (self.openkoi.home / "config.toml").write_text(text)

    def run(self, *line: str, variables: Mapping[str, str] | None = None) -> str:
        """Do a task with one poor judgement, after which the learner reflects; return what was said on the way."""
        result = self.openkoi.with_environment(**(variables or {}))("-i", "1", *line)
        assert "Traceback" not in result.stderr
        return result.stderr

    @property
    def models(self) -> dict[str, set[object]]:
        """The models that each vendor was asked for."""
        vendors = {"groq": self.groq, "openai": self.openai, "anthropic": self.anthropic}
        return {name: {body["model"] for body in one.asked} for name, one in vendors.items() if one.asked}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        groq, openai = (stack.enter_context(OpenAIServer(WRITES, "Written.", POOR)) for _ in range(2))
        anthropic = stack.enter_context(AnthropicServer(WRITES, "Written.", POOR, models=["claude-sonnet-4-5"]))
        keys = {name: f"{name.lower()}-key-of-somebody" for name in ("GROQ_API_KEY", "OPENAI_API_KEY")}
        urls = {"GROQ_BASE_URL": groq.url, "OPENAI_BASE_URL": openai.url, "ANTHROPIC_BASE_URL": anthropic.url}
        yield World(shell(tmp_path).with_environment(**keys, **urls), groq, openai, anthropic)


@pytest.mark.sampled(3)
@pytest.mark.row("C72", "PROV-13")
@pytest.mark.parametrize(
    ("config", "line", "variables"),
    [
        (f'[models]\nexecutor = "{LLAMA}"\n', (), {}),
        (f'[models]\ndefault = "{LLAMA}"\n', (), {}),
        ("", ("--executor", LLAMA), {}),
        ("", ("-m", LLAMA), {}),
        ("", (), {"OPENKOI_EXECUTOR": LLAMA}),
        ("", (), {"OPENKOI_MODEL": LLAMA}),
        ("", ("run", "writer.yaml"), {}),
        ("", ("run", "team.yaml"), {}),
        ("", (), {"OPENAI_API_KEY": ""}),
    ],
    ids=["file", "default", "flag", "model-flag", "variable", "model-variable", "agent", "team", "discovered"],
)
def test_a_role_without_a_model_uses_the_executor_s_and_no_other_vendor_is_asked(
    world: World, config: str, line: tuple[str, ...], variables: Mapping[str, str]
) -> None:
    world.configured(config)
    (world.openkoi.folder / "writer.yaml").write_text(AGENT)
    (world.openkoi.folder / "team.yaml").write_text(TEAM)

    world.run(*line, "Write a note about koi to note.md", variables=variables)

    assert {"groq": {LLAMA.partition("/")[2]}} == world.models
    assert any(REFLECTS in str(body) for body in world.groq.asked)
    assert [] == list(world.openai.requests)


@pytest.mark.row("ONB-20", "CLI-15")
def test_the_variable_of_the_model_overrides_no_configured_role(world: World) -> None:
    world.configured(f'[models]\nexecutor = "{LLAMA}"\n')
    world.run("Write a note about koi to note.md", variables={"OPENKOI_MODEL": "openai/gpt-5-mini"})

    assert {LLAMA.partition("/")[2]} == world.models["groq"]
    assert not any("Write a note" in str(body) and "tools" in body for body in world.openai.asked)


@pytest.mark.row("CLI-12")
def test_the_flag_of_the_model_overrides_all_roles(world: World) -> None:
    world.configured('[models]\nexecutor = "openai/gpt-5.2"\nevaluator = "openai/gpt-5.2"\nsmall = "openai/gpt-5.2"\n')
    world.run("-m", LLAMA, "Write a note about koi to note.md", variables={"OPENKOI_EXECUTOR": "openai/gpt-5.2"})

    assert {"groq": {LLAMA.partition("/")[2]}} == world.models


@pytest.mark.sampled(3)
@pytest.mark.row("CLI-15")
@pytest.mark.parametrize(
    ("config", "line", "variables"),
    [
        ("", ("--executor", "gpt-5-mini"), {}),
        ("", ("-m", "gpt-5-mini"), {}),
        ("", ("run", "writer.yaml"), {}),
        ("", (), {"OPENKOI_MODEL": "gpt-5-mini"}),
        ('[models]\nexecutor = "gpt-5-mini"\n', (), {}),
        (f'[models]\nexecutor = "{LLAMA}"\n', ("--evaluator", "gpt-5-mini"), {}),
        (f'[models]\nexecutor = "{LLAMA}"\nevaluator = "gpt-5-mini"\n', (), {}),
        (f'[models]\nexecutor = "{LLAMA}"\nplanner = "gpt-5-mini"\n', (), {}),
        (f'[models]\nexecutor = "{LLAMA}"\nsmall = "gpt-5-mini"\n', (), {}),
        ('[models.fallback]\nexecutor = ["gpt-5-mini"]\n', ("--executor", "anthropic/claude-sonnet-4-5"), {}),
    ],
    ids=["executor", "model", "agent", "variable", "file", "evaluator", "judge", "planner", "small", "fallback"],
)
def test_a_short_name_that_one_configured_provider_knows_is_enough_for_every_role(
    world: World, config: str, line: tuple[str, ...], variables: Mapping[str, str]
) -> None:
    world.configured(config)
    (world.openkoi.folder / "writer.yaml").write_text(AGENT.replace(LLAMA, "gpt-5-mini"))
    if "fallback" in config:
        variables = {"ANTHROPIC_API_KEY": "sk-ant-somebody", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}

    reply = world.run(*line, "Write a note about koi to note.md", variables=variables)

    assert {"gpt-5-mini"} == world.models.get("openai"), reply


REFUSED = {
    "gpt-5-mini": ({"OPENAI_API_KEY": ""}, ["'openai/gpt-5-mini'"]),
    "claude-opus-5-5": (
        {
            "ANTHROPIC_API_KEY": "sk-ant-somebody",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "AKIA",
            "AWS_SECRET_ACCESS_KEY": "s",
        },
        ["anthropic/claude-opus-5-5", "bedrock/claude-opus-5-5"],
    ),
    "no-such-model": ({}, ["provider/model"]),
}


@pytest.mark.row("CLI-15")
@pytest.mark.parametrize("role", ["-m", "--executor", "--evaluator"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_short_name_that_says_too_little_is_refused_with_the_candidates(world: World, role: str, name: str) -> None:
    variables, candidates = REFUSED[name]
    result = world.openkoi.with_environment(**{"OPENAI_BASE_URL": "", **variables})(
        role, name, "Write a note about koi to note.md"
    )

    assert 2 == result.returncode, result.stderr
    assert all(candidate in result.stderr for candidate in candidates), result.stderr
    assert {} == world.models


@pytest.mark.row("ONB-04")
@pytest.mark.parametrize("line", [(), ("-m", "openrouter/auto"), ("-m", "openrouter/openrouter/auto")])
def test_openrouter_s_own_model_is_asked_for_by_the_vendor_s_name(tmp_path: Path, line: tuple[str, ...]) -> None:
    with OpenAIServer("Koi.", models=("openrouter/auto", "acme/large")) as server:
        variables = {"OPENROUTER_API_KEY": "sk-or-somebody", "OPENROUTER_BASE_URL": server.url}
        result = shell(tmp_path).with_environment(**variables)(*line, "-i", "0", "What swims here?")

    assert (0, "Koi.\n") == (result.returncode, result.stdout), result.stderr
    assert ["openrouter/auto"] == [body["model"] for body in server.asked]
