"""Run the assistant as its users do: a daemon process of its own, and a chat that is a folder."""

import asyncio
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from cli_process import Shell, shell, write_script

from openkoi_hookspecs.integrations import Post
from openkoi_testing.apps import FolderApp

T = TypeVar("T")
SETTINGS = """
[integrations.folder]
path = "{path}"
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
  - when: {contains: capital, after: 0}
    says: Paris.
    repeat: true
  - when: {contains: remove, after: 0}
    calls: [{tool: shell, arguments: {command: "rm -rf build"}}]
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
        printed = self.openkoi("connect", "folder", "--pair", role).stdout
        count = len(self.posts(channel or f"@{name}"))
        self.say(printed.split()[-1], by=name, channel=channel or f"@{name}")
        wait_until(lambda: len(self.posts(channel or f"@{name}")) > count)

    def model_calls(self) -> int:
        """Return how many times a model was asked."""
        log = self.openkoi.home.parent / "home" / "data"
        return sum(file.read_text().count('"model.response"') for file in log.rglob("*.jsonl"))


def wait_until(check: Callable[[], T], seconds: float = 30.0) -> T:
    """Wait until something is true."""
    until = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.03)
    return found


def make_chat(folder: Path, turns: str = TURNS, more: str = "") -> Chat:
    """Make an empty chat and a home that is connected to it."""
    made = shell(folder)
    made.home.mkdir()
    path = folder / "chat"
    path.mkdir()
    (made.home / "config.toml").write_text(SETTINGS.format(path=path, more=more))
    write_script(folder, turns)
    return Chat(made.told(OPENKOI_MODEL=f"scripted/{folder / 'script.yaml'}"), path)


def start(chat: Chat) -> "subprocess.Popen[str]":
    """Start the daemon in the foreground; return when it hosts the chat."""
    child = chat.openkoi.started("daemon", "run")
    state = chat.openkoi.home / "data" / "assistant" / "state.json"
    until = time.monotonic() + 30
    while not (state.exists() and '"watching"' in state.read_text()):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < until, state.read_text() if state.exists() else "no state"
        time.sleep(0.02)
    return child


@contextmanager
def running(chat: Chat) -> Iterator["subprocess.Popen[str]"]:
    """Run the daemon as long as this is entered; it ends when it is asked to."""
    child = start(chat)
    try:
        yield child
    finally:
        child.terminate()
        out, err = child.communicate(timeout=30)
    assert child.returncode == 0, out + err
