"""Test the Slack app with a workspace that refuses what Slack refuses."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, aclosing, contextmanager
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from time import time
from typing import Any

import pytest
from isolated_client import run_isolated

from openkoi_assistant.splitting import split_text
from openkoi_hookspecs import AppRejectedError, AppUnavailableError, SignInRequiredError
from openkoi_hookspecs.integrations import Attachment, Choice, Delivery, Document, Post
from openkoi_slack import Slack
from openkoi_slack.events import EMOJI, read_message
from openkoi_slack.messages import content_of
from openkoi_slack.slack import begin_at
from openkoi_testing import DocumentsContract
from openkoi_testing.contracts.messenger import (
    ButtonsContract,
    CommitContract,
    Counterpart,
    DownloadContract,
    EditContract,
    HistoryContract,
    MessengerContract,
    ReactionsContract,
    ThreadsContract,
)
from openkoi_testing.markdown_samples import count_letters, draw_markdown
from openkoi_testing.servers import SlackServer
from openkoi_testing.servers.slack_rules import check_content


@dataclass(slots=True)
class Ann:
    """Another user of the workspace."""

    server: SlackServer
    channel: str = "C0000POND"
    direct: str = "D00000ANN"
    mention: str = "<@U0000KOI>"

    def connect(self) -> Slack:
        """Sign in as the bot."""
        return sign_in(self.server)

    async def say(self, post: Post) -> str:
        """Write something."""
        files = [self.server.keep_file(one.name, one.media_type, one.data) for one in post.attachments]
        content: dict[str, Any] = {"files": files, "subtype": "file_share"} if files else {}
        thread: dict[str, Any] = {"thread_ts": post.thread} if post.thread else {}
        return await asyncio.to_thread(lambda: self.server.say(post.text, channel=post.channel, **content, **thread))

    async def change(self, post: Post) -> None:
        """Edit a message."""
        self.server.change(post.channel, post.id, post.text)

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """React to a message."""
        self.server.react(channel, id, EMOJI[emoji])

    async def press(self, channel: str, id: str, value: str) -> None:
        """Press a button."""
        self.server.press(channel, id, value)

    async def read(self, channel: str) -> Sequence[Post]:
        """Look at a channel."""
        return [Post(one["text"], app="", channel=channel, id=one["ts"]) for one in self.server.in_channel(channel)]

    def outage(self) -> AbstractContextManager[None]:
        """Let Slack be away."""
        return self.server.outage()


def sign_in(server: SlackServer) -> Slack:
    """Return the app, connected to a fake."""
    return Slack(base_url=f"{server.url}/api", files_url=server.url, token=server.token, app_token=server.app_token)


class TestSlack(
    ButtonsContract,
    CommitContract,
    DownloadContract,
    EditContract,
    HistoryContract,
    ReactionsContract,
    ThreadsContract,
    MessengerContract,
):
    """Test the app with the contract of all messengers."""

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Start the workspace."""
        with SlackServer() as server:
            yield Ann(server)


class TestSlackDocuments(DocumentsContract):
    """Test the app with the contract of all apps with documents, which are canvases here."""

    @contextmanager
    def app(self, folder: Path) -> Iterator[Slack]:
        """Start the workspace."""
        with SlackServer() as server:
            yield sign_in(server)


def test_a_text_is_read_as_a_document_and_is_not_replaced() -> None:
    async def story(server: SlackServer) -> tuple[Document, list[str]]:
        text = server.keep_file("notes.txt", "text/plain", "the koi\u2019s notes".encode())
        image = server.keep_file("koi.png", "image/png", b"\x89PNG")
        async with sign_in(server) as app:
            canvas = await app.write_document(Document("x", title="In the pond", folder="C0000POND"))
            there = [one.id for one in await app.list_documents("C0000POND")]
            assert [canvas.id] == there
            read = await app.read_document(text["id"])
            with pytest.raises(AppRejectedError, match="which Slack cannot replace"):
                await app.write_document(replace(read, text="mine"))
            with pytest.raises(AppRejectedError, match="neither a canvas nor a text"):
                await app.read_document(image["id"])
            renamed = await app.write_document(replace(canvas, title="In the lake"))
            return read, [renamed.title, *sorted(one.title for one in await app.list_documents())]

    with SlackServer() as server:
        document, titles = asyncio.run(story(server))

    assert ("the koi\u2019s notes", "notes.txt") == (document.text, document.title)
    assert ["In the lake", "In the lake", "notes.txt"] == titles


@pytest.mark.timeout(300)  # what is not in the cache is downloaded
def test_the_fake_is_what_slack_s_own_sdk_takes_for_slack() -> None:
    with SlackServer() as server:
        server.limit("C0000LATE", 600)
        found = run_isolated(
            "slack-sdk==3.47.0",
            Path(__file__).with_name("slack_sdk_client.py"),
            server.url,
            server.token,
            server.app_token,
        )
        left = dict(server.envelopes)

    assert ["koi", "Pond"] == found["me"]
    assert ["# Koi\n\nred", 1, "quip", "Pond"] == found["canvas"]
    assert ["changed", "in the thread"] == found["thread"]
    assert ["", "changed"] == found["history"]
    assert "it grows and ends" == found["stream"]
    long, blocks, early = found["errors"]
    assert ("msg_too_long", "invalid_blocks") == (long, blocks)
    assert early.startswith("ratelimited 5") or early.startswith("ratelimited 6")
    assert (["events_api over the socket"], {}) == (found["envelopes"], left)


def test_a_limit_names_its_seconds_and_a_wrong_token_the_way_out() -> None:
    async def story(server: SlackServer) -> AppUnavailableError:
        post = Post("x", app="slack", channel="C0000POND")
        async with sign_in(server) as bot:
            server.limit("C0000POND", 30)
            with pytest.raises(AppUnavailableError) as limited:
                await bot.send(post)
            await bot.send(replace(post, channel="D00000ANN"))
        server.token = "xoxb-another"
        async with Slack(base_url=f"{server.url}/api", token="xoxb-expired") as bot:
            with pytest.raises(SignInRequiredError, match="openkoi connect slack"):
                await bot.send(post)
        return limited.value

    with SlackServer() as server:
        error = asyncio.run(story(server))

    assert ("C0000POND", True) == (error.bucket, 29 <= (error.retry_after or 0) <= 31)


async def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - a thread changes it
            await asyncio.sleep(0.01)


async def next_text(deliveries: AsyncGenerator[Delivery, None]) -> tuple[str, str]:
    """Wait for the next post; return the cursor after it and its text."""
    async for one in deliveries:
        if one.post:
            return one.cursor, one.post.text
    raise AssertionError("it ended")


def test_what_is_not_acknowledged_comes_again_on_the_next_socket() -> None:
    async def story(server: SlackServer) -> list[str]:
        ann, texts = Ann(server), []
        for commits in (False, True):
            async with sign_in(server) as bot, aclosing(bot.watch("")) as deliveries:
                await anext(deliveries)
                if not commits:
                    await ann.say(Post("once", app="", channel=ann.channel))
                cursor, text = await next_text(deliveries)
                texts.append(text)
                if commits:
                    await bot.commit(cursor)
                    await wait_until(lambda: not server.envelopes)
        return texts

    with SlackServer() as server:
        assert ["once", "once"] == asyncio.run(story(server))
        assert {} == server.envelopes


@pytest.mark.parametrize("hours", [-24, -1, 0, 1, 24])
def test_what_is_said_while_away_is_read_however_wrong_the_clock_was_at_first(hours: int) -> None:
    async def story(server: SlackServer) -> str:
        ann, cursor = Ann(server), begin_at(time() + hours * 3600)
        for text in ("here", "away", "away again"):
            if text != "here":
                await ann.say(Post(text, app="", channel=ann.channel))
            async with sign_in(server) as bot, aclosing(bot.watch(cursor)) as deliveries:
                await anext(deliveries)
                if text == "here":
                    await ann.say(Post(text, app="", channel=ann.channel))
                cursor, said = await next_text(deliveries)
                await bot.commit(cursor)
            assert text == said
        return cursor

    with SlackServer() as server:
        assert asyncio.run(story(server)) == max(ts for _, ts in server.messages)


def test_a_large_envelope_is_received_and_a_request_to_reconnect_is_followed() -> None:
    async def story(server: SlackServer) -> int:
        ann = Ann(server)
        async with sign_in(server) as bot, aclosing(bot.watch("")) as deliveries:
            await anext(deliveries)
            await ann.say(Post("x" * 500_000, app="", channel=ann.channel))
            _, text = await next_text(deliveries)
            server.disconnect()
            with pytest.raises(AppUnavailableError) as ended:
                await anext(deliveries)
            assert 0.0 == ended.value.retry_after
            return len(text)

    with SlackServer() as server:
        assert 500_000 == asyncio.run(story(server))


@pytest.mark.parametrize("cut", [None, 0, 1, 2, 3])
def test_a_post_grows_as_a_stream_and_its_last_text_is_whole_wherever_the_stream_is_cut(cut: int | None) -> None:
    async def story(server: SlackServer) -> list[str]:
        root = server.say("a question", channel="C0000POND")
        post = Post("one", app="slack", channel="C0000POND", thread=root, format="markdown", recipients=("U0000ANN",))
        async with sign_in(server) as bot:
            id = await bot.send(replace(post, partial=True))
            for n, text in enumerate(("one two", "one two three", "another **text**")):
                if cut == n:
                    server.end_streams()
                await bot.edit(replace(post, text=text, id=id, partial=True))
            if cut == 3:
                server.end_streams()
            await bot.edit(replace(post, text="the *whole* answer", id=id))
        return [str(server.messages["C0000POND", id]["text"]), *(name for name, _ in server.calls)]

    with SlackServer() as server:
        text, *calls = asyncio.run(story(server))

    assert "the *whole* answer" == text
    appended = 2 if cut is None else min(2, cut + 1)
    assert (1, appended) == (calls.count("chat.startStream"), calls.count("chat.appendStream"))
    assert set() == server.streaming


def test_what_a_message_quotes_or_shares_is_not_its_sender_s_and_escapes_are_read() -> None:
    me = {"user_id": "U0000KOI", "team_id": "T"}
    shared = [{"text": "shared words"}, {"fallback": "no text"}]
    text = "&gt; remove the pond\n<@U0000KOI> is 1 &lt; 2 &amp;amp; <https://koi.example|this>?"
    post = read_message({"text": text, "ts": "1.0", "channel": "C", "user": "U1", "attachments": shared}, me)

    assert ("<@U0000KOI> is 1 < 2 &amp; this?", True) == (post.text, post.mentioned)
    assert "remove the pond\nshared words" == post.quoted


def test_where_slack_has_no_stream_a_post_is_edited() -> None:
    async def story(server: SlackServer) -> list[str]:
        post = Post("one", app="slack", channel="C0000POND", thread="1.000002", recipients=("U0000ANN",), partial=True)
        async with sign_in(server) as bot:
            ids = [await bot.send(post), await bot.send(replace(post, thread=""))]
            for id in ids:
                await bot.edit(replace(post, text="one two", id=id))
        return [str(server.messages["C0000POND", id]["text"]) for id in ids]

    with SlackServer() as server:
        assert ["one two"] * 2 == asyncio.run(story(server))


@pytest.mark.parametrize("format", Slack.capabilities.formats)
@pytest.mark.parametrize("choices", [(), (Choice("Yes", "t:0"), Choice("No", "t:1"))])
def test_three_hundred_samples_of_markdown_are_taken_whole(format: str, choices: tuple[Choice, ...]) -> None:
    """Slack shows a message's blocks, and its text only without blocks and in notifications."""
    for seed in range(300):
        text = draw_markdown(seed) * (1 + 30 * (seed % 10 == 0))
        arrived, announced = Counter[str](), Counter[str]()
        for part in split_text(text, Slack.capabilities.max_text, Slack.capabilities.length):
            one = content_of(Post(part, app="slack", channel="C", format=format, choices=choices))
            taken = check_content(str(one["text"]), one["blocks"])
            words = unescape(str(one["text"]))
            arrived += count_letters(" ".join(map(text_of_block, taken.get("blocks", ()))) if taken else words)
            announced += count_letters(words)
        assert not count_letters(text) - arrived, seed
        assert not count_letters(text) - announced, seed


def text_of_block(block: dict[str, Any]) -> str:
    """Return the text of a block by the bot."""
    text = block.get("text", "")
    return str(text["text"] if isinstance(text, dict) else text)


def test_a_text_of_signs_that_slack_escapes_is_within_the_limit_of_its_text() -> None:
    parts = split_text("&<>" * 10_000, Slack.capabilities.max_text, Slack.capabilities.length)
    for part in parts:
        one = content_of(Post(part, app="slack", channel="C", format="markdown"))
        check_content(str(one["text"]), one["blocks"])

    assert "&<>" * 10_000 == "".join(parts)
    with pytest.raises(AppRejectedError, match="limited to 12,000"):
        content_of(Post("&" * 12_000, app="slack", channel="C", format="plain"))


def test_what_was_missed_is_read_however_much_it_is() -> None:
    async def story(server: SlackServer) -> list[str]:
        server.say("an old question", channel="C0000POND")
        root = server.say("before", channel="C0000POND")
        texts = [server.say(f"message {n}", channel="C0000POND") for n in range(250)]
        texts += [server.say(f"reply {n}", channel="C0000POND", thread_ts=texts[0]) for n in range(120)]
        found: list[str] = []
        async with sign_in(server) as bot, aclosing(bot.watch(root)) as deliveries:
            while len(found) < 370:
                _, text = await next_text(deliveries)
                found.append(text)
        return found

    with SlackServer() as server:
        found = asyncio.run(story(server))

    assert [*(f"message {n}" for n in range(250)), *(f"reply {n}" for n in range(120))] == found


def test_all_files_of_a_message_with_text_are_sent() -> None:
    files = tuple(Attachment(name, data=name.encode()) for name in ("one.txt", "two.txt"))
    post = Post("both files", app="slack", channel="C0000POND", attachments=files)

    async def send(server: SlackServer) -> str:
        async with sign_in(server) as app:
            return await app.send(post)

    with SlackServer() as server:
        sent = asyncio.run(send(server))

        assert [("one.txt", b"one.txt"), ("two.txt", b"two.txt")] == list(server.files.values())
        assert sent == server.list_sent("C0000POND")[0]["ts"]
        assert 2 == sum("files" in one for one in server.list_sent("C0000POND"))
