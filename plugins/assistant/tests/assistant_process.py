"""Run the assistant as its users do: a daemon process of its own, and a chat that is a folder."""

import asyncio
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from cli_process import Shell, shell, write_script

from openkoi_hookspecs.integrations import Post
from openkoi_testing.apps import FolderApp
from openkoi_testing.servers import SlackServer, TelegramServer

T = TypeVar("T")
SETTINGS = """
{app}
[evaluators.judge]
enabled = false
[iteration]
max_iterations = 0
[use]
sandbox = "plain"
checkpoints = ""
{more}
"""
TURNS = """\
  - when: {last: capital}
    says: Paris.
    repeat: true
  - when: {last: slow}
    says: It was slow.
    delay: 1.0
    repeat: true
  - when: {last: endless}
    says: It ended.
    delay: 60.0
    repeat: true
  - when: {last: remove}
    calls: [{tool: run_command, arguments: {command: "rm -rf /etc/koi-pond"}}]
    repeat: true
  - when: {contains: remove}
    says: Removed.
    repeat: true
  - says: I do not know.
    repeat: true
"""


@dataclass(slots=True)
class Chat:
    """A chat that is a folder, with the assistant in it, and the command line of its owner."""

    openkoi: Shell
    path: Path

    def user(self, name: str, *, bot: bool = False) -> FolderApp:
        """Return the chat as a user has it."""
        return FolderApp(path=self.path, user=name, bot=bot)

    def say(self, text: str, *, by: str = "ann", channel: str = "@ann", thread: str = "") -> str:
        """Post something; return its id."""
        return asyncio.run(self.user(by).send(Post(text, app="", channel=channel, thread=thread)))

    def press(self, post: Post, value: str, *, by: str = "ann") -> None:
        """Press a button."""
        asyncio.run(self.user(by).press(post.channel, post.id, value))

    def posts(self, channel: str = "@ann", thread: str = "") -> list[Post]:
        """Return what the assistant has posted in a channel, as it is now."""
        there = asyncio.run(self.user("ann").history(channel, thread=thread, limit=100_000))
        return [one for one in there if one.sender.id == "koi"]

    def texts(self, channel: str = "@ann", thread: str = "") -> list[str]:
        """Return the texts that the assistant has posted."""
        return [one.text for one in self.posts(channel, thread)]

    def pair(self, name: str = "ann", role: str = "owner", channel: str = "") -> None:
        """Pair a user by a code from the terminal; the daemon runs."""
        output = self.openkoi("connect", "folder", "--pair", role).stdout
        count = len(self.posts(channel or f"@{name}"))
        self.say(output.split()[-1], by=name, channel=channel or f"@{name}")
        wait_until(lambda: len(self.posts(channel or f"@{name}")) > count)


def tasks_begun(openkoi: Shell) -> list[str]:
    """Return the texts of all tasks that were begun, each as often as it was."""
    lines = (
        line for file in log_files(openkoi) for line in file.read_text().splitlines() if '"type":"task_start"' in line
    )
    return [str(json.loads(line)["description"]) for line in lines]


def model_calls(openkoi: Shell) -> int:
    """Return how many times a model was asked."""
    return sum(file.read_text().count('"type":"model.response"') for file in log_files(openkoi))


def log_files(openkoi: Shell) -> list[Path]:
    """Return the files of the run log."""
    return sorted((openkoi.home / "data" / "sessions").glob("*.jsonl"))


def wait_until(check: Callable[[], T], seconds: float = 30.0) -> T:
    """Wait until a condition is true."""
    until = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.03)
    return found


def make_chat(folder: Path, turns: str = TURNS, more: str = "") -> Chat:
    """Make an empty chat and a home that is connected to it."""
    openkoi = shell(folder)
    openkoi.home.mkdir()
    path = folder / "chat"
    path.mkdir()
    (openkoi.home / "config.toml").write_text(SETTINGS.format(app=f'[integrations.folder]\npath = "{path}"', more=more))
    write_script(folder, turns)
    return Chat(openkoi.with_environment(OPENKOI_MODEL=f"scripted/{folder / 'script.yaml'}"), path)


def start(openkoi: Shell) -> "subprocess.Popen[str]":
    """Start the daemon in the foreground; return when it hosts the chat."""
    child = openkoi.started("daemon", "run")
    state = openkoi.home / "data" / "assistant" / "state.json"
    until = time.monotonic() + 30
    while not (state.exists() and '"watching"' in state.read_text()):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < until, state.read_text() if state.exists() else "no state"
        time.sleep(0.02)
    return child


@contextmanager
def running(openkoi: Shell) -> Iterator["subprocess.Popen[str]"]:
    """Run the daemon as long as this is entered; it ends when it is asked to."""
    child = start(openkoi)
    try:
        yield child
    finally:
        child.terminate()
        out, err = child.communicate(timeout=30)
    assert child.returncode == 0, out + err


@dataclass(slots=True)
class TelegramChat:
    """A private chat with a bot on Telegram, and the command line of its owner."""

    openkoi: Shell
    server: TelegramServer

    def texts(self, chat: int = 7) -> list[str]:
        """Return what the bot has said."""
        return [str(one.get("text", "")) for one in self.server.list_sent(chat)]

    def pair(self, user: int = 7, role: str = "owner", name: str = "ann") -> None:
        """Pair a user by a code from the terminal; the daemon runs."""
        code = self.openkoi("connect", "telegram", "--pair", role).stdout.split()[-1]
        count = len(self.texts(user))
        self.server.say(code, user=user, name=name)
        wait_until(lambda: len(self.texts(user)) > count)

    def question(self, chat: int = 7) -> dict[str, Any]:
        """Wait for a message with buttons; return it."""
        return wait_until(lambda: next((one for one in self.server.list_sent(chat) if "reply_markup" in one), {}))


def button(message: dict[str, Any], label: str) -> str:
    """Return what a press of a button sends."""
    return next(
        str(one["callback_data"]) for (one,) in message["reply_markup"]["inline_keyboard"] if one["text"] == label
    )


@contextmanager
def telegram_chat(folder: Path, turns: str = TURNS, more: str = "") -> Iterator[TelegramChat]:
    """Serve a bot, and make a home that is connected to it."""
    openkoi = shell(folder)
    openkoi.home.mkdir()
    write_script(folder, turns)
    with TelegramServer() as server:
        app = f'[integrations.telegram]\nbase_url = "{server.url}"'
        (openkoi.home / "config.toml").write_text(SETTINGS.format(app=app, more=more))
        model = f"scripted/{folder / 'script.yaml'}"
        yield TelegramChat(openkoi.with_environment(OPENKOI_MODEL=model, TELEGRAM_BOT_TOKEN=server.token), server)


@contextmanager
def slack_workspace(folder: Path, turns: str = TURNS, more: str = "") -> Iterator[tuple[Shell, SlackServer]]:
    """Serve a workspace, and make a home that is connected to it."""
    openkoi = shell(folder)
    openkoi.home.mkdir()
    write_script(folder, turns)
    with SlackServer() as server:
        app = f'[integrations.slack]\nbase_url = "{server.url}/api"\nfiles_url = "{server.url}"'
        (openkoi.home / "config.toml").write_text(SETTINGS.format(app=app, more=more))
        tokens = {"SLACK_BOT_TOKEN": server.token, "SLACK_APP_TOKEN": server.app_token}
        yield openkoi.with_environment(OPENKOI_MODEL=f"scripted/{folder / 'script.yaml'}", **tokens), server
