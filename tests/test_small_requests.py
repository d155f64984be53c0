"""The first request is a few kilobytes, for every model family, and the tools in it never change within a run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_process import shell

from openkoi_hookspecs import Json, ToolCall
from openkoi_testing.servers import AnthropicServer, GoogleServer, OllamaServer, OpenAIServer, Say, VendorServer

QUESTION = "What does this project do?"
PROJECT = "This project counts the carp in a pond.\n"
FIX = "Fix the failing tests of this project."
MAX_QUESTION, MAX_CODE = 6 * 1024, 8 * 1024  # bytes of the first request
KEY = "sk-not-a-real-key"


@dataclass(frozen=True)
class Vendor:
    """How one of them is asked: the fake, its model, where its address and key are looked for, further settings."""

    fake: type[AnthropicServer] | type[OpenAIServer] | type[GoogleServer] | type[OllamaServer]
    model: str
    variables: tuple[str, str]
    settings: str = ""

    def variables_for(self, server: VendorServer) -> Mapping[str, str]:
        """Return what the process is told."""
        address, key = self.variables
        return {address: server.url, key: KEY}


OPENAI = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
VENDORS = {
    "anthropic": Vendor(AnthropicServer, "anthropic/claude-sonnet-4-5", ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")),
    "openai chat": Vendor(OpenAIServer, "openai/gpt-5.2", OPENAI, '[providers.openai]\napi = "chat"\n'),
    "openai responses": Vendor(OpenAIServer, "openai/gpt-5.2", OPENAI, '[providers.openai]\napi = "responses"\n'),
    "google": Vendor(GoogleServer, "google/gemini-2.5-pro", ("GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY")),
    "codex": Vendor(OpenAIServer, "openai/gpt-5.2-codex", OPENAI),
    "whole files": Vendor(OpenAIServer, "openai/gpt-4o-mini", OPENAI),
    "small": Vendor(OllamaServer, "ollama/qwen2.5-coder", ("OLLAMA_HOST", "OLLAMA_API_KEY")),
}


def bodies(vendor: Vendor, folder: Path, task: str, *answers: Say | str) -> Sequence[bytes]:
    """Return what the command line sends for a task, through all plugins of the default bundle."""
    openkoi = shell(folder)
    (openkoi.folder / "AGENTS.md").write_text(PROJECT)
    (openkoi.folder / "pytest.ini").write_text("[pytest]\n")
    (openkoi.folder / ".git").mkdir()
    (openkoi.folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(vendor.settings)
    with vendor.fake(*answers, models=[vendor.model.partition("/")[2]]) as server:
        result = openkoi.with_environment(**vendor.variables_for(server))("-m", vendor.model, task)
        assert result.returncode in (0, 3), result.stderr  # 3: the fake is no judge
        return [request.body for request in server.requests if server.asks(request)]


def shares(body: bytes) -> Mapping[str, int]:
    """Return how many bytes each part of a request takes, and each of its tools."""
    data: dict[str, Json] = json.loads(body)
    return {key: len(json.dumps(part)) for key, part in data.items()}


def tools_of(body: bytes) -> bytes:
    """Return the tools of a request, byte by byte as they were sent."""
    text = body.decode()
    start = text.index('"tools":') + len('"tools":')
    start += len(text[start:]) - len(text[start:].lstrip())
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start:end].encode()


@pytest.mark.sampled(4)
@pytest.mark.row("TOK-04", "PROV-11")
@pytest.mark.parametrize("name", VENDORS)
def test_a_question_of_one_line_takes_six_kilobytes_and_the_tools_stay_as_they_were_sent(
    name: str, tmp_path: Path
) -> None:
    calls = [
        ToolCall("toolu_1", "read_file", {"path": "AGENTS.md"}),
        ToolCall("toolu_2", "find_tool", {"query": "fetch a page"}),
        ToolCall("toolu_3", "list_files", {}),
    ]
    datas = bodies(VENDORS[name], tmp_path, QUESTION, *map(Say, calls), "It counts carp.")

    assert QUESTION.encode() in datas[0]
    assert len(datas[0]) <= MAX_QUESTION, shares(datas[0])
    assert (4, 1) == (len(datas), len({tools_of(body) for body in datas}))


@pytest.mark.sampled(3)
@pytest.mark.row("TOK-04")
@pytest.mark.parametrize("name", VENDORS)
def test_a_code_task_takes_eight_kilobytes(name: str, tmp_path: Path) -> None:
    first, *_ = bodies(VENDORS[name], tmp_path, FIX, "They pass.")

    assert FIX.encode() in first
    assert b"Tests: " in first
    assert len(first) <= MAX_CODE, shares(first)
