"""Connecting an app: one prompt, a token that is proved and saved for its user alone, and the app is there."""

import json
import os
from pathlib import Path

import pytest
from assistant_process import make_chat, running, slack_workspace, telegram_chat, wait_until
from cli_process import shell

from openkoi_testing.servers import NotionServer

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a terminal as POSIX has it")


def test_an_app_that_is_not_configured_says_what_it_needs(tmp_path: Path) -> None:
    doctor = " ".join(shell(tmp_path)("doctor").stdout.split())

    assert "folder: not working (from openkoi-testing): folder needs path" in doctor
    assert "! folder needs path" not in doctor


@pytest.mark.row("CLI-06", "INT-06")
def test_telegram_is_connected_by_one_prompt_and_its_owner_by_a_code(tmp_path: Path) -> None:
    from pseudo_terminal import ENTER, terminal

    with telegram_chat(tmp_path) as chat:
        openkoi = chat.openkoi.with_environment(TELEGRAM_BOT_TOKEN="")
        assert "not connected" in openkoi("doctor").stdout
        refused = openkoi("connect", "telegram")
        for token, message in (("1:nobody", "rejected the bot token"), (chat.server.token, "as @koi_test_bot")):
            with terminal(openkoi, "connect", "telegram") as there:
                there.shows("Token of your bot")
                there.type(token + ENTER)
                there.shows(message)
                there.ends()
            assert token not in there.screen
        code = next(line for line in there.screen.splitlines() if "owner:" in line).split()[-1]
        saved = openkoi.home / "credentials" / "providers.json"
        output = openkoi("connect", "--list").stdout
        chat.openkoi = openkoi
        chat.server.say(f"/start {code}")  # as the command says: before the daemon is started
        with running(openkoi):
            wait_until(lambda: any("owner" in text for text in chat.texts()))
            chat.server.say("the capital?")
            wait_until(lambda: "Paris." in chat.texts())
        doctor = openkoi("doctor").stdout
        listed = openkoi("connect", "--list").stdout

    assert "             7 ann (owner)\n" in listed
    assert "needs a terminal" in refused.stderr
    assert {"telegram.token": chat.server.token} == json.loads(saved.read_text())
    assert 0o600 == saved.stat().st_mode & 0o777
    assert "telegram     connected, bot @koi_test_bot" in output
    assert "bot @koi_test_bot" in doctor
    assert "users of telegram ann (owner)" in doctor


def test_slack_is_connected_by_two_prompts_below_its_manifest(tmp_path: Path) -> None:
    from pseudo_terminal import ENTER, terminal

    with slack_workspace(tmp_path) as (connected, server):
        openkoi = connected.with_environment(SLACK_BOT_TOKEN="", SLACK_APP_TOKEN="")
        with terminal(openkoi, "connect", "slack") as there:
            there.shows("socket_mode_enabled: true")
            there.shows("Bot User OAuth Token")
            there.type(server.token + ENTER)
            there.shows("App-Level Tokens")
            there.type(server.app_token + ENTER)
            there.shows("as @koi in Pond")
            there.shows("openkoi daemon start")
            there.ends()
        code = next(line for line in there.screen.splitlines() if "owner:" in line).split()[-1]
        server.say(code)  # as the command says: before the daemon is started
        with running(openkoi):
            wait_until(lambda: any("owner" in str(one["text"]) for one in server.list_sent()))
        listed = openkoi("connect", "--list").stdout

    assert "             U0000ANN (owner)\n" in listed  # Slack's events name no one
    assert server.token not in there.screen
    assert server.app_token not in there.screen


def test_slack_says_which_of_its_tokens_is_refused(tmp_path: Path) -> None:
    """The first one is proved before the second is asked for."""
    from pseudo_terminal import ENTER, terminal

    with slack_workspace(tmp_path) as (connected, server):
        openkoi = connected.with_environment(SLACK_BOT_TOKEN="", SLACK_APP_TOKEN="")
        with terminal(openkoi, "connect", "slack") as there:
            there.shows("Bot User OAuth Token")
            there.type(server.app_token + ENTER)
            there.shows("Slack rejected the bot token (invalid_auth). Run `openkoi connect slack`.")
            there.ends()
        with terminal(openkoi, "connect", "slack") as again:
            again.shows("Bot User OAuth Token")
            again.type(server.token + ENTER)
            again.shows("App-Level Tokens")
            again.type(server.token + ENTER)
            again.shows("Slack rejected the app-level token (invalid_auth). Run `openkoi connect slack`.")
            again.ends()

    assert "App-Level Tokens" not in there.screen


VARIABLES = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "NOTION_TOKEN", "NOTION_API_KEY", "MATRIX_TOKEN", "EMAIL_PASSWORD")


def test_an_app_with_settings_but_no_token_is_not_connected(tmp_path: Path) -> None:
    names = ("email", "matrix", "notion", "slack", "telegram")
    with telegram_chat(tmp_path) as chat:
        openkoi = chat.openkoi.with_environment(TELEGRAM_BOT_TOKEN="", **dict.fromkeys(VARIABLES, ""))
        config = openkoi.home / "config.toml"
        tables = [f'[integrations.{name}]\nchannels = ["7"]\n' for name in ("matrix", "slack")]
        tables += ['[integrations.notion]\nparent = "7"\n', "[integrations.email]\nidle_seconds = 50\n"]
        config.write_text("\n".join([config.read_text(), *tables]))

        listed = openkoi("connect", "--list").stdout
        doctor = openkoi("doctor").stdout

    for name in names:
        assert f"{name:<12} not connected\n" in listed
        assert f"{name}: not connected" in " ".join(doctor.split())
        assert f"! {name.capitalize()} is not connected. Run `openkoi connect {name}`." in doctor
    assert "rejected" not in listed + doctor


def test_an_app_whose_token_is_rejected_is_not_working(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat:
        openkoi = chat.openkoi.with_environment(TELEGRAM_BOT_TOKEN="1:revoked")

        listed = openkoi("connect", "--list").stdout
        doctor = openkoi("doctor").stdout

    problem = "Telegram rejected the bot token. Run `openkoi connect telegram`."
    assert f"telegram     not working: {problem}" in listed
    assert "telegram: not working" in " ".join(doctor.split())
    assert f"! {problem}" in doctor


def test_notion_is_connected_by_two_prompts(tmp_path: Path) -> None:
    from pseudo_terminal import ENTER, terminal

    chat = make_chat(tmp_path)
    with NotionServer() as server:
        config = chat.openkoi.home / "config.toml"
        config.write_text(f'{config.read_text()}\n[integrations.notion]\nbase_url = "{server.url}/v1"\n')
        with terminal(chat.openkoi, "connect", "notion") as there:
            there.shows("Paste its secret")
            there.type(server.token + ENTER)
            there.shows("URL of the shared page")
            there.type(server.pages[server.root]["url"] + ENTER)
            there.shows("under the page 'Root'")
            there.shows("notion_write_doc")
            there.ends()
        output = chat.openkoi("connect", "--list").stdout

    assert server.root in config.read_text()
    assert "Send this code" not in there.screen
    assert "notion       connected, integration Koi, documents" in output


def test_an_unknown_app_names_what_is_there_and_how_to_install_it(tmp_path: Path) -> None:
    result = make_chat(tmp_path).openkoi("connect", "telegrm")

    assert 2 == result.returncode
    assert "No integration named 'telegrm'." in result.stderr
    assert "Did you mean 'telegram'?" in result.stderr


@pytest.mark.row("INT-04", "C43")
def test_a_connected_app_is_tools_that_read_freely_and_write_after_a_question(tmp_path: Path) -> None:
    turns = """\
  - when: {last: say hello}
    calls: [{tool: folder_send, arguments: {target: team, message: Hello!}}]
    repeat: true
  - when: {last: what was said}
    calls:
      - {tool: folder_read, arguments: {channel: team}}
      - {tool: folder_search, arguments: {text: Hello}}
      - {tool: folder_list_docs, arguments: {}}
    repeat: true
  - when: {last: write it down}
    calls:
      - {tool: write_file, arguments: {path: koi.txt, content: red}}
      - {tool: folder_write_doc, arguments: {content: "# Koi", title: pond}}
    repeat: true
  - says: Done.
    repeat: true
"""
    chat = make_chat(tmp_path, turns)
    config = chat.openkoi.home / "config.toml"
    config.write_text(config.read_text().replace('checkpoints = ""', ""))
    refused = chat.openkoi("say hello")
    assert chat.texts("team") == []
    chat.openkoi("approve")
    approved = chat.openkoi("resume")
    result = chat.openkoi("what was said", "--format", "json")
    process = chat.openkoi("write it down")
    chat.openkoi("approve")
    chat.openkoi("resume")

    assert (8, 0, 0, 8) == (refused.returncode, approved.returncode, result.returncode, process.returncode)
    undone = chat.openkoi("undo")
    only_sent = chat.openkoi("undo", task_of(chat.openkoi("status").stdout, "say hello"))
    assert "not undone: folder_write_doc: Wrote pond" in undone.stderr
    assert "Undid task" in undone.stdout
    assert "Not undone: folder_send: Sent to team as" in only_sent.stderr
    assert ["Hello!"] == chat.texts("team")
    assert "# Koi" == (chat.path / "documents" / "pond.md").read_text()


def task_of(status: str, text: str) -> str:
    """Return the id of the task with a text."""
    return next(line.split()[2] for line in status.splitlines() if line.endswith(text))
