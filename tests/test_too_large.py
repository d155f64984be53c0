"""A server that refuses a request as too large: the conversation is shortened, and nothing is asked for ever."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from cli_process import Shell, logged_records, shell, write_script

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import (
    AnthropicServer,
    OllamaServer,
    OpenAIServer,
    ReceivedRequest,
    Say,
    ServerFault,
    ServerResponse,
)
from openkoi_testing.servers.vendor_server import VendorServer

BARE = b""
NGINX = b"<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>"
NAMED = b'{"error": {"message": "prompt is too long: 250000 tokens > 200000 maximum"}}'
READS = [Say([ToolCall(f"call_{n}", "read_file", {"path": f"{n}.txt"})]) for n in range(8)]
CONFIG = "[iteration]\ntoken_budget = 100_000_000\n"


class Narrow(OpenAIServer):
    """A server that rejects requests above a size."""

    def __init__(self, *answers: Say | str, most: int, status: int, body: bytes) -> None:
        super().__init__(*answers)
        self.most, self.refusal = most, ServerResponse([body], status=status, type="text/html")

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Refuse what is too large, before it is looked at."""
        return self.refusal if len(seen.body) > self.most else super().answer(seen)


def prepare_folder(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(CONFIG)
    for number in range(8):
        (openkoi.folder / f"{number}.txt").write_text(f"line {number}\n" * 700)
    return openkoi


def roles(body: dict[str, object]) -> Sequence[object]:
    messages = body["messages"]
    assert isinstance(messages, list)
    return [message.get("role") for message in messages]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(413, BARE, id="413 bare"),
        pytest.param(413, NGINX, id="413 page"),
        pytest.param(413, b'{"error": {"message": "Payload Too Large"}}', id="413 json"),
        pytest.param(413, b"Maximum request length exceeded", id="413 text"),
        pytest.param(400, NAMED, id="400 named"),
    ],
)
def test_the_oldest_turns_are_left_out_and_the_task_goes_on(status: int, body: bytes, tmp_path: Path) -> None:
    openkoi = prepare_folder(tmp_path)
    with Narrow(*READS, "Read them.", most=45_000, status=status, body=body) as server:
        ours = openkoi.with_environment(OPENAI_API_KEY="sk-not-a-real-key", OPENAI_BASE_URL=server.url)
        result = ours("-m", "openai/gpt-fake", "--format", "json", "Explain what the files contain")
        refused = [request for request in server.requests if len(request.body) > server.most]

    assert 0 == result.returncode, result.stderr
    assert "Read them." in result.stdout
    assert "Omitting the oldest turns" in result.stderr
    assert 1 <= len(refused) <= 4
    assert "Retrying in" not in result.stderr


@pytest.mark.parametrize("vendor", [OpenAIServer, AnthropicServer, OllamaServer])
@pytest.mark.parametrize("before", [0, 3])
def test_what_cannot_be_shortened_enough_is_not_asked_for_ever(
    vendor: type[VendorServer], before: int, tmp_path: Path
) -> None:
    openkoi = prepare_folder(tmp_path)
    with vendor(*READS[:before], Say(fault=ServerFault(status=413, body=b""))) as server:
        urls = dict.fromkeys(("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST"), server.url)
        model = {OpenAIServer: "openai/gpt-fake", AnthropicServer: "anthropic/claude-fake"}.get(vendor)
        ours = openkoi.with_environment(OPENAI_API_KEY="sk-x-not-a-key", ANTHROPIC_API_KEY="sk-x-not-a-key", **urls)
        result = ours("-m", model or "ollama/llama-fake", "Explain what the files contain")

    assert 1 == result.returncode
    assert "too large (413)" in result.stderr
    assert "choose a model with a larger context window" in result.stderr
    assert len(server.asked) - before <= 3


def test_input_that_no_call_could_contain_is_refused_before_it_is_searched_and_stored(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    model = write_script(openkoi.folder, "  - says: Short.\n")
    result = openkoi("-m", model, "Summarize it", stdin="Pond! " * 400_000)

    assert 4 == result.returncode
    assert "about 600,002 tokens, and iteration.token_budget allows 200,000. Shorten the task" in result.stderr
    assert [] == logged_records(openkoi.home)
