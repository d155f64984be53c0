"""Test each of the four ways to a first result, at a real terminal, with at most two questions."""

import json
import re
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

from openkoi import __version__
from openkoi_testing.servers import AnthropicServer, OllamaServer

if sys.platform == "win32":
    pytest.skip("terminals as POSIX has them", allow_module_level=True)

from late_server import listen_late
from pseudo_terminal import DOWN, ENTER, Terminal, files_text, terminal

SECRET = "sk-ant-canary-4815162342aaaaaaaa"
TOKEN = "sk-ant-oat01-canary-108aaaaaaaaaa"
TASK = "What is in this folder?"
BANNER = f"openkoi v{__version__}"


@pytest.fixture
def newcomer(tmp_path: Path) -> Shell:
    """A user on a fresh machine without Ollama."""
    return shell(tmp_path).with_environment(OLLAMA_HOST=f"127.0.0.1:{unused_port()}")


@pytest.fixture
def anthropic() -> Iterator[AnthropicServer]:
    """The vendor, which accepts one key."""
    with AnthropicServer("It is a teahouse.", models=["claude-sonnet-4-5"], key=SECRET) as server:
        yield server


def unused_port() -> int:
    """Return an unused port."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def no_secret(terminal: Terminal, openkoi: Shell, secret: str) -> None:
    assert secret not in terminal.raw
    assert secret not in files_text(openkoi.home)


def claude_login(home: Path) -> None:
    """The files of the Claude CLI on a machine."""
    folder = home / ".claude"
    folder.mkdir()
    login = {"claudeAiOauth": {"accessToken": TOKEN, "expiresAt": 4_102_444_800_000}}
    (folder / ".credentials.json").write_text(json.dumps(login))


@pytest.mark.row("FLOW-07", "FLOW-05", "ONB-01", "ONB-13", "CLI-23", "CLI-40", "ONB-21")
def test_a_key_in_the_environment_is_used_and_nothing_is_asked(newcomer: Shell, anthropic: AnthropicServer) -> None:
    newcomer = newcomer.with_environment(ANTHROPIC_BASE_URL=anthropic.url, ANTHROPIC_API_KEY=SECRET)

    with terminal(newcomer, TASK) as first:
        assert 0 == first.ends()
    assert f"  {BANNER}\n  Found: anthropic (from ANTHROPIC_API_KEY)\n  Using: claude-sonnet-4-5\n" in first.page
    assert "It is a teahouse." in first.screen
    no_secret(first, newcomer, SECRET)
    with terminal(newcomer, TASK) as second:
        assert 0 == second.ends()
    assert "Found:" not in second.screen
    assert BANNER not in second.screen


@pytest.mark.row("FLOW-07", "FLOW-05", "ONB-05", "C76")
def test_a_login_of_the_claude_cli_is_used_when_a_person_allows_it_once(newcomer: Shell) -> None:
    claude_login(newcomer.home.parent)
    with AnthropicServer("A teahouse.", models=["claude-sonnet-4-5"], key=TOKEN) as server, ExitStack() as stack:
        newcomer = newcomer.with_environment(ANTHROPIC_BASE_URL=server.url)
        first = stack.enter_context(terminal(newcomer, TASK))
        first.shows("Found a Claude CLI login in ~/.claude/.credentials.json. Use it for anthropic? [yes/no]")
        first.type(f"yes{ENTER}")

        assert 0 == first.ends()
        assert "Found: anthropic (from Claude CLI)\n  Using: claude-sonnet-4-5\n" in first.page
        assert f"Bearer {TOKEN}" == server.requests[-1].headers["authorization"]
        no_secret(first, newcomer, TOKEN)
        second = stack.enter_context(terminal(newcomer, TASK))
        assert 0 == second.ends()
        assert "Use it" not in second.screen


@pytest.mark.row("ONB-05", "C76", "ONB-14")
def test_who_does_not_allow_it_is_shown_the_picker(newcomer: Shell) -> None:
    claude_login(newcomer.home.parent)

    with terminal(newcomer, TASK) as tty:
        tty.shows("[yes/no]")
        tty.type(f"no{ENTER}")
        tty.shows("any endpoint")

    assert "No API keys found. Pick a provider to get started:" in tty.screen
    assert TOKEN not in tty.raw


@pytest.mark.row("C76")
def test_a_login_that_the_vendor_refuses_is_told_without_the_token(newcomer: Shell, anthropic: AnthropicServer) -> None:
    claude_login(newcomer.home.parent)

    with terminal(newcomer.with_environment(ANTHROPIC_BASE_URL=anthropic.url), "--verbose", TASK) as tty:
        tty.shows("[yes/no]")
        tty.type(f"yes{ENTER}")
        assert 1 == tty.ends()
    assert "rejected the key (401)" in tty.screen
    no_secret(tty, newcomer, TOKEN)


@pytest.mark.row("FLOW-07", "FLOW-05", "ONB-09", "ONB-10", "ONB-17", "C59")
def test_ollama_is_picked_and_found_when_it_was_started_meanwhile(newcomer: Shell) -> None:
    port = unused_port()
    newcomer = newcomer.with_environment(OLLAMA_HOST=f"127.0.0.1:{port}")
    with OllamaServer("A teahouse.", models=["gemma2:9b", "llama3.3:latest"]) as server, ExitStack() as stack:
        tty = stack.enter_context(terminal(newcomer, TASK))
        tty.shows("any endpoint")
        stack.enter_context(listen_late(port, server.url))
        tty.type(ENTER)

        assert 0 == tty.ends()
        assert "Found Ollama with 2 models. Using: llama3.3:latest\n" in tty.screen
        assert "A teahouse." in tty.screen
        assert "llama3.3:latest" == server.asked[-1]["model"]


@pytest.mark.row("FLOW-07", "FLOW-05", "ONB-14", "ONB-15", "CLI-40", "SEC-02", "C1")
def test_a_key_is_pasted_saved_and_used(newcomer: Shell, anthropic: AnthropicServer) -> None:
    newcomer = newcomer.with_environment(ANTHROPIC_BASE_URL=anthropic.url)

    with terminal(newcomer, TASK) as tty:
        tty.shows("any endpoint")
        tty.type(DOWN + ENTER)
        tty.shows("Paste your Anthropic API key:")
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()
    store = newcomer.home / "credentials" / "providers.json"
    assert BANNER in tty.screen
    assert f"Saved to {store}\n  Using: claude-sonnet-4-5\n" in tty.screen
    assert "It is a teahouse." in tty.screen
    assert {"anthropic": SECRET} == json.loads(store.read_text())
    assert [0o700, 0o600] == [stat.S_IMODE(path.stat().st_mode) for path in (store.parent, store)]
    no_secret(tty, newcomer, SECRET)


@pytest.mark.row("ONB-09", "ONB-13")
def test_an_ollama_that_runs_is_found_without_a_question(newcomer: Shell) -> None:
    with OllamaServer("A teahouse.", models=["mistral:7b", "codestral:22b"]) as server, ExitStack() as stack:
        tty = stack.enter_context(terminal(newcomer.with_environment(OLLAMA_HOST=server.url), TASK))

        assert 0 == tty.ends()
    assert "Found: ollama (local)\n  Using: codestral:22b\n" in tty.page


@pytest.mark.row("ONB-20")
def test_a_model_named_in_a_variable_is_used_and_nothing_is_looked_for(
    newcomer: Shell, anthropic: AnthropicServer
) -> None:
    chosen = {"OPENKOI_MODEL": "claude-haiku", "ANTHROPIC_API_KEY": SECRET, "ANTHROPIC_BASE_URL": anthropic.url}

    with terminal(newcomer.with_environment(**chosen), TASK) as tty:
        tty.ends()
    assert "Found:" not in tty.screen
    assert "claude-haiku-5-5" == anthropic.asked[-1]["model"]


@pytest.mark.row("ONB-14")
def test_without_a_terminal_it_ends_with_9_and_the_variables_to_set(newcomer: Shell) -> None:
    result = newcomer.with_environment(HOME=str(newcomer.home.parent), ANTHROPIC_API_KEY="")(TASK)

    assert 9 == result.returncode
    assert "ANTHROPIC_API_KEY or OPENAI_API_KEY" in result.stderr
    assert "Pick a provider" not in result.stderr


@pytest.mark.row("ONB-19")
def test_five_tips_follow_each_other_and_name_only_commands_that_exist(newcomer: Shell) -> None:
    model = write_script(newcomer.folder, '  - says: "Paris."\n')
    reply = [newcomer("-m", model, "-i", "0", "What is it?").stderr for _ in range(6)]
    tips = [line for text in reply for line in text.splitlines() if line.startswith("Tip: ")]
    commands = newcomer("--help").stdout

    assert 5 == len(set(tips)) == len(tips)
    assert "Tip: " not in reply[-1]
    assert all(f"\n  {name} " in commands for tip in tips for name in re.findall(r"openkoi (\w+)", tip))
