"""Outages of hours, in no time: the event loop's clock jumps over what is waited."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hosted_chat import HostedChat, SkippingLoop, hosted_chat, until

from openkoi_assistant.hosted_app import AppStatus, HostedApp
from openkoi_assistant.outbox import REPEATED, Outgoing
from openkoi_hookspecs.integrations import Delivery, Post
from openkoi_slack import Slack
from openkoi_testing.apps import FolderApp
from openkoi_testing.servers import SlackServer

ANSWER = "  - says: Paris.\n    repeat: true\n"
Story = Callable[[HostedChat, SkippingLoop], Awaitable[None]]


def play(folder: Path, story: Story) -> None:
    """Let a story happen in a chat whose owner is ann, on a loop that can skip time."""

    async def host() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SkippingLoop)
        async with hosted_chat(folder, ANSWER) as chat:
            chat.pair("ann")
            await chat.answer_to(await chat.say("the capital?"))  # all is imported, and the app is watched
            await chat.gateway.koi.drain()
            await story(chat, loop)

    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        runner.run(host())


@pytest.mark.parametrize("waiting", [False, True], ids=["idle", "with an answer to send"])
def test_an_hour_of_outage_is_seventy_attempts_and_shows_within_half_a_minute(tmp_path: Path, waiting: bool) -> None:
    async def story(chat: HostedChat, loop: SkippingLoop) -> None:
        app, limits = chat.gateway.apps["folder"], chat.gateway.outbox.limits("folder")
        status = app.status
        chat.app.path = chat.app.path.rename(tmp_path / "away").with_name("chat")
        if waiting:
            await chat.say("stop")
        began = loop.time()
        with loop.skip():
            await until(lambda: app.status is AppStatus.UNAVAILABLE, 30.0)
            shown = loop.time() - began
            await asyncio.sleep(3600 - shown)
        tries = app.failures + sum(limits.failures.values())

        assert AppStatus.WATCHING is status
        assert 30 > shown
        assert 55 <= tries <= 70
        (tmp_path / "away").rename(chat.app.path)
        with loop.skip():
            await asyncio.sleep(61)
        await until(lambda: app.status is AppStatus.WATCHING and not chat.unsent())
        if waiting:
            assert "There is nothing to stop." in chat.texts()

    play(tmp_path, story)


def test_a_full_disk_loses_no_message_and_no_answer(tmp_path: Path) -> None:
    async def story(chat: HostedChat, loop: SkippingLoop) -> None:
        app, database = chat.gateway.apps["folder"], chat.gateway.database
        ann = FolderApp(path=chat.app.path, user="ann", bot=False)
        for round in range(2):
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            database.execute(f"PRAGMA max_page_count = {pages + round}")
            for n in range(4):
                await ann.send(Post(f"Which capital, {round}.{n}? {'koi ' * 900}", app="", channel="@ann"))
            await until(lambda: app.status is AppStatus.FAILED)
            assert "full" in app.detail
            database.execute("PRAGMA max_page_count = 100000")
            await until(lambda done=4 * (round + 1): chat.texts().count("Paris.") == 1 + done)  # type: ignore[misc]

        assert 9 == len(chat.tasks)

    play(tmp_path, story)


def test_a_post_that_an_app_fails_to_send_by_a_mistake_of_its_own_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = FolderApp.send

    async def fail_for_red(app: FolderApp, post: Post) -> str:
        return str(1 // 0) if "red" in post.text else await send(app, post)

    async def story(chat: HostedChat, loop: SkippingLoop) -> None:
        monkeypatch.setattr(FolderApp, "send", fail_for_red)
        for text in ("red", "blue"):
            chat.gateway.outbox.put(Outgoing(Post(text, app="folder", channel="@ann", key=text)))
        chat.gateway.outbox.wake("folder")
        await until(lambda: chat.gateway.outbox.is_sent("blue"))

        assert {"sent", "failed"} == chat.gateway.outbox.counts().keys()
        assert "failed at send: ZeroDivisionError" in "".join(chat.gateway.koi.warnings())

    play(tmp_path, story)


def test_an_answer_that_was_sent_while_the_disk_took_nothing_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it was sent could not be noted, so that it is sent again, as after a crash; the daemon is not restarted."""
    send = FolderApp.send

    async def story(chat: HostedChat, loop: SkippingLoop) -> None:
        database = chat.gateway.database

        async def fill_disk(app: FolderApp, post: Post) -> str:
            monkeypatch.setattr(FolderApp, "send", send)
            id = await send(app, post)
            database.execute("PRAGMA query_only = 1")
            return id

        monkeypatch.setattr(FolderApp, "send", fill_disk)
        chat.gateway.outbox.put(Outgoing(Post("red", app="folder", channel="@ann", key="red")))
        chat.gateway.outbox.wake("folder")
        await until(lambda: any("could not be written" in one for one in chat.gateway.koi.warnings()))
        database.execute("PRAGMA query_only = 0")
        await until(lambda: chat.gateway.outbox.is_sent("red"))

        assert [text for text in chat.texts() if "red" in text][-1:] in (["red"], [f"{REPEATED}red"])

    play(tmp_path, story)


@pytest.mark.parametrize("refused", [0, 3], ids=["which can be opened again", "which cannot be opened again at first"])
def test_a_deaf_socket_is_found_in_ninety_seconds_and_opened_anew_and_nothing_is_lost(refused: int) -> None:
    """A socket of Slack is never resumed: each one is opened anew, and what came meanwhile is read from the history."""
    texts, cursor = list[str](), ""

    async def take(_: str, delivery: Delivery) -> None:
        nonlocal cursor
        cursor = delivery.cursor
        texts.extend([delivery.post.text] if delivery.post else [])

    async def story(server: SlackServer) -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SkippingLoop)
        slack = Slack(base_url=f"{server.url}/api", token=server.token, app_token=server.app_token)
        app = HostedApp("slack", slack, take, lambda: cursor, lambda: None, lambda _: None)
        async with slack:
            watching = asyncio.create_task(app.watch())
            await until(lambda: server.sockets and cursor)
            server.say("first")
            await until(lambda: texts == ["first"])
            (socket,) = server.sockets
            socket.deaf = True
            server.sockets.remove(socket)
            server.say("while it was deaf")
            began = loop.time()
            with loop.skip():
                await until(lambda: app.status is AppStatus.UNAVAILABLE, 3600.0)
            found = loop.time() - began
            server.unavailable = bool(refused)
            await until(lambda: app.failures > refused)
            server.unavailable = False
            await until(lambda: texts == ["first", "while it was deaf"])
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        return found

    with SlackServer() as server, asyncio.Runner(loop_factory=SkippingLoop) as runner:
        assert 39 < runner.run(story(server)) <= 90
        opened = [name for name, *_ in server.calls].count("apps.connections.open")

    assert 2 == opened
