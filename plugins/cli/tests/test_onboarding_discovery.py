"""What is found on a machine, in which order, and what is passed over."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from openkoi.app import App
from openkoi.open_app import open_app
from openkoi_cli.setup.discovery import LocalMachine, discover
from openkoi_cli.setup.hook import find_models
from openkoi_cli.setup.key_sources import KeySource
from openkoi_cli.setup.ollama import PREFERRED, best_model, explain_bad_host
from openkoi_hookspecs import DiscoveredProvider
from openkoi_testing.servers import OllamaServer

UNREACHABLE = "127.0.0.1:9"
DEFAULTS = {
    "ANTHROPIC_API_KEY": ("anthropic", "claude-sonnet-4-5"),
    "OPENAI_API_KEY": ("openai", "gpt-5.2"),
    "GOOGLE_API_KEY": ("google", "gemini-2.5-pro"),
    "GROQ_API_KEY": ("groq", "llama-3.3-70b-versatile"),
    "OPENROUTER_API_KEY": ("openrouter", "auto"),
    "TOGETHER_API_KEY": ("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
    "DEEPSEEK_API_KEY": ("deepseek", "deepseek-chat"),
    "XAI_API_KEY": ("xai", "grok-4-0709"),
}


def opened(folder: Path, ollama: str = UNREACHABLE) -> App:
    return open_app(folder, environment={"OPENKOI_HOME": str(folder / "koi"), "OLLAMA_HOST": ollama})


def passed_over(_: str) -> None:
    """What could not be looked at."""


def found(
    folder: Path, variables: Mapping[str, str] | None = None, ollama: str = UNREACHABLE
) -> Sequence[DiscoveredProvider]:
    machine = LocalMachine(folder, variables or {}, keychain=(), now=0.0)
    return asyncio.run(discover(opened(folder, ollama), machine, passed_over))


def troubles(folder: Path, variables: Mapping[str, str] | None = None) -> Sequence[str]:
    output: list[str] = []
    asyncio.run(discover(opened(folder), LocalMachine(folder, variables or {}, keychain=(), now=0.0), output.append))
    return output


def saved(folder: Path, **keys: str) -> None:
    koi = opened(folder)
    for provider, key in keys.items():
        koi.save_key(provider, key)


def login(folder: Path) -> None:
    (folder / ".claude").mkdir()
    (folder / ".claude" / ".credentials.json").write_text(json.dumps({"oauth_token": "canary-token"}))


@pytest.mark.row("ONB-04")
@pytest.mark.parametrize("variable", DEFAULTS)
def test_each_variable_stands_for_a_provider_and_its_model(tmp_path: Path, variable: str) -> None:
    provider, model = DEFAULTS[variable]

    assert [DiscoveredProvider(provider, model, f"from {variable}")] == found(tmp_path, {variable: "key"})


def test_a_variable_without_a_key_in_it_is_not_set(tmp_path: Path) -> None:
    assert [] == found(tmp_path, {"OPENAI_API_KEY": " "})


@pytest.mark.row("ONB-12", "C23")
def test_the_best_provider_comes_first(tmp_path: Path) -> None:
    everything = found(tmp_path, dict.fromkeys(DEFAULTS, "key"))

    order = ["anthropic", "openai", "google", "openrouter", "groq", "together", "deepseek", "xai"]
    assert order == [way.provider for way in everything]


@pytest.mark.row("ONB-03", "ONB-13")
def test_of_two_ways_to_one_provider_the_more_explicit_comes_first(tmp_path: Path) -> None:
    saved(tmp_path, anthropic="key-3")
    login(tmp_path)

    ways = found(tmp_path, {"ANTHROPIC_API_KEY": "key-1"})
    assert ["from ANTHROPIC_API_KEY", "from Claude CLI", "saved"] == [way.origin for way in ways]
    assert [False, True, False] == [bool(way.consent) for way in ways]


@pytest.mark.row("ONB-05", "C76")
def test_a_login_of_another_program_needs_consent_and_is_not_printed(tmp_path: Path) -> None:
    login(tmp_path)
    [way] = found(tmp_path)

    assert "canary-token" == way.key
    assert way.consent
    assert "canary-token" not in repr(way)


@pytest.mark.row("ONB-09", "ONB-10")
def test_ollama_is_found_with_its_best_model_also_beside_what_needs_consent(tmp_path: Path) -> None:
    login(tmp_path)
    with OllamaServer(models=["mistral", "llama3.1:8b"]) as server:
        ways = found(tmp_path, ollama=server.url)

    assert ["anthropic", "ollama"] == [way.provider for way in ways]
    assert ("llama3.1:8b", "local") == (ways[1].model, ways[1].origin)


def test_ollama_is_not_asked_when_there_is_a_key(tmp_path: Path) -> None:
    with OllamaServer() as server:
        found(tmp_path, {"OPENAI_API_KEY": "key"}, server.url)

        assert 0 == server.connections


@pytest.mark.row("C59")
def test_ollama_without_models_is_not_found(tmp_path: Path) -> None:
    with OllamaServer(models=[]) as server:
        assert [] == found(tmp_path, ollama=server.url)


@pytest.mark.row("C1")
def test_a_store_that_cannot_be_read_is_passed_over_and_reported(tmp_path: Path) -> None:
    saved(tmp_path, openai="key")
    (tmp_path / "koi" / "credentials" / "providers.json").write_text("{")

    assert ["anthropic"] == [way.provider for way in found(tmp_path, {"ANTHROPIC_API_KEY": "key"})]
    [trouble] = troubles(tmp_path)
    assert "providers.json is not valid JSON" in trouble


@pytest.mark.row("C1")
def test_a_store_that_cannot_be_read_is_a_warning_where_nothing_else_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in DEFAULTS:
        monkeypatch.delenv(variable, raising=False)
    saved(tmp_path, openai="key")
    (tmp_path / "koi" / "credentials" / "providers.json").write_text("{")
    koi = opened(tmp_path)

    assert [] == asyncio.run(find_models(koi))
    [warning] = koi.services.warnings.texts
    assert "providers.json is not valid JSON" in warning
    assert "failed at" not in warning


@pytest.mark.row("ONB-09")
@pytest.mark.parametrize("host", ["http://[::1", "[::1", "a b", "http://a:99999", "99999", "a:port", "http://a:0"])
def test_an_ollama_host_that_is_no_address_is_said_and_not_repeated(tmp_path: Path, host: str) -> None:
    [trouble] = troubles(tmp_path, {"OLLAMA_HOST": host})

    assert "OLLAMA_HOST is not a valid address" in trouble
    assert host not in trouble
    assert [] == troubles(tmp_path, {"OLLAMA_HOST": host, "OPENAI_API_KEY": "key"})


@pytest.mark.parametrize(
    "host", ["", "a", "a:1", "11434", ":11434", "::1", "[::1]", "[::1]:1", "0.0.0.0", "http://me:pw@a:1/x y", "'a'"]
)
def test_an_ollama_host_as_its_own_client_takes_it_is_an_address(host: str) -> None:
    assert "" == explain_bad_host(host)


@pytest.mark.row("ONB-10")
def test_the_most_capable_model_is_preferred() -> None:
    names = [f"{name}:latest" for name in PREFERRED]

    for place, name in enumerate(names):
        assert name == best_model(["other", *reversed(names[place:])])
    assert "other" == best_model(["other", "another"])
    assert "llama3.3" == best_model([])


@pytest.mark.row("ONB-11")
def test_the_kinds_of_sources_have_their_names_and_hints() -> None:
    names = "EnvVar ClaudeCliCredentials ClaudeCliKeychain OpenAICodexCli QwenCli OllamaProbe ConfigFile"
    hints = ["from KEY", "from Claude CLI", "from macOS Keychain", "from Codex CLI", "from Qwen CLI", "local", "saved"]

    assert names.split() == list(KeySource)
    assert hints == [source.hint("KEY") for source in KeySource]


@pytest.mark.row("ONB-06")
@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ([sys.executable, "-c", "print('canary-token')"], ["canary-token"]),
        ([sys.executable, "-c", "print('canary-token'); raise SystemExit(44)"], []),
        (["a-command-that-is-not-there"], []),
        ([], []),
    ],
)
def test_the_keychain_is_asked_where_there_is_one(tmp_path: Path, command: Sequence[str], keys: list[str]) -> None:
    machine = LocalMachine(tmp_path, {}, keychain=command, now=0.0)

    ways = asyncio.run(discover(opened(tmp_path), machine, passed_over))
    assert keys == [way.key for way in ways]
    assert all("macOS Keychain" in way.consent for way in ways)
