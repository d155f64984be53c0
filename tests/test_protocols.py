"""Test one task with tools through every protocol: the same result, and the stated cost."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell

from openkoi_hookspecs import ToolCall, Usage
from openkoi_testing.servers import (
    AnthropicServer,
    BedrockServer,
    ForeignServerMissingError,
    GoogleServer,
    LLMock,
    OllamaServer,
    OpenAIServer,
    Say,
)

TASK = "Copy the number in a.txt to b.txt"
SECRET = "sk-canary-0123456789abcdef"
READ = ToolCall("call_1", "read_file", {"path": "a.txt"})
WRITE = ToolCall("call_2", "write_file", {"path": "b.txt", "content": "42 \u2713\n"})
ANSWER = "Done: it says forty-two \u2713."
COUNTED = (
    Usage(input=1_000, output=200),
    Usage(input=300, output=150, cache_read=1_000),
    Usage(input=250, output=50, cache_read=1_200),
)
TOTAL = {"input": 1_550, "output": 400, "cache_read": 2_200, "cache_write": 0, "total": 4_150}


@dataclass(frozen=True)
class Vendor:
    """A model, the variables to reach it, and its price: input, output, cached."""

    model: str
    variables: Mapping[str, str]
    price: tuple[float, float, float]
    settings: str = ""
    counts_cached: bool = True

    @property
    def cost(self) -> float:
        """What the task costs, in dollars."""
        read = self.price[2] if self.counts_cached else self.price[0]
        return (1_550 * self.price[0] + 400 * self.price[1] + 2_200 * read) / 1e6


PRICES = {
    "anthropic": (3.0, 15.0, 0.3),
    "openai": (1.75, 14.0, 0.175),
    "google": (1.25, 10.0, 0.125),
    "ollama": (0.0, 0.0, 0.0),
    "bedrock": (3.3, 16.5, 0.33),
}
MODELS = {
    "anthropic": "anthropic/claude-sonnet-4-5",
    "openai": "openai/gpt-5.2",
    "google": "google/gemini-2.5-pro",
    "ollama": "ollama/llama3.3",
    "bedrock": "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
}
FAKES: Mapping[str, Any] = {
    "anthropic": AnthropicServer,
    "openai": OpenAIServer,
    "google": GoogleServer,
    "ollama": OllamaServer,
    "bedrock": BedrockServer,
}
ADDRESSES = {
    "anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "google": ("GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY"),
    "ollama": ("OLLAMA_HOST", "OLLAMA_API_KEY"),
    "bedrock": ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_BEARER_TOKEN_BEDROCK"),
}
DIALECTS = ("anthropic", "openai", "openai-responses", "google", "ollama", "bedrock")


SETTINGS = {
    "openai-responses": '[providers.openai]\napi = "responses"\n',
    "ollama": '[models.known."ollama/llama3.3"]\ncontext = 32768\nprice = [0.0, 0.0]\n',
}


def vendor(dialect: str, url: str) -> Vendor:
    name = dialect.partition("-")[0]
    address, key = ADDRESSES[name]
    settings = SETTINGS.get(dialect, "")
    variables = {address: url, key: SECRET, "AWS_REGION": "us-east-1"}
    return Vendor(MODELS[name], variables, PRICES[name], settings, counts_cached=name != "ollama")


@pytest.fixture(params=DIALECTS)
def fake(request: pytest.FixtureRequest) -> Iterator[Vendor]:
    """A vendor's server of ours, with the same three answers."""
    name = request.param.partition("-")[0]
    reply: tuple[str | ToolCall, ...] = (READ, WRITE, ANSWER)
    says = [Say([words], usage=usage) for words, usage in zip(reply, COUNTED, strict=True)]
    with FAKES[name](*says, models=[MODELS[name].partition("/")[2]]) as server:
        yield vendor(request.param, server.url)


def solve_with(vendor: Vendor, tmp_path: Path) -> dict[str, Any]:
    """Do the task in an empty folder; return the result."""
    folder, home = tmp_path / "folder", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (folder / "a.txt").write_text("42\n")
    (home / "config.toml").write_text(vendor.settings)
    process = Shell(folder, home, vendor.variables)("-m", vendor.model, "-i", "0", "--format", "json", TASK)
    assert 0 == process.returncode, process.stderr
    assert "42 \u2713\n" == (folder / "b.txt").read_text(encoding="utf-8")
    reply = "".join([process.stdout, process.stderr, *(path.read_text() for path in home.rglob("*.jsonl"))])
    assert SECRET not in reply
    result: dict[str, Any] = json.loads(process.stdout)
    return result


@pytest.mark.row("PROV-01", "PROV-04", "PROV-05", "PROV-06", "PROV-12")
def test_the_same_task_comes_out_the_same_and_costs_what_it_says(fake: Vendor, tmp_path: Path) -> None:
    result = solve_with(fake, tmp_path)

    assert (ANSWER, ["b.txt"], None) == (result["output"], result["changed_files"], result["accepted"])
    assert TOTAL["total"] == result["usage"]["total"]
    assert TOTAL == result["usage"] or not fake.counts_cached
    assert fake.cost == pytest.approx(result["cost_usd"], abs=1e-6)
    assert {"executor": fake.model} == result["models"]


SPELLED = {
    "anthropic": ("input_tokens", "output_tokens"),
    "openai": ("prompt_tokens", "completion_tokens"),
    "openai-responses": ("input_tokens", "output_tokens"),
    "google": ("promptTokenCount", "candidatesTokenCount"),
    "ollama": ("prompt_eval_count", "eval_count"),
}


def fixtures(dialect: str) -> list[dict[str, object]]:
    """Return the same three answers for the server of others, with usage in the words of a protocol."""
    text, reply = SPELLED[dialect]
    answers: tuple[dict[str, object], ...] = (
        {"toolCalls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]},
        {"toolCalls": [{"name": "write_file", "arguments": dict(WRITE.arguments)}]},
        {"content": ANSWER},
    )
    return [
        {
            "match": {"userMessage": "Copy the number", "sequenceIndex": number},
            "response": {**answer, "usage": {text: 1_000, reply: 100}},
        }
        for number, answer in enumerate(answers)
    ]


@pytest.fixture(params=[dialect for dialect in DIALECTS if dialect != "bedrock"])
def foreign(request: pytest.FixtureRequest) -> Iterator[Vendor]:
    """A third-party server; AWS's own client cannot read its Bedrock stream."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(LLMock(*fixtures(request.param)))
        except ForeignServerMissingError as missing:
            pytest.skip(f"THE FOREIGN SERVER IS MISSING: {missing}")
        plain = request.param.startswith("openai")
        yield vendor(request.param, server.url if plain else server.url.removesuffix("/v1"))


def test_a_server_of_others_gives_the_same_result(foreign: Vendor, tmp_path: Path) -> None:
    result = solve_with(foreign, tmp_path)

    assert (ANSWER, ["b.txt"], None) == (result["output"], result["changed_files"], result["accepted"])
    expected = (3_000 * foreign.price[0] + 300 * foreign.price[1]) / 1e6
    assert (3_000, 300) == (result["usage"]["input"], result["usage"]["output"]) or foreign.model.startswith("ollama")
    assert expected == pytest.approx(result["cost_usd"], abs=1e-6)
