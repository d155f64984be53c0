"""Test ``openkoi init`` at a real terminal: its choices, questions, checks and saved files."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import OllamaServer, OpenAIServer

if sys.platform == "win32":
    pytest.skip("terminals as POSIX has them", allow_module_level=True)

from pseudo_terminal import DOWN, END, ENTER, ESCAPE, INTERRUPT, environment, files_text, terminal

SECRET = "sk-canary-2342abcdef2342abcdef"
WRONG = "sk-canary-wrong-9999999999999"
LAST = "any endpoint"
PICKER = """
  No API keys found. Pick a provider to get started:
  Use the arrow keys or a number and press Enter. To quit, press Esc or q.

   >  1. Ollama (free, runs locally)            no account needed
      2. Anthropic (claude-sonnet-4-5)          paste API key
      3. OpenAI (gpt-5.2)                       paste API key
      4. OpenRouter (many free models)          free account at openrouter.ai
      5. Other (OpenAI-compatible URL)          any endpoint
"""


@pytest.fixture
def newcomer(tmp_path: Path) -> Shell:
    """A user on a fresh machine without Ollama."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return shell(tmp_path).with_environment(OLLAMA_HOST=f"127.0.0.1:{place.getsockname()[1]}")


@pytest.fixture
def openai() -> Iterator[OpenAIServer]:
    """The vendor, which accepts one key."""
    with OpenAIServer("A teahouse.", models=["first-model", "gpt-5.2"], key=SECRET) as server:
        yield server


def config(openkoi: Shell) -> str:
    file = openkoi.home / "config.toml"
    return file.read_text() if file.exists() else ""


def keys(openkoi: Shell) -> object:
    file = openkoi.home / "credentials" / "providers.json"
    return json.loads(file.read_text()) if file.exists() else {}


@pytest.mark.row("ONB-14", "ONB-18")
def test_the_picker_shows_five_ways_in_order_each_with_its_hint(newcomer: Shell) -> None:
    with terminal(newcomer, "init") as tty:
        tty.shows(LAST)

        lines = [line.strip() for line in tty.screen.splitlines()]
    assert [line.strip() for line in PICKER.splitlines() if line] == [line for line in lines if line]


@pytest.mark.row("ONB-15", "CLI-45")
def test_a_refused_key_is_said_at_once_and_asked_for_again(newcomer: Shell, openai: OpenAIServer) -> None:
    with terminal(newcomer.with_environment(OPENAI_BASE_URL=openai.url), "init") as tty:
        tty.shows(LAST)
        tty.type(DOWN + DOWN + ENTER)
        tty.shows("Paste your OpenAI API key:")
        tty.type(WRONG + ENTER)
        tty.shows("rejected the key (401)")
        assert {} == keys(newcomer)
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()

    assert {"openai": SECRET} == keys(newcomer)
    assert '[models]\ndefault = "openai/gpt-5.2"\n' == config(newcomer)
    for secret in (SECRET, WRONG):
        assert secret not in tty.raw
        assert secret not in files_text(newcomer.home)


@pytest.mark.row("CLI-45")
def test_a_key_that_expired_is_replaced_and_the_models_stay_as_they_are(newcomer: Shell, openai: OpenAIServer) -> None:
    (newcomer.home / "credentials").mkdir(parents=True, mode=0o700)
    (newcomer.home / "credentials" / "providers.json").write_text(json.dumps({"openai": WRONG, "xai": "kept"}))
    (newcomer.home / "config.toml").write_text('[models]\ndefault = "openai/first-model" # mine\n')

    with terminal(newcomer.with_environment(OPENAI_BASE_URL=openai.url), "init") as tty:
        tty.shows(LAST)
        tty.type(DOWN + DOWN + ENTER)
        tty.shows("Paste your OpenAI API key:")
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()
    assert "Pick a provider:" in tty.screen
    assert "Using: first-model\n" in tty.screen
    assert {"openai": SECRET, "xai": "kept"} == keys(newcomer)
    assert '[models]\ndefault = "openai/first-model" # mine\n' == config(newcomer)


@pytest.mark.row("CLI-45", "ONB-15")
def test_who_picks_a_provider_uses_it_though_its_key_is_saved_and_another_model_is_the_default(
    newcomer: Shell, openai: OpenAIServer
) -> None:
    (newcomer.home / "credentials").mkdir(parents=True, mode=0o700)
    (newcomer.home / "credentials" / "providers.json").write_text(json.dumps({"openai": WRONG}))
    (newcomer.home / "config.toml").write_text('[models]\ndefault = "claude-sonnet"\n')

    with terminal(newcomer.with_environment(OPENAI_BASE_URL=openai.url), "init") as tty:
        tty.shows(LAST)
        tty.type(f"3{ENTER}")
        tty.shows("Paste your OpenAI API key:")
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()
    assert "Using: gpt-5.2\n" in tty.screen
    assert '[models]\ndefault = "openai/gpt-5.2"\n' == config(newcomer)


@pytest.mark.row("ONB-15")
def test_after_two_refusals_nothing_is_saved(newcomer: Shell, openai: OpenAIServer) -> None:
    with terminal(newcomer.with_environment(OPENAI_BASE_URL=openai.url), "init") as tty:
        tty.shows(LAST)
        tty.type(DOWN + DOWN + ENTER)
        tty.shows("Paste your OpenAI API key:")
        tty.type(WRONG + ENTER)
        tty.shows("rejected the key (401)")
        tty.type(WRONG + ENTER)
        assert 9 == tty.ends()

    assert "OpenAI rejected the key; nothing was saved." in tty.screen
    assert {} == keys(newcomer)


@pytest.mark.row("ONB-16", "C58", "FLOW-05")
def test_another_server_is_one_line_and_its_first_model_is_used(newcomer: Shell, openai: OpenAIServer) -> None:
    with terminal(newcomer, "init") as tty:
        tty.shows(LAST)
        tty.type(DOWN * 4 + ENTER)
        tty.shows("URL [key]:")
        tty.type(f"{openai.url} {SECRET}{ENTER}")
        assert 0 == tty.ends()

    assert "Using: first-model" in tty.screen
    assert "Paste the API key" not in tty.screen
    assert {"custom": SECRET} == keys(newcomer)
    assert f'[providers.custom]\nbase_url = "{openai.url}"\n\n[models]\ndefault = "custom/first-model"\n' == config(
        newcomer
    )
    assert SECRET not in tty.raw
    with terminal(newcomer, "What is this?") as used:
        assert 0 == used.ends()
    assert "A teahouse." in used.screen


@pytest.mark.row("ONB-16", "C58")
def test_another_server_is_asked_for_its_key_only_when_it_wants_one(newcomer: Shell, openai: OpenAIServer) -> None:
    with terminal(newcomer, "init") as tty:
        tty.shows(LAST)
        tty.type(DOWN * 4 + ENTER)
        tty.shows("URL [key]:")
        tty.type(openai.url.removesuffix("/v1") + ENTER)
        tty.shows("Paste the API key for this server:")
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()

    assert {"custom": SECRET} == keys(newcomer)
    assert f'base_url = "{openai.url}"' in config(newcomer)


@pytest.mark.row("ONB-16", "C58")
def test_a_key_of_one_server_is_not_shown_to_the_next(newcomer: Shell, openai: OpenAIServer) -> None:
    (newcomer.home / "credentials").mkdir(parents=True, mode=0o700)
    (newcomer.home / "credentials" / "providers.json").write_text(json.dumps({"custom": WRONG}))
    with OpenAIServer(models=["open-model"]) as server:
        with terminal(newcomer, "init") as tty:
            tty.shows(LAST)
            tty.type(DOWN * 4 + ENTER)
            tty.shows("URL [key]:")
            tty.type(server.url + ENTER)
            assert 0 == tty.ends()
        with terminal(newcomer, "What is this?") as used:
            assert 0 == used.ends()

        assert all("authorization" not in request.headers for request in server.requests)


@pytest.mark.row("ONB-16", "C58")
def test_what_is_no_address_is_asked_for_again_once_and_a_key_among_it_is_not_shown(
    newcomer: Shell, openai: OpenAIServer
) -> None:
    with terminal(newcomer, "init") as tty:
        tty.shows(LAST)
        tty.type(f"5{ENTER}")
        tty.shows("URL [key]:")
        tty.type(f"{SECRET} {openai.url}{ENTER}")
        tty.shows("That looks like an API key; it was not sent anywhere.")
        tty.type(f"http://[::1{ENTER}")
        assert 9 == tty.ends()

    assert "That is not a web address. Example: http://localhost:8080/v1" in tty.screen
    assert "No OpenAI-compatible server responded; nothing was saved." in tty.screen
    assert "canary" not in tty.raw
    assert "broke" not in tty.screen
    assert ("", {}, 0) == (config(newcomer), keys(newcomer), openai.connections)


@pytest.mark.row("ONB-16", "C58")
def test_an_address_that_lacks_its_path_is_completed(newcomer: Shell) -> None:
    with OpenAIServer(models=["open-model"]) as server, terminal(newcomer, "init") as tty:
        tty.shows(LAST)
        tty.type(f"5{ENTER}")
        tty.shows("URL [key]:")
        tty.type(f"{server.url}/chat/v2{ENTER}")
        tty.shows("Most addresses end in /v1; check the path.")
        tty.type(server.url.removesuffix("/v1") + ENTER)
        assert 0 == tty.ends()

    assert f'base_url = "{server.url}"' in config(newcomer)


@pytest.mark.row("ONB-16", "C58")
def test_a_server_that_was_given_no_key_does_not_refuse_one(newcomer: Shell, openai: OpenAIServer) -> None:
    with terminal(newcomer, "init") as tty:
        tty.shows(LAST)
        tty.type(f"5{ENTER}")
        tty.shows("URL [key]:")
        tty.type(openai.url + ENTER)
        tty.shows("Paste the API key for this server:")
        output = tty.screen
        tty.type(WRONG + ENTER)
        tty.shows("rejected the key (401)")
        tty.type(INTERRUPT)
        assert 130 == tty.ends()

    assert f"{openai.url} requires a key." in output
    assert "refused the key" not in output
    assert ("", {}) == (config(newcomer), keys(newcomer))


@pytest.mark.row("ONB-17", "C59")
def test_ollama_that_does_not_run_is_told_how_to_get(newcomer: Shell) -> None:
    with terminal(newcomer, "init") as tty:
        tty.shows(LAST)
        tty.type(ENTER)
        assert 9 == tty.ends()

    assert f"Ollama not detected at {newcomer.variables['OLLAMA_HOST']}." in tty.screen
    assert "Install: https://ollama.com/download\n      Then: ollama serve && ollama pull llama3.3" in tty.screen


@pytest.mark.row("ONB-17", "C59")
def test_ollama_without_models_counts_as_not_found_and_is_told_how_to_get_one(newcomer: Shell) -> None:
    with (
        OllamaServer(models=[]) as server,
        terminal(newcomer.with_environment(OLLAMA_HOST=server.url), "What is this?") as tty,
    ):
        tty.shows(LAST)
        tty.type(ENTER)
        assert 9 == tty.ends()

    assert "Ollama is running but has no models.\n      Run: ollama pull llama3.3\n      Then try again." in tty.screen


@pytest.mark.parametrize("keys_before", ["", DOWN + ENTER], ids=["at the picker", "at the key"])
@pytest.mark.parametrize("kind", ["xterm-256color", "dumb"])
def test_an_interruption_ends_with_130_and_saves_nothing(newcomer: Shell, keys_before: str, kind: str) -> None:
    with terminal(newcomer.with_environment(TERM=kind), "init") as tty:
        tty.shows(LAST if kind != "dumb" else "Number (1 to 5):")
        if keys_before:
            tty.type(keys_before if kind != "dumb" else f"2{ENTER}")
            tty.shows("Paste your Anthropic API key:")
        tty.type(INTERRUPT)
        assert 130 == tty.ends()

    assert "[abort] interrupted" in tty.screen
    assert {} == keys(newcomer)
    assert "" == config(newcomer)


@pytest.mark.parametrize("key", [ESCAPE, "q", END], ids=["escape", "q", "end"])
def test_other_keys_leave_the_picker_as_an_interruption_does(newcomer: Shell, key: str) -> None:
    with terminal(newcomer, "init") as tty:
        tty.shows(LAST)
        tty.type(key)
        assert 130 == tty.ends()

    assert "[abort] interrupted" in tty.screen
    assert ({}, "") == (keys(newcomer), config(newcomer))


def test_q_leaves_where_numbers_are_typed(newcomer: Shell) -> None:
    with terminal(newcomer.with_environment(TERM="dumb"), "init") as tty:
        tty.shows("Type a number, or q to quit, and press Enter. Ctrl-C also quits.")
        tty.type(f"q{ENTER}")
        assert 130 == tty.ends()


@pytest.mark.row("ONB-14")
def test_in_a_narrow_terminal_hints_are_cut_at_a_word(newcomer: Shell) -> None:
    with terminal(newcomer, "init", columns=60) as tty:
        tty.shows(LAST)

    assert "OpenRouter (many free models) free account at ...\n" in "\n".join(
        line.rstrip() for line in tty.screen.splitlines()
    )


@pytest.mark.row("ONB-09", "ONB-17")
def test_an_ollama_host_that_is_no_address_is_said(newcomer: Shell) -> None:
    with terminal(newcomer.with_environment(OLLAMA_HOST="http://[::1"), "What is this?") as tty:
        tty.shows(LAST)
        before = tty.screen
        tty.type(ENTER)
        assert 9 == tty.ends()

    assert "! OLLAMA_HOST is not a valid address, so Ollama was skipped." in before
    assert "failed at" not in tty.screen


@pytest.mark.row("C1")
def test_a_store_that_cannot_be_read_is_said_before_a_key_is_asked_for(newcomer: Shell) -> None:
    (newcomer.home / "credentials").mkdir(parents=True, mode=0o700)
    (newcomer.home / "credentials" / "providers.json").write_text("{")

    with terminal(newcomer, "What is this?") as tty:
        assert 2 == tty.ends()
    assert "providers.json is not valid JSON" in tty.screen
    assert "Plugin 'onboarding' failed" not in tty.screen
    doctor = newcomer("doctor")
    assert "providers.json is not valid JSON" in doctor.stdout + doctor.stderr


def test_a_terminal_that_cannot_move_its_cursor_is_asked_for_numbers(newcomer: Shell, openai: OpenAIServer) -> None:
    with terminal(newcomer.with_environment(TERM="dumb", OPENAI_BASE_URL=openai.url), "init") as tty:
        tty.shows("Number (1 to 5):")
        tty.type(f"six{ENTER}")
        tty.shows("Number (1 to 5):", times=2)
        tty.type(f"3{ENTER}")
        tty.shows("Paste your OpenAI API key:")
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()

    assert {"openai": SECRET} == keys(newcomer)
    assert SECRET not in tty.raw
    assert "\x1b" not in tty.raw


def test_a_terminal_that_cannot_move_its_cursor_is_asked_for_an_address_first(
    newcomer: Shell, openai: OpenAIServer
) -> None:
    with terminal(newcomer.with_environment(TERM="dumb"), "init") as tty:
        tty.shows("Number (1 to 5):")
        tty.type(f"5{ENTER}")
        tty.shows("URL [key]:")
        tty.type(openai.url + ENTER)
        tty.shows("Paste the API key for this server:")
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()

    assert {"custom": SECRET} == keys(newcomer)
    assert SECRET not in tty.raw


def test_what_hides_the_saved_key_or_the_model_is_said(newcomer: Shell, openai: OpenAIServer) -> None:
    hidden = {"OPENAI_BASE_URL": openai.url, "OPENAI_API_KEY": WRONG, "OPENKOI_MODEL": "claude-sonnet"}
    with terminal(newcomer.with_environment(**hidden), "init") as tty:
        tty.shows(LAST)
        tty.type(DOWN + DOWN + ENTER)
        tty.shows("Paste your OpenAI API key:")
        tty.type(SECRET + ENTER)
        assert 0 == tty.ends()

    assert "OPENAI_API_KEY is set and overrides the saved key." in tty.screen
    assert "OPENKOI_MODEL is set and overrides this model." in tty.screen


@pytest.mark.row("ONB-14")
def test_init_without_a_terminal_ends_with_9_and_the_variables_to_set(newcomer: Shell) -> None:
    result = newcomer.with_environment(**dict.fromkeys(os.environ.keys() - environment(newcomer).keys(), ""))("init")

    assert 9 == result.returncode
    assert "ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY" in result.stderr
    assert "" == result.stdout
