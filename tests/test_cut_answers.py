"""An answer that reached a length limit: the user is told, and so is the model that continues."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell
from verdict_runs import DONE, EDIT, TASK, folder_with_test, result, write_script_outside

from openkoi_hookspecs import Text, ToolCall, Usage
from openkoi_testing.servers import AnthropicServer, GoogleServer, OllamaServer, OpenAIServer, Say
from openkoi_testing.servers.vendor_server import VendorServer

VENDORS: dict[str, tuple[type[VendorServer], str, str, str]] = {
    "openai": (OpenAIServer, "openai/gpt-fake", "OPENAI_BASE_URL", "length"),
    "anthropic": (AnthropicServer, "anthropic/claude-fake", "ANTHROPIC_BASE_URL", "max_tokens"),
    "context": (AnthropicServer, "anthropic/claude-fake", "ANTHROPIC_BASE_URL", "model_context_window_exceeded"),
    "google": (GoogleServer, "google/gemini-fake", "GOOGLE_GEMINI_BASE_URL", "MAX_TOKENS"),
    "ollama": (OllamaServer, "ollama/llama-fake", "OLLAMA_HOST", "length"),
    "chat": (OpenAIServer, "openai/gpt-fake", "OPENAI_BASE_URL", "max_tokens"),
}
WRITES = ToolCall("call_1", "write_file", {"path": "story.txt", "content": "It was"})
NAMED = "was cut off at its length limit"


def with_key(openkoi: Shell, variable: str, server: VendorServer) -> Shell:
    keys = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "sk-not-a-real-key")
    return openkoi.with_environment(**keys, **{variable: server.url})


@pytest.mark.sampled(6)
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("whole", [False, True], ids=["streamed", "whole"])
@pytest.mark.parametrize("reply", [[Text("It was")], [Text("I will"), WRITES], [WRITES]], ids=["text", "both", "call"])
def test_the_user_and_the_model_hear_of_it(
    reply: list[Text | ToolCall], whole: bool, vendor: str, tmp_path: Path
) -> None:
    fake, model, variable, reason = VENDORS[vendor]
    openkoi = shell(tmp_path)
    with fake(Say(reply, finish=reason, whole=whole), "The end.") as server:
        result = with_key(openkoi, variable, server)("-m", model, "-i", "0", "--format", "json", "Tell a story")
        first, *later = [json.dumps(body) for body in server.asked]

    report = json.loads(result.stdout)
    assert 0 == result.returncode, result.stderr
    assert [model in text for text in report["warnings"] if NAMED in text] == [True]
    assert 1 == len(later)
    assert "no tool call in it was run" in later[0]
    assert "no tool call in it was run" not in first
    assert not (openkoi.folder / "story.txt").exists()


def test_one_token_is_singular(tmp_path: Path) -> None:
    with OpenAIServer(Say("It", usage=Usage(input=9, output=1), finish="length")) as server:
        result = with_key(shell(tmp_path), "OPENAI_BASE_URL", server)(
            "-m", "openai/gpt-fake", "-i", "0", "Tell a story"
        )

    assert "length limit (about 1 token)" in result.stderr


def test_a_cut_verdict_is_named(tmp_path: Path) -> None:
    openkoi = folder_with_test(tmp_path)
    with OpenAIServer(Say('{"scores": {"correct', finish="length")) as server:
        executor = write_script_outside(openkoi, EDIT + DONE, "executor.yaml")
        there = with_key(openkoi, "OPENAI_BASE_URL", server)
        judge = ("--evaluator", "openai/gpt-fake", "-i", "1", "--format", "json")
        report = result(there(TASK, "--executor", executor, *judge))

    assert None is report["score"]
    assert NAMED in str(report["warnings"])


def test_a_cut_plan_is_named(tmp_path: Path) -> None:
    openkoi = folder_with_test(tmp_path)
    (openkoi.home / "config.toml").write_text('[models]\nplanner = "openai/gpt-fake"\n')
    with OpenAIServer(Say("1. Look at", finish="length")) as server:
        there = with_key(openkoi, "OPENAI_BASE_URL", server)
        executor = write_script_outside(openkoi, EDIT + DONE, "executor.yaml")
        report = result(there(TASK, "--executor", executor, "--no-judge", "--format", "json"))

    assert NAMED in str(report["warnings"])


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ("", '`output` under [models.known."openai/gpt-fake"]'),
        ("[iteration]\ntoken_budget = 9000\n", "remaining budget"),
    ],
    ids=["the model's own", "the budget's"],
)
def test_what_sets_the_limit_is_named(settings: str, remedy: str, tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(settings)
    with OpenAIServer(Say("It was", finish="length"), "The end.") as server:
        result = with_key(openkoi, "OPENAI_BASE_URL", server)("-m", "openai/gpt-fake", "-i", "0", "Tell a story")

    assert NAMED in result.stderr
    assert remedy in result.stderr
