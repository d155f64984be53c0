"""Plugins keep the promises of their kind also in a process of their own."""

from collections.abc import Iterator
from pathlib import Path

import plugin_process
import pytest
from plugin_process import in_process_of_its_own

from openkoi_cli.plugin_kit.contract_pages import explain_subprocess
from openkoi_cli.plugin_kit.docs import CONTRACTS
from openkoi_hookspecs import Provider, Reasoning, ToolCall
from openkoi_loader.subprocess_plugin.members import PROTOCOLS, REFUSED
from openkoi_testing import MemoryContract, ProviderContract
from openkoi_testing.servers import AnthropicServer, OllamaServer, OpenAIServer

ANSWER: list[str | Reasoning | ToolCall] = [
    "I look.",
    ToolCall("call_a", "read", {"path": "a"}),
    ToolCall("call_b", "read", {}),
]


class TestOpenAI(ProviderContract):
    model = "gpt-fake"
    test_describes_the_model_by_its_name_alone = None  # type: ignore[assignment]  # it does not describe one

    @pytest.fixture(scope="class", params=["chat", "responses"])
    @classmethod
    def provider(cls, request: pytest.FixtureRequest) -> Iterator[Provider]:
        with OpenAIServer(ANSWER, key="sk-right") as server:
            settings = {"base_url": server.url, "api": request.param}
            yield in_process_of_its_own("providers", "openkoi_openai:OpenAI", settings, {"OPENAI_API_KEY": "sk-right"})


class TestAnthropic(ProviderContract):
    model = "claude-fake"
    test_describes_the_model_by_its_name_alone = None  # type: ignore[assignment]  # it does not describe one

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        answer = [Reasoning("Hm."), Reasoning("", signature="c2VjcmV0"), *ANSWER]
        with AnthropicServer(answer, key="sk-right") as server:
            settings = {"base_url": server.url, "thinking": "adaptive"}
            variables = {"ANTHROPIC_API_KEY": "sk-right"}
            yield in_process_of_its_own("providers", "openkoi_anthropic:Anthropic", settings, variables)


class TestOllama(ProviderContract):
    model = "llama-fake:latest"

    @pytest.fixture(scope="class")
    @classmethod
    def provider(cls) -> Iterator[Provider]:
        with OllamaServer(ANSWER, key="right") as server:
            settings = {"base_url": server.url, "api_key": "right"}
            yield in_process_of_its_own("providers", "openkoi_ollama:Ollama", settings)


class MemoryInSubprocess(MemoryContract):
    test_a_shadow_takes_its_place_when_it_is_built = None  # type: ignore[assignment]  # it has no shadow

    @pytest.fixture(autouse=True)
    @classmethod
    def can_be_imported(cls, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))  # the suite also makes it in other processes


class TestSQLite(MemoryInSubprocess):
    subject = staticmethod(plugin_process.sqlite)


class TestDuckDB(MemoryInSubprocess):
    subject = staticmethod(plugin_process.duckdb)


@pytest.mark.parametrize("kind", CONTRACTS)
def test_the_documentation_says_which_kinds_can_run_in_a_process_of_their_own(kind: str) -> None:
    text, group = explain_subprocess(kind), CONTRACTS[kind][0]

    if kind in ("mcp", "script", "wasm"):
        assert " already has a " in text
    elif group in PROTOCOLS:
        assert ": yes" in text
    else:
        assert f": no, because {REFUSED[group]}." in text
