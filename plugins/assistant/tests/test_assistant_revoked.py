"""An app whose token is revoked in the middle of a task: its answer waits for the next token, and is sent once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from assistant_process import running, slack_workspace, tasks_begun, telegram_chat, wait_until
from cli_process import Shell


class Service(NamedTuple):
    """A service with a bot whose owner is ann, and how she and the owner of its tokens use it."""

    openkoi: Shell
    say: Callable[[str], object]
    texts: Callable[[], list[str]]
    revoke: Callable[[], dict[str, str]]


@contextmanager
def telegram(folder: Path) -> Iterator[Service]:
    """Serve a bot of Telegram."""
    with telegram_chat(folder) as chat:

        def revoke() -> dict[str, str]:
            chat.server.token = "123456789:AAF-another-token-of-the-bot-0123456789ab"
            return {"TELEGRAM_BOT_TOKEN": chat.server.token}

        yield Service(chat.openkoi, chat.server.say, chat.texts, revoke)


@contextmanager
def slack(folder: Path) -> Iterator[Service]:
    """Serve a workspace."""
    with slack_workspace(folder) as (openkoi, server):

        def revoke() -> dict[str, str]:
            server.token = "xoxb-1-2-another-token-of-the-bot"
            return {"SLACK_BOT_TOKEN": server.token}

        yield Service(openkoi, server.say, lambda: [str(one["text"]) for one in server.list_sent()], revoke)


@pytest.mark.parametrize("app", [telegram, slack], ids=lambda app: app.__name__)
def test_an_answer_outlives_the_token_of_its_app(app: Callable[[Path], Iterator[Service]], tmp_path: Path) -> None:
    name = app.__name__
    with app(tmp_path) as service:  # type: ignore[attr-defined]  # contextmanager made it one
        openkoi = service.openkoi
        with running(openkoi):
            service.say(openkoi("connect", name, "--pair", "owner").stdout.split()[-1])
            wait_until(service.texts)
            service.say("a slow one")
            wait_until(lambda: tasks_begun(openkoi))
            variables = service.revoke()
            status = wait_until(lambda: queued(openkoi("daemon", "status").stdout), 60)
            listed = openkoi("connect", "--list").stdout
            before = [text for text in service.texts() if "It was slow." in text]
        with running(openkoi.with_environment(**variables)):
            wait_until(lambda: "It was slow." in service.texts())
            service.say("the capital?")
            wait_until(lambda: "Paris." in service.texts())

    advice = f"Run `openkoi connect {name}`."
    assert advice in status
    assert "not working: " in listed
    assert advice in listed
    assert not before
    assert 1 == sum("It was slow." in text for text in service.texts())
    assert ["a slow one", "the capital?"] == sorted(tasks_begun(openkoi))


def queued(status: str) -> str:
    """Return a status in which a post waits, and the user is told to sign in."""
    return status if "posts:" in status and "openkoi connect" in status else ""
