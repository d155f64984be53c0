"""A response that passes its lease is cut off by the client, and charged at most for what was read."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from cli_process import Shell, logged_records, shell

from openkoi_hookspecs import Chunk, Limits, Model, Price, Reasoning, Request, StreamEnd, Task, Text, ToolCall, Usage
from openkoi_testing import Scenario, run_scenario
from openkoi_testing.servers import (
    AnthropicServer,
    GoogleServer,
    OllamaServer,
    OpenAIServer,
    Say,
    ServerFault,
    VendorServer,
)

PRICE = "price = [15.0, 75.0]\noutput = 1_000\ncontext = 100_000\n"
RATE = 75.0 / 1e6
CUT = "{} sent more than the allowed 1,000 tokens; the response was cut off and more will be reserved from now on."
SLOWLY = ServerFault(pause=0.0005)
SCREAM = "All work and no play makes Jack a dull boy. " * 10
VENDORS: dict[str, tuple[Callable[..., VendorServer], str, Callable[[str], dict[str, str]]]] = {
    "openai": (OpenAIServer, "gpt-fake", lambda url: {"OPENAI_BASE_URL": url}),
    "anthropic": (AnthropicServer, "claude-fake", lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k"}),
    "ollama": (OllamaServer, "llama-fake", lambda url: {"OLLAMA_HOST": url}),
    "google": (GoogleServer, "gemini-fake", lambda url: {"GOOGLE_GEMINI_BASE_URL": url, "GOOGLE_API_KEY": "k"}),
}


def asked(tmp_path: Path, vendor: str, server: VendorServer, *line: str, config: str = "") -> CompletedProcess[str]:
    """Give a vendor's model a task whose answer may be 1,000 tokens long."""
    _, model, variables = VENDORS[vendor]
    here: Shell = shell(tmp_path).with_environment(**variables(server.url))
    here.home.mkdir()
    (here.home / "config.toml").write_text(f'[models.known."{vendor}/{model}"]\n{PRICE}{config}')
    options = ["-m", f"{vendor}/{model}", "--iterate", "0", "--format", "json", *line]
    result = here(*options, "Write the story down")
    assert "Traceback" not in result.stderr
    return result


def calls_of(tmp_path: Path) -> list[dict[str, object]]:
    """Return the calls that the log has, each with its usage and dollars."""
    return [one["data"] for one in logged_records(tmp_path / "home") if one["type"] == "model.response"]


def why_ended(call: dict[str, object]) -> str:
    """The reason why an answer ended."""
    match call["reply"]:
        case {"done": {"stop": str(stop)}}:
            return stop
    return "end"


def dollars(call: dict[str, object]) -> float:
    """Return what was charged for a call."""
    return float(str(call["usd"]))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("answer", [Text(SCREAM), Reasoning(SCREAM)], ids=["text", "thinking"])
def test_an_endless_answer_is_cut_off_and_costs_no_more_than_was_leased(
    vendor: str, answer: Text | Reasoning, tmp_path: Path
) -> None:
    endless = Say(answer, endless=True, delta=400, fault=SLOWLY)
    with VENDORS[vendor][0](endless, "The end.") as server:
        process = asked(tmp_path, vendor, server)

        assert 1 == server.abandoned
        assert server.sent < 200_000
    result = json.loads(process.stdout)
    first, second = calls_of(tmp_path)
    assert [CUT.format(f"{vendor}/{VENDORS[vendor][1]}")] == [text for text in result["warnings"] if "cut off" in text]
    assert "length" == why_ended(first)
    assert "The end." == second["reply"]["parts"][-1]["text"]  # type: ignore[index]  # it is an answer
    assert 1_000 * RATE <= result["cost_usd"] <= 0.2
    assert 0 == process.returncode


WRITES = ToolCall("call_1", "write", {"path": "story.txt", "text": SCREAM})


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_an_endless_tool_call_is_cut_off_and_never_run(vendor: str, tmp_path: Path) -> None:
    endless = Say(WRITES, endless=True, delta=400, fault=SLOWLY)
    with VENDORS[vendor][0](endless, "The end.") as server:
        result = asked(tmp_path, vendor, server)

        assert 1 == server.abandoned
        assert server.sent < 200_000
    first, _ = calls_of(tmp_path)
    assert "length" == why_ended(first)
    assert pytest.approx(1_000 * RATE, abs=0.05) == dollars(first)
    assert not (tmp_path / "folder" / "story.txt").exists()
    assert any("the response was cut off" in text for text in json.loads(result.stdout)["warnings"])


def test_an_endless_tool_call_of_the_responses_api_is_cut_off(tmp_path: Path) -> None:
    endless = Say(WRITES, endless=True, delta=400, fault=SLOWLY)
    with OpenAIServer(endless, "The end.") as server:
        asked(tmp_path, "openai", server, config='[providers.openai]\napi = "responses"\n')

        assert 1 == server.abandoned
        assert server.sent < 300_000
    assert "length" == why_ended(calls_of(tmp_path)[0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(
    "answer", [Text("x" * 5_000_000), ToolCall("1", "write", {"text": "x" * 5_000_000})], ids=["text", "call"]
)
def test_an_answer_in_one_piece_of_5_mb_is_cut_to_what_was_leased(
    vendor: str, answer: Text | ToolCall, tmp_path: Path
) -> None:
    with VENDORS[vendor][0](Say(answer, whole=True)) as server:
        process = asked(tmp_path, vendor, server)

    result = json.loads(process.stdout)
    assert any("sent more than the allowed 1,000 tokens" in text for text in result["warnings"])
    assert result["cost_usd"] <= 0.2
    assert sum(file.stat().st_size for file in (tmp_path / "home").rglob("*.jsonl")) < 1_000_000


def test_a_response_that_ends_the_task_is_named_with_its_limit_and_what_to_change(tmp_path: Path) -> None:
    with OpenAIServer(Say("x" * 9_000_000, whole=True)) as server:
        here = shell(tmp_path).with_environment(OPENAI_BASE_URL=server.url)
        ended = here("-m", "openai/gpt-fake", "Write the story down")

    assert 4 == ended.returncode
    assert "gpt-fake sent more than the allowed 8,192 tokens; the response was cut off and the task" in ended.stderr
    assert 'set a higher `output` under [models.known."openai/gpt-fake"]' in ended.stderr
    assert " tokens reserved for one call)" in ended.stderr
    assert "The next call was not made" not in ended.stderr


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_count_that_cannot_have_been_read_is_not_charged(vendor: str, tmp_path: Path) -> None:
    lies = Say("A story. " * 300, usage=Usage(input=500, output=1_250_000))
    with VENDORS[vendor][0](lies) as server:
        process = asked(tmp_path, vendor, server)

    result = json.loads(process.stdout)
    assert any("counted 1,250,500 tokens" in text and "Charged:" in text for text in result["warnings"])
    assert result["cost_usd"] < 1_000 * RATE + 0.05
    assert 675 == calls_of(tmp_path)[0]["reply"]["done"]["usage"]["output"]  # type: ignore[index]  # it is a reply


@pytest.mark.parametrize("vendor", VENDORS)
def test_an_endless_server_never_makes_a_run_dearer_than_its_budget(vendor: str, tmp_path: Path) -> None:
    endless = Say(SCREAM, endless=True, delta=400, fault=SLOWLY)
    with VENDORS[vendor][0](endless) as server:
        result = asked(tmp_path, vendor, server, "--budget", "0.25", "--iterate", "2")

    spent = json.loads(result.stdout)["cost_usd"]
    assert 0 < spent <= 0.25
    assert spent == pytest.approx(sum(map(dollars, calls_of(tmp_path))))


@pytest.mark.parametrize("vendor", VENDORS)
def test_an_honest_answer_of_all_the_tokens_it_was_allowed_is_not_cut(vendor: str, tmp_path: Path) -> None:
    with VENDORS[vendor][0](Say("word " * 1_000, usage=Usage(input=500, output=1_000))) as server:
        process = asked(tmp_path, vendor, server)

        assert 0 == server.abandoned
    result = json.loads(process.stdout)
    assert [] == [text for text in result["warnings"] if "cut off" in text or "counted" in text]
    assert 5_000 == len(calls_of(tmp_path)[0]["reply"]["parts"][0]["text"])  # type: ignore[index]  # it is a reply


GIANT = """
from openkoi_hookspecs import StreamEnd, Model, Price, Text, Usage

class Giant:
    async def models(self):
        return [Model("one", context=100_000, output=1_000, price=Price(15.0, 75.0))]

    async def chat(self, request):
        yield Text("x" * 50_000_000)
        yield StreamEnd(Usage(input=10, output=10))
"""


def test_a_giant_piece_of_a_provider_plugin_is_cut_and_ends_the_task(tmp_path: Path) -> None:
    here = shell(tmp_path).with_plugin(GIANT, providers="acme:Giant")
    here.home.mkdir()
    (here.home / "config.toml").write_text('[models.known."acme/one"]\nprice = [15, 75]\noutput = 1000\n')
    process = here("-m", "acme/one", "--iterate", "0", "--format", "json", "Write the story down")

    result = json.loads(process.stdout)
    assert any("the response was cut off and the task ends here." in text for text in result["warnings"])
    assert result["cost_usd"] <= 0.2
    assert len(result["output"]) <= 8_000
    assert 1 == len(calls_of(tmp_path))


def test_what_was_cut_off_is_paid_once_also_when_the_task_is_resumed(tmp_path: Path) -> None:
    refusal = Say(fault=ServerFault(status=400, body=b'{"error": {"message": "no"}}'))
    with OpenAIServer(Say(SCREAM, endless=True, delta=400, fault=SLOWLY), refusal) as server:
        asked(tmp_path, "openai", server)
    before = sum(map(dollars, calls_of(tmp_path)))
    here = Shell(tmp_path / "folder", tmp_path / "home")
    with OpenAIServer("The end.") as server:
        resumed = here.with_environment(OPENAI_BASE_URL=server.url)("resume", "--format", "json")

        assert 1 == len(server.asked)
        assert SCREAM[:40] in json.dumps(server.asked[0])
    result = json.loads(resumed.stdout)
    assert 0.075 <= before < result["cost_usd"] < before + 0.01


@dataclass
class Holding:
    """A provider that holds on to its streams, so that only who reads them can end them. The first one is endless."""

    streams: list[AsyncIterator[Chunk]] = field(default_factory=list)
    ended: list[bool] = field(default_factory=list)
    ended_before_the_next: list[bool] = field(default_factory=list)

    async def models(self) -> Sequence[Model]:
        """Return the one."""
        return [Model("one", context=100_000, output=1_000, price=Price(1.0, 1.0))]

    def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Record whether the previous stream was closed, and begin another."""
        self.ended_before_the_next += self.ended[-1:]
        self.ended.append(False)
        self.streams.append(self.say(len(self.ended) - 1))
        return self.streams[-1]

    async def say(self, number: int) -> AsyncIterator[Chunk]:
        """Stream endlessly, or briefly."""
        try:
            while number == 0:
                yield Text("All work and no play. ")
            yield Text("The end.")
            yield StreamEnd(Usage(input=10, output=2))
        finally:
            self.ended[number] = True


def test_the_stream_is_closed_before_anything_else_is_asked() -> None:
    provider = Holding()
    stage = Scenario(providers={"acme": provider}, settings={"models.default": "acme/one"}, installed=frozenset())
    run_scenario(Task("Write the story down", limits=Limits(iterations=0)), stage)

    assert [True] == provider.ended_before_the_next
