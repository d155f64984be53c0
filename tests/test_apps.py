"""Apps on the public contract alone: a messenger over HTTP keeps the contract, and a daemon on it loses nothing."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from acme_chat import Chat
from chat_server import ChatServer
from cli_process import Shell, shell, write_script

from openkoi_hookspecs import AppUnavailableError, SignInRequiredError
from openkoi_hookspecs.integrations import Post
from openkoi_testing.contracts.messenger import (
    ButtonsContract,
    CommitContract,
    Counterpart,
    DownloadContract,
    EditContract,
    HistoryContract,
    IdempotencyContract,
    MessengerContract,
    PostSearchContract,
    ReactionsContract,
    ThreadsContract,
)

HERE = Path(__file__).parent


@dataclass(slots=True)
class Ann:
    """Another user of the chat, who has its web page open."""

    server: ChatServer
    channel: str = "general"
    direct: str = "dm-ann"
    mention: str = "<@koi>"

    def connect(self) -> Chat:
        """Sign in as the bot."""
        return Chat(base_url=self.server.url, token="token-koi")

    async def as_ann(self, call: str, post: Post) -> str:
        """Call the chat as this user."""
        async with Chat(base_url=self.server.url, user="ann", token="token-ann") as chat:
            return str(await getattr(chat, call)(post))

    async def say(self, post: Post) -> str:
        """Post something."""
        return await self.as_ann("send", post)

    async def change(self, post: Post) -> None:
        """Edit a post."""
        await self.as_ann("edit", post)

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """React to a post."""
        self.server.do_press("ann", {"channel": channel, "target": id, "value": emoji, "type": "reaction"})

    async def press(self, channel: str, id: str, value: str) -> None:
        """Press a button."""
        self.server.do_press("ann", {"channel": channel, "target": id, "value": value})

    async def read(self, channel: str) -> Sequence[Post]:
        """Look at a channel."""
        reader = Chat(base_url=self.server.url, user="ann")
        return [reader.read(one) for one in self.server.posts(channel)]

    def outage(self) -> AbstractContextManager[None]:
        """Let the service be away."""
        return self.server.outage()


class TestChat(
    ButtonsContract,
    CommitContract,
    DownloadContract,
    EditContract,
    HistoryContract,
    IdempotencyContract,
    PostSearchContract,
    ReactionsContract,
    ThreadsContract,
    MessengerContract,
):
    """A messenger over HTTP."""

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Start the chat."""
        with ChatServer() as server:
            yield Ann(server)


def test_a_rate_limit_and_a_wrong_token_are_the_contract_s_errors() -> None:
    async def story(server: ChatServer) -> tuple[float | None, str]:
        post = Post("x", app="acme", channel="general")
        async with Chat(base_url=server.url, token="token-koi") as chat:
            server.limited["general"] = time.monotonic() + 30
            with pytest.raises(AppUnavailableError) as limited:
                await chat.send(post)
            await chat.send(replace(post, channel="other"))
        async with Chat(base_url=server.url, token="nonsense") as chat:
            with pytest.raises(SignInRequiredError):
                await chat.send(post)
        return limited.value.retry_after, limited.value.bucket

    with ChatServer() as server:
        seconds, bucket = asyncio.run(story(server))

    assert "general" == bucket
    assert 25 < (seconds or 0) <= 30


TURNS = """\
  - when: {contains: capital, after: 0}
    says: Paris.
    repeat: true
  - when: {contains: write, after: 0}
    calls: [{tool: write_file, arguments: {path: note.txt, content: "hi"}}]
    repeat: true
  - when: {contains: write}
    says: Written.
    repeat: true
  - says: I do not know my password-of-the-bot.
    repeat: true
"""
SETTINGS = """
[integrations.acme]
base_url = "{url}"
[evaluators.judge]
enabled = false
[hooks.guard]
enabled = false
[approvals]
wait_seconds = 60
[iteration]
max_iterations = 0
[use]
sandbox = "plain"
"""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A chat service."""
    with ChatServer() as server:
        yield server


@pytest.fixture
def openkoi(tmp_path: Path, server: ChatServer) -> Shell:
    """The app and its host are installed."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(SETTINGS.format(url=server.url))
    write_script(tmp_path, TURNS)
    host = (HERE / "acme_host.py").read_text()
    there = openkoi.with_plugin(host, integrations="acme_chat:Chat", commands="acme:acme", hooks="acme")
    (tmp_path / "site" / "acme_chat.py").write_text((HERE / "acme_chat.py").read_text())
    return there.with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / 'script.yaml'}", ACME_TOKEN="token-koi")


def say(server: ChatServer, text: str, **facts: Any) -> str:
    """Post something as another user; return its id."""
    return str(server.do_post("ann", {"channel": "general", "text": text, **facts})["ts"])  # type: ignore[index]


def replies(server: ChatServer) -> list[tuple[str, str]]:
    """Return the bot's messages by thread."""
    return [(one["thread"], one["text"]) for one in server.posts("general") if one["user"] == "koi"]


def wait_for(server: ChatServer, count: int, seconds: float = 60) -> list[tuple[str, str]]:
    """Wait until the bot has posted a number of messages, and finished each."""
    until = time.monotonic() + seconds
    while len(there := replies(server)) < count or any(text == "Working ..." for _, text in there):
        assert time.monotonic() < until, there
        time.sleep(0.05)
    return there


def started(openkoi: Shell, server: ChatServer) -> subprocess.Popen[str]:
    """Start the host; return when it watches."""
    server.requests.clear()
    child = openkoi.started("acme", "serve")
    until = time.monotonic() + 60
    while not any(one.path.startswith("/updates") for one in server.requests):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    return child


@contextmanager
def serving(openkoi: Shell, server: ChatServer) -> Iterator[None]:
    """Run the host, and stop it afterwards."""
    child = started(openkoi, server)
    try:
        yield
    finally:
        say(server, "stop", channel="other")
        out, err = child.communicate(timeout=60)
    assert "stopped" in out, err


def test_a_daemon_answers_each_post_once_in_its_thread(openkoi: Shell, server: ChatServer) -> None:
    with serving(openkoi, server):
        first = say(server, "The capital of France?")
        for _ in range(3):
            server.redeliver(first)
        say(server, "buy spam")
        second = say(server, "What is your password?", thread=first)
        there = wait_for(server, 2)

    assert {(first, "Paris."), (first, "I do not know my password-of-the-bot.")} == set(there)
    assert 2 == len(there)
    assert first != second


def test_a_question_is_a_button_and_its_press_the_answer(openkoi: Shell, server: ChatServer) -> None:
    with serving(openkoi, server):
        text = say(server, "Please write a note")
        until = time.monotonic() + 60
        while not (questions := [one for one in server.posts("general") if one.get("buttons")]):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert not (openkoi.folder / "note.txt").exists()
        (yes, value), _ = questions[0]["buttons"]
        server.do_press("ann", {"channel": "general", "target": questions[0]["ts"], "value": value})
        there = wait_for(server, 2)

    assert ("Yes", text) == (yes, questions[0]["thread"])
    assert (text, "Written.") in there
    assert "hi" == (openkoi.folder / "note.txt").read_text()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.campaign)])
def test_a_daemon_that_is_killed_loses_no_post_and_answers_none_twice(
    openkoi: Shell, server: ChatServer, kills: int
) -> None:
    reply = []
    for n in range(kills):
        child = started(openkoi, server)
        reply += [say(server, f"The capital of country {n}.{m}?") for m in range(3)]
        time.sleep(0.3 * (n % 4))
        child.kill()
        child.communicate()
        reply.append(say(server, f"The capital of country {n}, asked while it was away?"))
    with serving(openkoi, server):
        there = wait_for(server, len(reply), seconds=300)

    assert sorted((id, "Paris.") for id in reply) == sorted(there)


def test_nothing_is_sent_to_a_channel_before_its_limit_is_over(openkoi: Shell, server: ChatServer) -> None:
    with serving(openkoi, server):
        server.limited["general"] = over = time.monotonic() + 1.5
        text = say(server, "The capital of France?")
        there = wait_for(server, 1)

    assert [(text, "Paris.")] == there
    assert time.monotonic() > over
    assert 1 == server.refused


@pytest.mark.skipif(os.name != "posix", reason="a terminal as POSIX has it")
def test_an_app_is_signed_in_to_by_a_token_that_is_tried_and_saved(openkoi: Shell, server: ChatServer) -> None:
    from pseudo_terminal import ENTER, terminal

    unsigned = openkoi.with_environment(ACME_TOKEN="")
    for token, text in (
        ("token-of-nobody", "The chat does not accept the token."),
        ("token-koi", "Signed in as koi."),
    ):
        with terminal(unsigned, "acme", "connect") as there:
            there.shows("The token of the bot")
            there.type(token + ENTER)
            there.shows(text)
            there.ends()
        assert token not in there.screen
    saved = openkoi.home / "credentials" / "providers.json"

    assert {"acme.token": "token-koi"} == json.loads(saved.read_text())
    assert 0o600 == saved.stat().st_mode & 0o777
