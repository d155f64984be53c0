"""A disk that is full from one moment on, and has room again later: nothing is lost, nothing is done twice."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

import pytest
from hosted_chat import HostedChat, hosted_chat, until

from openkoi_assistant.hosted_app import AppStatus
from openkoi_assistant.user_pairing import Role
from openkoi_hookspecs.integrations import Post, Sender
from openkoi_testing.apps import FolderApp

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of a process as POSIX has them")
TURNS = """\
  - when: {last: remove}
    calls: [{tool: run_command, arguments: {command: "rm -rf /etc/koi-pond; echo x >> effects"}}]
    repeat: true
  - when: {contains: remove}
    says: Removed.
    repeat: true
  - when: {last: endless}
    says: Late.
    delay: 600
    repeat: true
  - says: Paris.
    repeat: true
"""
RUN_FAILED = "The task failed: The run log"


@contextmanager
def full_at_write(database: Connection, number: int) -> Iterator[None]:
    """Let no file grow from the database's write of this number on, until this is left."""
    import resource

    limits, writes = resource.getrlimit(resource.RLIMIT_FSIZE), 0

    def count(statement: str) -> None:
        nonlocal writes
        if statement.startswith(("INSERT", "UPDATE", "DELETE")):
            if writes == number:
                resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))
            writes += 1

    database.set_trace_callback(count)
    try:
        yield
    finally:
        database.set_trace_callback(None)
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def unfinished(chat: HostedChat) -> int:
    """Return how much is not done yet."""
    counts = chat.gateway.requests.counts()
    return sum(counts.values()) - counts.get("done", 0) + chat.unsent()


async def until_noticed(chat: HostedChat) -> list[str]:
    """Wait until the daemon says that something cannot be written; return what it says."""
    app = chat.gateway.apps["folder"]
    await until(lambda: chat.gateway.koi.warnings() or app.status is AppStatus.FAILED)
    return [*chat.gateway.koi.warnings(), *([app.detail] if app.status is AppStatus.FAILED else [])]


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5, 7, 10, 13])
def test_a_disk_that_is_full_at_any_write_of_an_approval_neither_loses_nor_repeats_it(
    number: int, tmp_path: Path
) -> None:
    async def host() -> tuple[list[str], str, str]:
        async with hosted_chat(tmp_path, TURNS) as chat:
            chat.pair("ann")
            await chat.answer_to(await chat.say("the capital?"))
            await chat.say("please remove the pond")
            question = await chat.question()
            await until(lambda: not chat.unsent())
            ann = FolderApp(path=chat.app.path, user="ann", bot=False)
            with full_at_write(chat.gateway.database, number):
                await ann.press("@ann", question.id, question.choices[0].value)
                said = await until_noticed(chat)
            await until(lambda: not unfinished(chat))
            _, answer, asked = (one.text for one in chat.sent() if one.sender.id == "koi")
            return said, answer, asked

    said, answer, asked = asyncio.run(host())

    effects = [one.read_text() for one in tmp_path.rglob("effects")]
    assert all("could not be written" in one or "File too large" in one for one in said), said
    assert not any("Error in the assistant" in one for one in said)
    assert asked.endswith(" UTC)")
    assert (answer, effects) == ("Removed.", ["x\n"]) or (answer.startswith(RUN_FAILED) and not effects)


async def pair_ben(chat: HostedChat) -> bool:
    """Let ben send a valid code; return whether he became a member."""
    code = chat.gateway.members.create_code("folder", Role.MEMBER)
    await say_while_full(chat, code, by="ben")
    return chat.gateway.members.role_of("folder", Sender("ben", authenticated=True)) is Role.MEMBER


async def stop_task(chat: HostedChat) -> bool:
    """Let ann stop a task; return whether it ended."""
    endless = await chat.say("an endless task")
    await until(lambda: chat.gateway.turns.active and chat.tasks)
    await say_while_full(chat, "stop")
    return await chat.answer_to(endless) == "Stopped."


async def do_task(chat: HostedChat) -> bool:
    """Let ann ask for something; return whether it was done once."""
    await say_while_full(chat, "the capital?")
    return chat.texts().count("Paris.") == 1 or any(text.startswith(RUN_FAILED) for text in chat.texts())


async def say_while_full(chat: HostedChat, text: str, by: str = "ann") -> None:
    """Let a user write, and the disk be full once that is kept; then let all be done."""
    user = FolderApp(path=chat.app.path, user=by, bot=False)
    with full_at_write(chat.gateway.database, 2):
        await user.send(Post(text, app="", channel=f"@{by}"))
        await until_noticed(chat)
    await until(lambda: not unfinished(chat))


@pytest.mark.parametrize("story", [pair_ben, stop_task, do_task], ids=lambda story: story.__name__)
def test_what_could_be_kept_and_not_be_done_on_a_full_disk_is_done_once_there_is_room(
    story: Callable[[HostedChat], Awaitable[bool]], tmp_path: Path
) -> None:
    async def host() -> None:
        async with hosted_chat(tmp_path, TURNS) as chat:
            chat.pair("ann")
            await until(lambda: chat.gateway.apps["folder"].status is AppStatus.WATCHING)
            assert await story(chat)

    asyncio.run(host())
