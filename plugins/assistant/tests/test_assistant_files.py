"""Files that arrive: those with a secret in their name, and those that are larger than the service or OpenKoi takes."""

import asyncio
import random
from pathlib import Path

import pytest
from app_users import AppUsers, SlackUsers, TelegramUsers
from hosted_chat import Hosted
from planted_words import make_secret
from test_assistant_apps import answers, play

from openkoi_assistant.database import FILE
from openkoi_hookspecs.content import MAX_FILE_BYTES

each_server = pytest.mark.parametrize("app", ["telegram", "slack"])


def say_with_file(users: AppUsers, name: str, data: bytes, size: int = -1) -> None:
    """Let ann send a file, which has this size as her app says."""
    assert isinstance(users, TelegramUsers | SlackUsers)
    facts = users.server.keep_file(name, "text/plain", data)
    sized = "file_size" if isinstance(users, TelegramUsers) else "size"
    facts = {**facts, sized: len(data) if size < 0 else size}
    if isinstance(users, TelegramUsers):
        users.server.say("", caption="a summary please", document=facts)
    else:
        place = {"channel": users.channel("ann"), "user": "U0000ANN"}
        users.server.say("a summary please", files=[facts], subtype="file_share", **place)


@each_server
def test_a_secret_in_the_name_of_a_file_that_arrives_is_neither_logged_nor_sent(tmp_path: Path, app: str) -> None:
    """The journal has what arrived as it was, for the user of the machine alone, or a task could not be done again."""

    async def story(hosted: Hosted, users: AppUsers) -> None:
        chance = random.Random(2128)
        secrets = [make_secret(n, chance) for n in range(20)]
        for secret in secrets:
            if secret.startswith("the user's own"):
                hosted.gateway.koi.conceal(secret, "a password")
        for n, secret in enumerate(secrets):  # of each other one the model reads the name only
            await asyncio.to_thread(say_with_file, users, f"{secret}.txt", b"koi" * (n % 2))
        assert ["A summary."] * 20 == await answers(hosted, 20)
        await hosted.gateway.koi.drain()
        out = await asyncio.to_thread(users.taken)
        kept = [one for one in (tmp_path / "home").rglob("*") if one.is_file() and not one.name.startswith(FILE)]
        texts = [out, *(one.read_bytes().decode(errors="replace") for one in kept)]

        assert len(kept) > 3
        assert [] == [secret for secret in secrets for text in texts if secret in text]

    play(tmp_path, app, story)


@each_server
@pytest.mark.parametrize(
    ("size", "said"),
    [(22_000_000, -1), (MAX_FILE_BYTES + 1, -1), (MAX_FILE_BYTES + 1, 3), (22_000_000, 0)],
    ids=["beyond the service's limit", "beyond ours", "and says that it is small", "both, and says nothing"],
)
def test_a_file_that_is_too_large_is_named_and_the_task_is_done(tmp_path: Path, app: str, size: int, said: int) -> None:
    async def story(hosted: Hosted, users: AppUsers) -> None:
        await asyncio.to_thread(say_with_file, users, "pond.txt", bytes(size), said)

        assert ["A summary."] == await answers(hosted, 1)
        (task,) = hosted.tasks
        assert "[files not read: empty, deleted, too large or too many] pond.txt" in task.context
        assert not task.parts

    play(tmp_path, app, story)
