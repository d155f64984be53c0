"""``openkoi init`` at a real terminal: what is picked, asked, tried, saved, and what is not."""

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
  Use the arrow keys or a number and press Enter. Press Esc, q or Ctrl-C to quit.

   >  1. Ollama (free, runs locally)            no account needed
      2. Anthropic (claude-sonnet-4-5)          paste API key
      3. OpenAI (gpt-5.2)                       paste API key
      4. OpenRouter (many free models)          free account at openrouter.ai
      5. Other (OpenAI-compatible URL)          any endpoint
"""


@pytest.fixture
def person(tmp_path: Path) -> Shell:
    """Somebody on a fresh machine, on which no Ollama runs."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return shell(tmp_path).with_environment(OLLAMA_HOST=f"127.0.0.1:{place.getsockname()[1]}")


@pytest.fixture
def openai() -> Iterator[OpenAIServer]:
    """The vendor, who knows one key."""
    with OpenAIServer("A teahouse.", models=["first-model", "gpt-5.2"], key=SECRET) as server:
        yield server


def config(person: Shell) -> str:
    file = person.home / "config.toml"
    return file.read_text() if file.exists() else ""


def keys(person: Shell) -> object:
    file = person.home / "credentials" / "providers.json"
    return json.loads(file.read_text()) if file.exists() else {}


@pytest.mark.row("ONB-14", "ONB-18")
def test_the_picker_shows_five_ways_in_order_each_with_its_hint(person: Shell) -> None:
    with terminal(person, "init") as seen:
        seen.shows(LAST)

        shown = [line.strip() for line in seen.screen.splitlines()]
    assert [line.strip() for line in PICKER.splitlines() if line] == [line for line in shown if line]


@pytest.mark.row("ONB-15", "CLI-45")
def test_a_refused_key_is_said_at_once_and_asked_for_again(person: Shell, openai: OpenAIServer) -> None:
    with terminal(person.with_environment(OPENAI_BASE_URL=openai.url), "init") as seen:
        seen.shows(LAST)
        seen.type(DOWN + DOWN + ENTER)
        seen.shows("Paste your OpenAI API key:")
        seen.type(WRONG + ENTER)
        seen.shows("rejected the key (401)")
        assert {} == keys(person)
        seen.type(SECRET + ENTER)
        assert 0 == seen.ends()

    assert {"openai": SECRET} == keys(person)
    assert '[models]\ndefault = "openai/gpt-5.2"\n' == config(person)
    for secret in (SECRET, WRONG):
        assert secret not in seen.raw
        assert secret not in files_text(person.home)


@pytest.mark.row("CLI-45")
def test_a_key_that_expired_is_replaced_and_the_models_stay_as_they_are(person: Shell, openai: OpenAIServer) -> None:
    (person.home / "credentials").mkdir(parents=True, mode=0o700)
    (person.home / "credentials" / "providers.json").write_text(json.dumps({"openai": WRONG, "xai": "kept"}))
    (person.home / "config.toml").write_text('[models]\ndefault = "openai/first-model" # mine\n')

    with terminal(person.with_environment(OPENAI_BASE_URL=openai.url), "init") as seen:
        seen.shows(LAST)
        seen.type(DOWN + DOWN + ENTER)
        seen.shows("Paste your OpenAI API key:")
        seen.type(SECRET + ENTER)
        assert 0 == seen.ends()
    assert "Pick a provider:" in seen.screen
    assert "Using: first-model\n" in seen.screen
    assert {"openai": SECRET, "xai": "kept"} == keys(person)
    assert '[models]\ndefault = "openai/first-model" # mine\n' == config(person)


@pytest.mark.row("CLI-45", "ONB-15")
def test_who_picks_a_provider_uses_it_though_its_key_is_saved_and_another_model_is_the_default(
    person: Shell, openai: OpenAIServer
) -> None:
    (person.home / "credentials").mkdir(parents=True, mode=0o700)
    (person.home / "credentials" / "providers.json").write_text(json.dumps({"openai": WRONG}))
    (person.home / "config.toml").write_text('[models]\ndefault = "claude-sonnet"\n')

    with terminal(person.with_environment(OPENAI_BASE_URL=openai.url), "init") as seen:
        seen.shows(LAST)
        seen.type(f"3{ENTER}")
        seen.shows("Paste your OpenAI API key:")
        seen.type(SECRET + ENTER)
        assert 0 == seen.ends()
    assert "Using: gpt-5.2\n" in seen.screen
    assert '[models]\ndefault = "openai/gpt-5.2"\n' == config(person)


@pytest.mark.row("ONB-15")
def test_after_two_refusals_nothing_is_saved(person: Shell, openai: OpenAIServer) -> None:
    with terminal(person.with_environment(OPENAI_BASE_URL=openai.url), "init") as seen:
        seen.shows(LAST)
        seen.type(DOWN + DOWN + ENTER)
        seen.shows("Paste your OpenAI API key:")
        seen.type(WRONG + ENTER)
        seen.shows("rejected the key (401)")
        seen.type(WRONG + ENTER)
        assert 9 == seen.ends()

    assert "OpenAI rejected the key; nothing was saved." in seen.screen
    assert {} == keys(person)


@pytest.mark.row("ONB-16", "C58", "FLOW-05")
def test_another_server_is_one_line_and_its_first_model_is_used(person: Shell, openai: OpenAIServer) -> None:
    with terminal(person, "init") as seen:
        seen.shows(LAST)
        seen.type(DOWN * 4 + ENTER)
        seen.shows("URL [key]:")
        seen.type(f"{openai.url} {SECRET}{ENTER}")
        assert 0 == seen.ends()

    assert "Using: first-model" in seen.screen
    assert "Paste the API key" not in seen.screen
    assert {"custom": SECRET} == keys(person)
    assert f'[providers.custom]\nbase_url = "{openai.url}"\n\n[models]\ndefault = "custom/first-model"\n' == config(
        person
    )
    assert SECRET not in seen.raw
    with terminal(person, "What is this?") as used:
        assert 0 == used.ends()
    assert "A teahouse." in used.screen


@pytest.mark.row("ONB-16", "C58")
def test_another_server_is_asked_for_its_key_only_when_it_wants_one(person: Shell, openai: OpenAIServer) -> None:
    with terminal(person, "init") as seen:
        seen.shows(LAST)
        seen.type(DOWN * 4 + ENTER)
        seen.shows("URL [key]:")
        seen.type(openai.url.removesuffix("/v1") + ENTER)
        seen.shows("Paste the API key for this server:")
        seen.type(SECRET + ENTER)
        assert 0 == seen.ends()

    assert {"custom": SECRET} == keys(person)
    assert f'base_url = "{openai.url}"' in config(person)


@pytest.mark.row("ONB-16", "C58")
def test_a_key_of_one_server_is_not_shown_to_the_next(person: Shell, openai: OpenAIServer) -> None:
    (person.home / "credentials").mkdir(parents=True, mode=0o700)
    (person.home / "credentials" / "providers.json").write_text(json.dumps({"custom": WRONG}))
    with OpenAIServer(models=["open-model"]) as server:
        with terminal(person, "init") as seen:
            seen.shows(LAST)
            seen.type(DOWN * 4 + ENTER)
            seen.shows("URL [key]:")
            seen.type(server.url + ENTER)
            assert 0 == seen.ends()
        with terminal(person, "What is this?") as used:
            assert 0 == used.ends()

        assert all("authorization" not in request.headers for request in server.requests)


@pytest.mark.row("ONB-16", "C58")
def test_what_is_no_address_is_asked_for_again_once_and_a_key_among_it_is_not_shown(
    person: Shell, openai: OpenAIServer
) -> None:
    with terminal(person, "init") as seen:
        seen.shows(LAST)
        seen.type(f"5{ENTER}")
        seen.shows("URL [key]:")
        seen.type(f"{SECRET} {openai.url}{ENTER}")
        seen.shows("That looks like an API key; it was not sent anywhere.")
        seen.type(f"http://[::1{ENTER}")
        assert 9 == seen.ends()

    assert "That is not a web address. Example: http://localhost:8080/v1" in seen.screen
    assert "No OpenAI-compatible server responded; nothing was saved." in seen.screen
    assert "canary" not in seen.raw
    assert "broke" not in seen.screen
    assert ("", {}, 0) == (config(person), keys(person), openai.connections)


@pytest.mark.row("ONB-16", "C58")
def test_an_address_that_lacks_its_path_is_completed(person: Shell) -> None:
    with OpenAIServer(models=["open-model"]) as server, terminal(person, "init") as seen:
        seen.shows(LAST)
        seen.type(f"5{ENTER}")
        seen.shows("URL [key]:")
        seen.type(f"{server.url}/chat/v2{ENTER}")
        seen.shows("Most addresses end in /v1; check the path.")
        seen.type(server.url.removesuffix("/v1") + ENTER)
        assert 0 == seen.ends()

    assert f'base_url = "{server.url}"' in config(person)


@pytest.mark.row("ONB-16", "C58")
def test_a_server_that_was_given_no_key_does_not_refuse_one(person: Shell, openai: OpenAIServer) -> None:
    with terminal(person, "init") as seen:
        seen.shows(LAST)
        seen.type(f"5{ENTER}")
        seen.shows("URL [key]:")
        seen.type(openai.url + ENTER)
        seen.shows("Paste the API key for this server:")
        asked = seen.screen
        seen.type(WRONG + ENTER)
        seen.shows("rejected the key (401)")
        seen.type(INTERRUPT)
        assert 130 == seen.ends()

    assert f"{openai.url} requires a key." in asked
    assert "refused the key" not in asked
    assert ("", {}) == (config(person), keys(person))


@pytest.mark.row("ONB-17", "C59")
def test_ollama_that_does_not_run_is_told_how_to_get(person: Shell) -> None:
    with terminal(person, "init") as seen:
        seen.shows(LAST)
        seen.type(ENTER)
        assert 9 == seen.ends()

    assert f"Ollama not detected at {person.variables['OLLAMA_HOST']}." in seen.screen
    assert "Install: https://ollama.com/download\n  Then: ollama serve && ollama pull llama3.3" in seen.screen


@pytest.mark.row("ONB-17", "C59")
def test_ollama_without_models_counts_as_not_found_and_is_told_how_to_get_one(person: Shell) -> None:
    with (
        OllamaServer(models=[]) as server,
        terminal(person.with_environment(OLLAMA_HOST=server.url), "What is this?") as seen,
    ):
        seen.shows(LAST)
        seen.type(ENTER)
        assert 9 == seen.ends()

    assert "Ollama is running but has no models.\n  Run: ollama pull llama3.3\n  Then try again." in seen.screen


@pytest.mark.parametrize("keys_before", ["", DOWN + ENTER], ids=["at the picker", "at the key"])
@pytest.mark.parametrize("kind", ["xterm-256color", "dumb"])
def test_an_interruption_ends_with_130_and_saves_nothing(person: Shell, keys_before: str, kind: str) -> None:
    with terminal(person.with_environment(TERM=kind), "init") as seen:
        seen.shows(LAST if kind != "dumb" else "Number (1 to 5):")
        if keys_before:
            seen.type(keys_before if kind != "dumb" else f"2{ENTER}")
            seen.shows("Paste your Anthropic API key:")
        seen.type(INTERRUPT)
        assert 130 == seen.ends()

    assert "[abort] interrupted" in seen.screen
    assert {} == keys(person)
    assert "" == config(person)


@pytest.mark.parametrize("key", [ESCAPE, "q", END], ids=["escape", "q", "end"])
def test_other_keys_leave_the_picker_as_an_interruption_does(person: Shell, key: str) -> None:
    with terminal(person, "init") as seen:
        seen.shows(LAST)
        seen.type(key)
        assert 130 == seen.ends()

    assert "[abort] interrupted" in seen.screen
    assert ({}, "") == (keys(person), config(person))


def test_q_leaves_where_numbers_are_typed(person: Shell) -> None:
    with terminal(person.with_environment(TERM="dumb"), "init") as seen:
        seen.shows("Type a number and press Enter. Press q or Ctrl-C to quit.")
        seen.type(f"q{ENTER}")
        assert 130 == seen.ends()


@pytest.mark.row("ONB-14")
def test_in_a_narrow_terminal_hints_are_cut_at_a_word(person: Shell) -> None:
    with terminal(person, "init", columns=60) as seen:
        seen.shows(LAST)

    assert "OpenRouter (many free models) free account at ...\n" in "\n".join(
        line.rstrip() for line in seen.screen.splitlines()
    )


@pytest.mark.row("ONB-09", "ONB-17")
def test_an_ollama_host_that_is_no_address_is_said(person: Shell) -> None:
    with terminal(person.with_environment(OLLAMA_HOST="http://[::1"), "What is this?") as seen:
        seen.shows(LAST)
        before = seen.screen
        seen.type(ENTER)
        assert 9 == seen.ends()

    assert "! OLLAMA_HOST is not a valid address, so Ollama was skipped." in before
    assert "failed at" not in seen.screen


@pytest.mark.row("C1")
def test_a_store_that_cannot_be_read_is_said_before_a_key_is_asked_for(person: Shell) -> None:
    (person.home / "credentials").mkdir(parents=True, mode=0o700)
    (person.home / "credentials" / "providers.json").write_text("{")

    with terminal(person, "What is this?") as seen:
        assert 2 == seen.ends()
    assert "providers.json is not valid JSON" in seen.screen
    assert "Plugin 'onboarding' failed" not in seen.screen
    doctor = person("doctor")
    assert "providers.json is not valid JSON" in doctor.stdout + doctor.stderr


def test_a_terminal_that_cannot_move_its_cursor_is_asked_for_numbers(person: Shell, openai: OpenAIServer) -> None:
    with terminal(person.with_environment(TERM="dumb", OPENAI_BASE_URL=openai.url), "init") as seen:
        seen.shows("Number (1 to 5):")
        seen.type(f"six{ENTER}")
        seen.shows("Number (1 to 5):", times=2)
        seen.type(f"3{ENTER}")
        seen.shows("Paste your OpenAI API key:")
        seen.type(SECRET + ENTER)
        assert 0 == seen.ends()

    assert {"openai": SECRET} == keys(person)
    assert SECRET not in seen.raw
    assert "\x1b" not in seen.raw


def test_a_terminal_that_cannot_move_its_cursor_is_asked_for_an_address_first(
    person: Shell, openai: OpenAIServer
) -> None:
    with terminal(person.with_environment(TERM="dumb"), "init") as seen:
        seen.shows("Number (1 to 5):")
        seen.type(f"5{ENTER}")
        seen.shows("URL [key]:")
        seen.type(openai.url + ENTER)
        seen.shows("Paste the API key for this server:")
        seen.type(SECRET + ENTER)
        assert 0 == seen.ends()

    assert {"custom": SECRET} == keys(person)
    assert SECRET not in seen.raw


def test_what_hides_the_saved_key_or_the_model_in_the_environment_is_said(person: Shell, openai: OpenAIServer) -> None:
    hidden = {"OPENAI_BASE_URL": openai.url, "OPENAI_API_KEY": WRONG, "OPENKOI_MODEL": "claude-sonnet"}
    with terminal(person.with_environment(**hidden), "init") as seen:
        seen.shows(LAST)
        seen.type(DOWN + DOWN + ENTER)
        seen.shows("Paste your OpenAI API key:")
        seen.type(SECRET + ENTER)
        assert 0 == seen.ends()

    assert "OPENAI_API_KEY is set and overrides the saved key." in seen.screen
    assert "OPENKOI_MODEL is set and overrides this model." in seen.screen


@pytest.mark.row("ONB-14")
def test_init_without_a_terminal_ends_with_9_and_the_variables_to_set(person: Shell) -> None:
    done = person.with_environment(**dict.fromkeys(os.environ.keys() - environment(person).keys(), ""))("init")

    assert 9 == done.returncode
    assert "ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY" in done.stderr
    assert "" == done.stdout
