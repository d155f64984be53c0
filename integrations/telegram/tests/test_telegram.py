"""Test the Telegram app with a Bot API that refuses what Telegram refuses."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from isolated_client import run_isolated

from openkoi_hookspecs import AppRejectedError, AppUnavailableError, SignInRequiredError
from openkoi_hookspecs.integrations import Attachment, Choice, Post
from openkoi_telegram import Telegram
from openkoi_testing.contracts.messenger import (
    ButtonsContract,
    Counterpart,
    DownloadContract,
    EditContract,
    MessengerContract,
    ReactionsContract,
)
from openkoi_testing.servers import TelegramServer

GROUP, USER = -100, 7


@dataclass(slots=True)
class Ann:
    """Another user of Telegram, in a group and a private chat with the bot."""

    server: TelegramServer
    channel: str = str(GROUP)
    direct: str = str(USER)
    mention: str = "@koi_test_bot"

    def connect(self) -> Telegram:
        """Sign in as the bot."""
        return Telegram(base_url=self.server.url, token=self.server.token, poll_seconds=5)

    async def say(self, post: Post) -> str:
        """Write something."""
        content: dict[str, Any] = {}
        if post.attachments:
            (file,) = post.attachments
            content = {"document": self.server.keep_file(file.name, file.media_type, file.data), "caption": post.text}
        if self.mention in post.text:
            place = post.text.index(self.mention)
            content["entities"] = [{"type": "mention", "offset": place, "length": len(self.mention)}]
        text = "" if post.attachments else post.text
        return str(self.server.say(text, chat=int(post.channel), **content))

    async def change(self, post: Post) -> None:
        """Edit a message."""
        self.server.change(int(post.channel), int(post.id), post.text)

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """React to a message."""
        self.server.react(int(channel), int(id), emoji)

    async def press(self, channel: str, id: str, value: str) -> None:
        """Press a button."""
        self.server.press(int(channel), int(id), value)

    async def read(self, channel: str) -> Sequence[Post]:
        """Look at a chat."""
        there = (one for (chat, _), one in self.server.messages.items() if chat == int(channel))
        return [Post(one.get("text", ""), app="", channel=channel, id=str(one["message_id"])) for one in there]

    def outage(self) -> AbstractContextManager[None]:
        """Let Telegram be away."""
        return self.server.outage()


class TestTelegram(
    ButtonsContract,
    DownloadContract,
    EditContract,
    ReactionsContract,
    MessengerContract,
):
    """Test the app with the contract of all messengers."""

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Start the Bot API."""
        with TelegramServer() as server:
            yield Ann(server)


@pytest.mark.timeout(300)  # what is not in the cache is downloaded
def test_the_fake_is_what_aiogram_takes_for_telegram() -> None:
    with TelegramServer() as server:
        id = server.say("hello")
        server.press(USER, id, "yes:1")
        server.limit(99, 600)
        found = run_isolated("aiogram==3.31.0", Path(__file__).with_name("aiogram_client.py"), server.url, server.token)

    assert ("koi_test_bot", ["CallbackQuery", "Message"], ["hello"]) == (found["me"], found["kinds"], found["words"])
    assert ("bold", ["plain", True], ["a b.bin", "00ff"]) == (found["bold"], found["edited"], found["file"])
    long, marks, unknown, early, token = found["errors"]
    assert "message is too long" in long
    assert "can't parse entities" in marks
    assert "message to edit not found" in unknown
    assert early.startswith("retry after ")
    assert token.startswith("TelegramUnauthorizedError")


def test_a_limit_names_its_seconds_and_its_chat_and_a_wrong_token_the_way_out() -> None:
    async def story(server: TelegramServer) -> AppUnavailableError:
        post = Post("x", app="telegram", channel=str(GROUP))
        async with Telegram(base_url=server.url, token=server.token) as bot:
            server.limit(GROUP, 30)
            with pytest.raises(AppUnavailableError) as limited:
                await bot.send(post)
            await bot.send(replace(post, channel=str(USER)))
        for token in ("", "1:nobody"):
            async with Telegram(base_url=server.url, token=token) as bot:
                with pytest.raises(SignInRequiredError, match="openkoi connect telegram"):
                    await bot.send(post)
        return limited.value

    with TelegramServer() as server:
        error = asyncio.run(story(server))

    assert (str(GROUP), True) == (error.bucket, 29 <= (error.retry_after or 0) <= 31)


def test_two_pollers_of_one_bot_are_told_apart() -> None:
    async def story(server: TelegramServer) -> str:
        async with Telegram(base_url=server.url, token=server.token) as bot:
            watching = bot.watch("0")
            await anext(watching)
            before, polling = server.pollers, asyncio.ensure_future(anext(watching))
            async with asyncio.timeout(30):
                while server.pollers == before:  # noqa: ASYNC110 - a thread changes it
                    await asyncio.sleep(0.01)
            await bot.call("getUpdates", offset=0, timeout=0)
            with pytest.raises(AppUnavailableError) as conflict:
                await polling
            return str(conflict.value)

    with TelegramServer() as server:
        assert "Another program is reading" in asyncio.run(story(server))


def test_what_is_being_written_is_a_draft_in_a_private_chat_and_a_message_elsewhere() -> None:
    async def story(server: TelegramServer) -> list[str]:
        async with Telegram(base_url=server.url, token=server.token) as bot:
            post = Post("**one**", app="telegram", channel=str(USER), format="markdown", key="k", partial=True)
            ids = [await bot.send(post), await bot.send(replace(post, text="one two"))]
            return [
                *ids,
                await bot.send(replace(post, channel=str(GROUP))),
                await bot.send(replace(post, partial=False)),
            ]

    with TelegramServer() as server:
        first, second, group, whole = asyncio.run(story(server))

    assert (["", ""], ["one two"]) == ([first, second], list(server.drafts.values()))
    assert [(GROUP, int(group)), (USER, int(whole))] == list(server.messages)


def test_a_group_that_has_become_a_supergroup_remains_the_same_chat(tmp_path: Path) -> None:
    """Supergroups number their messages from one: the fourth there is not the fourth of the group."""

    async def story(server: TelegramServer) -> None:
        connect = partial(
            Telegram,
            folder=tmp_path,
            base_url=server.url,
            token=server.token,
            poll_seconds=1,
            channels=(str(GROUP),),
        )
        post = Post("before", app="telegram", channel=str(GROUP))
        async with connect() as app:
            before = await app.send(post)
            server.upgrade(GROUP, -1001)
            file = Attachment("pond.txt", media_type="text/plain", data=b"koi")
            later = await app.send(replace(post, text="after", attachments=(file,), choices=(Choice("Yes", "t:0"),)))
            await app.edit(replace(post, text="changed", id=later, choices=(Choice("Yes", "t:0"),)))
            with pytest.raises(AppRejectedError, match="supergroup"):  # the gateway then sends another message
                await app.edit(replace(post, text="too late", id=before))
        server.press(-1001, int(later.rpartition("/")[2]), "t:0")
        async with connect() as app:  # as the next process of the daemon
            watching = app.watch("0")
            arrived = [one for _ in range(4) if (one := (await anext(watching)).post)]
            await watching.aclose()
            assert {"supergroups": f"{GROUP} is now -1001"}.items() <= (await app.health()).items()
        assert [(str(GROUP), "t:0", later)] == [(one.channel, one.choice, one.reply_to) for one in arrived[2:]]
        assert len({one.identity for one in arrived}) == len(arrived)

    with TelegramServer() as server:
        asyncio.run(story(server))
        sent = [str(one.get("text", one.get("document", {}).get("file_name"))) for one in server.list_sent(-1001)]
        assert ["changed", "pond.txt"] == sent
        assert ["before"] == [one["text"] for one in server.list_sent(GROUP)]


@pytest.mark.parametrize("channels", [(), (str(GROUP),), ("-1001",)])
def test_the_configured_channels_are_those_of_a_group_before_and_after(
    tmp_path: Path, channels: tuple[str, ...]
) -> None:
    async def story(server: TelegramServer) -> list[str]:
        server.upgrade(GROUP, -1001)
        server.say("in the supergroup", chat=-1001)
        server.say("elsewhere", chat=-1002)
        async with Telegram(
            folder=tmp_path, base_url=server.url, token=server.token, poll_seconds=1, channels=channels
        ) as app:
            watching = app.watch("0")
            await anext(watching)
            arrived = [(await anext(watching)).post for _ in range(4)]
            await watching.aclose()
        return [f"{one.channel} {one.text}" for one in arrived if one and one.text]

    with TelegramServer() as server:
        found = asyncio.run(story(server))
        assert [f"{GROUP} in the supergroup", *([] if channels else ["-1002 elsewhere"])] == found
