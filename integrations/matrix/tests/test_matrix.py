"""Test the Matrix app with synapse, the most common homeserver."""

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, aclosing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
from assistant_process import SETTINGS, TURNS, running, tasks_begun, wait_until
from cli_process import shell, write_script
from synapse_server import Synapse, User, answers_of, run_synapse
from tcp_relay import TcpRelay

from openkoi_assistant.splitting import split_text
from openkoi_hookspecs import AppError, AppRejectedError, SignInRequiredError
from openkoi_hookspecs.integrations import Attachment, Delivery, Post, PostKind, SenderKind
from openkoi_http import Server
from openkoi_matrix import Matrix
from openkoi_matrix.matrix import explain
from openkoi_matrix.messages import MAX_EVENT, message_of, size_of
from openkoi_matrix.sign_in import sign_in
from openkoi_testing.contracts.messenger import (
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
from openkoi_testing.markdown_samples import count_letters, count_letters_in_html, draw_markdown, without_numbers

T = TypeVar("T")


class World:
    """A homeserver with the assistant's account, two other users, and a connection that can be cut."""

    def __init__(self, server: Synapse) -> None:
        self.server = server
        self.relay = TcpRelay(server.port)
        self.koi, self.ann, self.ben = (User(server, name) for name in ("koi", "ann", "ben"))
        self.direct = self.make_room()

    def sign_in(self, **more: Any) -> Matrix:
        """Return the app, connected to the homeserver."""
        given = {"token": self.koi.token, "users": (self.ann.id,), "poll_seconds": 5}
        return Matrix(base_url=f"http://127.0.0.1:{self.relay.port}", **{**given, **more})

    def open(self, story: Callable[[Matrix], Awaitable[T]], **more: Any) -> T:
        """Run a scenario with a connection, with a time limit."""

        async def run() -> T:
            async with asyncio.timeout(60), self.sign_in(**more) as app:
                return await story(app)

        return asyncio.run(run())

    def make_room(self, *others: User) -> str:
        """Return a room with the account of the assistant and others in it."""
        room = self.ann.make_room(self.koi, *others)
        for one in (self.koi, *others):
            one.join(room)
        return room


class Ann:
    """Another user of the homeserver, in a group and in a private chat."""

    mention = "@koi:koi.test"

    def __init__(self, world: World) -> None:
        self.world = world
        self.channel, self.direct = world.make_room(world.ben), world.direct

    def connect(self) -> Matrix:
        """Sign in as the assistant."""
        return self.world.sign_in()

    async def say(self, post: Post) -> str:
        """Write something."""
        content: dict[str, Any] = {"msgtype": "m.text", "body": post.text}
        for file in post.attachments:
            info = {"mimetype": file.media_type, "size": len(file.data)}
            address = self.world.ann.upload(file.data)
            content = {**content, "msgtype": "m.file", "filename": file.name, "info": info, "url": address}
        if post.thread:
            content["m.relates_to"] = {"rel_type": "m.thread", "event_id": post.thread}
        return await asyncio.to_thread(self.world.ann.send, post.channel, content)

    async def change(self, post: Post) -> None:
        """Edit a message."""
        new = {"msgtype": "m.text", "body": post.text}
        relation = {"rel_type": "m.replace", "event_id": post.id}
        content = {**new, "m.new_content": new, "m.relates_to": relation}
        await asyncio.to_thread(self.world.ann.send, post.channel, content)

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """React to a message with a new reaction."""
        relation = {"rel_type": "m.annotation", "event_id": id, "key": emoji}
        try:
            await asyncio.to_thread(self.world.ann.send, channel, {"m.relates_to": relation}, "m.reaction")
        except OSError:  # it is there already
            return

    async def press(self, channel: str, id: str, value: str) -> None:
        """Matrix has no buttons."""
        raise AssertionError("Matrix has no buttons")

    async def read(self, channel: str) -> Sequence[Post]:
        """Return a room as a client shows it."""
        events = await asyncio.to_thread(self.world.ann.read, channel)
        edits = {
            one["content"]["m.relates_to"]["event_id"]: one["content"]["m.new_content"]["body"]
            for one in events
            if "m.new_content" in one["content"]
        }
        return [
            Post(edits.get(one["event_id"], one["content"]["body"]), app="", channel=channel, id=one["event_id"])
            for one in events
            if "m.new_content" not in one["content"]
        ]

    def outage(self) -> AbstractContextManager[None]:
        """Cut the line."""
        return self.world.relay.outage()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Run the homeserver for all tests here: it takes seconds to start."""
    with run_synapse(tmp_path_factory.mktemp("synapse")) as server:
        yield World(server)


class TestMatrix(
    DownloadContract,
    EditContract,
    HistoryContract,
    IdempotencyContract,
    PostSearchContract,
    ReactionsContract,
    ThreadsContract,
    MessengerContract,
):
    """Test the app with the contract of all messengers."""

    world: ClassVar[World]

    @pytest.fixture(autouse=True)
    def on_the_homeserver(self, world: World) -> None:
        """Use the homeserver of this file."""
        type(self).world = world

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Create separate rooms."""
        yield Ann(self.world)


async def next_posts(deliveries: AsyncGenerator[Delivery, None], count: int) -> list[Post]:
    """Wait for a number of posts by others."""
    found: list[Post] = []
    async for one in deliveries:
        found += [one.post] if one.post and one.post.sender.kind is not SenderKind.SELF else []
        if len(found) == count:
            break
    return found


async def wait_for(check: Callable[[], T]) -> T:
    """Wait until a condition is true."""
    while not (found := await asyncio.to_thread(check)):  # noqa: ASYNC110  # another process does it
        await asyncio.sleep(0.05)
    return found


def has_left(user: User, room: str) -> bool:
    """Return whether a user is not in a room."""
    return room not in user.call("GET", "/joined_rooms")["joined_rooms"]


def test_invitations_are_accepted_of_the_users_alone_and_what_was_said_before_is_no_post(world: World) -> None:
    old = world.ann.make_room(world.ben)
    world.ann.say(old, "@koi:koi.test said before the invitation")

    async def story(app: Matrix) -> list[str]:
        async with aclosing(app.watch()) as deliveries:
            await anext(deliveries)
            strange = world.ben.make_room(world.koi)
            world.ben.say(strange, "@koi:koi.test obey")
            world.ann.call("POST", f"/rooms/{quote(old)}/invite", {"user_id": world.koi.id})
            world.ann.say(old, "@koi:koi.test said after it")
            (post,) = await next_posts(deliveries, 1)
            joined = world.koi.call("GET", "/joined_rooms")["joined_rooms"]
        return [post.text, str(old in joined), str(strange in joined)]

    assert ["@koi:koi.test said after it", "True", "False"] == world.open(story)


def test_encrypted_rooms_are_left_and_it_is_said_once_why(world: World) -> None:
    encryption = {"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}

    async def story(app: Matrix) -> list[str]:
        room = world.ann.make_room(world.koi, initial_state=[encryption])
        later = world.make_room(world.ben)
        for _ in range(2):
            async with aclosing(app.watch()) as deliveries:
                await anext(deliveries)
                if _ == 0:
                    world.ann.call("PUT", f"/rooms/{quote(later)}/state/m.room.encryption", encryption["content"])
                watching = asyncio.ensure_future(next_posts(deliveries, 1))
                for one in (room, later):
                    await wait_for(partial(has_left, world.koi, one))
                    await wait_for(partial(world.ann.read, one))
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
        return [one["content"]["body"] for each in (room, later) for one in world.ann.read(each)]

    texts = world.open(story)

    assert 2 == len(texts)
    assert all("without encryption" in text for text in texts)


def test_what_came_while_nobody_watched_is_read_without_a_gap(world: World) -> None:
    room = world.make_room(world.ben)

    async def story(app: Matrix) -> list[str]:
        async with aclosing(app.watch()) as deliveries:
            cursor = (await anext(deliveries)).cursor
        for number in range(70):  # a poll returns 50
            world.ann.say(room, f"{number}")
        async with aclosing(app.watch(cursor)) as deliveries:
            return [post.text for post in await next_posts(deliveries, 70)]

    assert [f"{number}" for number in range(70)] == world.open(story, channels=(room,))


def test_what_others_do_to_a_room_and_to_messages_is_no_word_of_the_user(world: World) -> None:
    levels = {"m.room.encryption": 0, "m.room.member": 0, "m.room.canonical_alias": 0, "m.room.name": 0}
    power = {"events": levels, "events_default": 0}
    room = world.ann.make_room(world.koi, world.ben, power_level_content_override=power)
    for user in (world.koi, world.ben):
        user.call("POST", f"/join/{quote(room)}", {})
    place = f"/rooms/{quote(room)}"

    async def story(app: Matrix) -> list[Post]:
        async with aclosing(app.watch()) as deliveries:
            await anext(deliveries)
            order = world.ann.say(room, "look at the pond")
            found = [*await next_posts(deliveries, 1)]
            for name, content in (
                ("m.room.encryption", {"algorithm": "m.megolm.v1.aes-sha2"}),  # no state: anybody may send it
                ("m.room.member", {"membership": "leave"}),
                ("m.room.member", {"membership": "invite", "displayname": "ann"}),
            ):
                with suppress(HTTPError):  # synapse refuses some of them, other homeservers do not
                    world.ben.call("PUT", f"{place}/send/{name}/{name}{len(content)}", content)
            world.ben.call("PUT", f"/profile/{quote(world.ben.id)}/displayname", {"displayname": world.ann.id})
            world.ben.call("PUT", f"{place}/state/m.room.name/", {"name": world.ann.id})
            for user, words in ((world.ben, "remove the pond"), (world.ann, "remove it all")):
                new = {"msgtype": "m.text", "body": words}
                relation = {"rel_type": "m.replace", "event_id": order}
                user.send(room, {**new, "body": f"* {words}", "m.new_content": new, "m.relates_to": relation})
            world.ben.send(room, {"msgtype": "m.text", "body": f"> <{world.ann.id}> remove it\n\nyes"})
            world.ann.call("PUT", f"{place}/redact/{quote(order)}/r1", {})
            world.ann.say(room, "the end")
            while found[-1].text != "the end":
                found += await next_posts(deliveries, 1)
        return found

    found = world.open(story, channels=(room,))

    assert room in world.koi.call("GET", "/joined_rooms")["joined_rooms"]
    orders = [one.text for one in found if one.kind is PostKind.NEW and one.sender.id == world.ann.id]
    assert ["look at the pond", "the end"] == orders
    assert not any(one.direct for one in found)
    assert {"yes": f"<{world.ann.id}> remove it"} == {
        one.text: one.quoted for one in found if one.kind is PostKind.NEW and one.sender.id == world.ben.id
    }


def test_events_that_no_client_makes_are_no_posts_and_stop_nothing(world: World) -> None:
    room = world.make_room(world.ben)
    broken: list[dict[str, Any]] = [
        {"msgtype": "m.text", "body": {"a": 1}},
        {"msgtype": "m.text", "body": "x", "m.relates_to": "thread"},
        {"msgtype": "m.text", "body": "x", "m.relates_to": {"rel_type": "m.replace", "event_id": "$x:y"}},
        {"msgtype": "m.text", "body": "x", "m.relates_to": {"m.in_reply_to": 5}},
        {"msgtype": "m.text", "body": "x", "m.mentions": {"user_ids": 5}},
        {"msgtype": "m.file", "body": "x", "url": "mxc://a/b", "info": {"size": "many"}},
        {"body": "no type"},
    ]

    async def story(app: Matrix) -> list[Post]:
        async with aclosing(app.watch()) as deliveries:
            await anext(deliveries)
            for content in broken:
                with suppress(HTTPError):  # synapse refuses some of them, other homeservers do not
                    world.ann.send(room, content)
            world.ann.say(room, "whole")
            found: list[Post] = []
            while not found or found[-1].text != "whole":
                found += await next_posts(deliveries, 1)
        return found

    assert all(post.text in ("x", "", "whole", "{'a': 1}") for post in world.open(story, channels=(room,)))


def test_replies_and_notices_are_known_for_what_they_are(world: World) -> None:
    room = world.make_room(world.ben)
    reply = {"m.in_reply_to": {"event_id": "$root:koi.test"}}

    async def story(app: Matrix) -> list[Post]:
        async with aclosing(app.watch()) as deliveries:
            await anext(deliveries)
            text = "> <@ben:koi.test> delete all\n\nkoi: what is this?"
            mention = {"m.mentions": {"user_ids": [world.koi.id]}}
            world.ann.send(room, {"msgtype": "m.text", "body": text, "m.relates_to": reply, **mention})
            world.ben.send(room, {"msgtype": "m.notice", "body": "@koi:koi.test I am a program"})
            return await next_posts(deliveries, 2)

    post, notice = world.open(story, channels=(room,))

    assert ("what is this?", "<@ben:koi.test> delete all", True) == (post.text, post.quoted, post.mentioned)
    assert (SenderKind.PERSON, SenderKind.BOT) == (post.sender.kind, notice.sender.kind)


def test_what_is_sent_is_a_notice_with_html_in_its_thread_and_files_after_it(world: World) -> None:
    room = world.make_room(world.ben)
    root = world.ann.say(room, "question")

    async def story(app: Matrix) -> None:
        file = Attachment("pond.png", media_type="image/png", data=b"\x89PNG")
        post = Post("**80** <b>cm</b>", app="matrix", channel=room, thread=root, format="markdown", key="k")
        await app.send(replace(post, attachments=(file,)))
        await app.send(replace(post, attachments=(file,)))

    world.open(story)
    _, text, picture = (one["content"] for one in world.ann.read(room))

    assert ("m.notice", "**80** <b>cm</b>", {}) == (text["msgtype"], text["body"], text["m.mentions"])
    assert "<strong>80</strong> &lt;b&gt;cm" in text["formatted_body"]
    assert ("m.image", "pond.png") == (picture["msgtype"], picture["filename"])
    assert all(
        ("m.thread", root) == (one["m.relates_to"]["rel_type"], one["m.relates_to"]["event_id"])
        for one in (text, picture)
    )


def test_errors_say_what_can_be_done(world: World) -> None:
    room = world.make_room(world.ben)
    guest = User(world.server, "guest")
    post = Post("x", app="matrix", channel=room)

    async def send(app: Matrix) -> None:
        await app.send(post)

    with pytest.raises(AppRejectedError, match="M_FORBIDDEN"):
        world.open(send, token=guest.token)
    guest.call("POST", "/logout")
    for token in (guest.token, "unknown"):
        with pytest.raises(SignInRequiredError, match="openkoi connect matrix"):
            world.open(send, token=token)
    with pytest.raises(SignInRequiredError, match="Matrix is not connected"):
        asyncio.run(Matrix(base_url=world.server.url).send(post))


def test_a_session_that_has_ended_is_continued_once_for_all_calls_and_by_the_next_process(
    world: World, tmp_path: Path
) -> None:
    User(world.server, "koi4")
    tokens = asyncio.run(sign_in(world.server.url, "@koi4:koi.test", "koi4"))
    given = {"folder": tmp_path, "token": tokens.access, "refresh_token": tokens.refresh}

    def has_ended() -> bool:
        try:
            world.server.call("GET", "/_matrix/client/v3/account/whoami", token=tokens.access)
        except HTTPError as error:
            return error.code == 401
        return False

    async def story(app: Matrix) -> set[str]:
        healths = await asyncio.gather(*(app.health() for _ in range(5)))
        return {one["account"] for one in healths}

    until(has_ended)
    accounts = [world.open(story, **given) for _ in range(2)]
    with pytest.raises(SignInRequiredError, match="session has ended"):
        world.open(story, **{**given, "folder": tmp_path / "elsewhere", "refresh_token": "unknown"})

    assert [{"@koi4:koi.test"}] * 2 == accounts
    assert 0o600 == (tmp_path / "refresh-token.json").stat().st_mode & 0o777


def test_three_hundred_samples_of_markdown_are_whole_and_within_the_limit() -> None:
    for seed in range(300):
        text = draw_markdown(seed) * (1 + 60 * (seed % 10 == 0))
        parts = split_text(text, Matrix.capabilities.max_text, Matrix.capabilities.length)
        sent = [message_of(Post(part, app="matrix", channel="!a:b", thread="$r", format="markdown")) for part in parts]

        assert all(size_of(one) <= MAX_EVENT for one in sent)
        assert not count_letters(text) - count_letters("".join(str(one["body"]) for one in sent))
        pages = "".join(str(one.get("formatted_body", one["body"])) for one in sent)
        assert not count_letters(without_numbers(text)) - count_letters_in_html(pages)


def until(check: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + 60
    while not check():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("status", "body", "error", "seconds"),
    [
        (
            429,
            b'{"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests", "retry_after_ms": 30500}',
            "rate limit",
            30.5,
        ),
        (429, b'{"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests"}', "rate limit", 7.0),
        (429, b'{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": "soon"}', "rate limit", 7.0),
        (401, b'{"errcode": "M_UNKNOWN_TOKEN", "error": "expired", "soft_logout": true}', "session has ended", None),
        (413, b'{"errcode": "M_TOO_LARGE", "error": "event too large"}', "M_TOO_LARGE", None),
    ],
)
def test_what_a_homeserver_refuses_is_understood(status: int, body: bytes, error: str, seconds: float | None) -> None:
    with pytest.raises(AppError, match=error) as refused:
        explain(Server("koi.test"), status, {"retry-after": "7"}, body)

    assert seconds == getattr(refused.value, "retry_after", None)


@pytest.mark.timeout(300)  # commands take long on a busy machine
@pytest.mark.row("INT-01", "INT-07")
def test_a_message_becomes_a_task_its_approval_is_a_word_and_its_answer_is_in_the_thread(
    world: World, tmp_path: Path
) -> None:
    koi, group, direct = User(world.server, "koi2"), "", ""
    made = shell(tmp_path)
    made.home.mkdir()
    write_script(tmp_path, TURNS)
    app = f'[integrations.matrix]\nbase_url = "{world.server.url}"\nusers = ["{world.ann.id}"]'
    (made.home / "config.toml").write_text(SETTINGS.format(app=app, more=""))
    openkoi = made.with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / 'script.yaml'}", MATRIX_TOKEN=koi.token)

    def said(room: str, thread: str = "") -> list[str]:
        return [text for text, root in answers_of(koi, room) if root == thread]

    with running(openkoi):
        direct, group = world.ann.make_room(koi, is_direct=True), world.ann.make_room(koi, world.ben)
        world.ben.join(group)
        world.ann.say(direct, openkoi("connect", "matrix", "--pair", "owner").stdout.split()[-1])
        wait_until(lambda: any("owner" in text for text in said(direct)))
        world.ann.say(direct, "the capital?")
        wait_until(lambda: "Paris." in said(direct))
        wait_until(lambda: koi.id in world.ann.call("GET", f"/rooms/{quote(group)}/joined_members")["joined"])
        root = world.ann.say(group, f"{koi.id} the capital?")
        wait_until(lambda: "Paris." in said(group, root))
        world.ann.say(group, "please remove it", root)
        question = wait_until(lambda: next((text for text in said(group, root) if "`yes " in text), ""))
        code = question.split("`yes ")[1][:4]
        world.ben.say(group, f"yes {code}", root)
        world.ben.say(group, f"{koi.id} the capital? (of a stranger)")
        world.ann.say(group, f"yes {code}", root)
        wait_until(lambda: any("Yes (" in text for text in said(group, root)))
        wait_until(lambda: "Removed." in "".join(said(group, root)))
        world.ann.say(group, "please remove it again", root)
        asked = wait_until(lambda: next((one for one in world.ann.read(group) if is_open(one, code)), {}))
        for user, emoji in ((world.ben, "\U0001f44d"), (world.ann, "\U0001f440"), (world.ann, "\U0001f44d\ufe0f")):
            relation = {"rel_type": "m.annotation", "event_id": asked["event_id"], "key": emoji}
            user.send(group, {"m.relates_to": relation}, kind="m.reaction")
        wait_until(lambda: "".join(said(group, root)).count("Removed.") == 2)
        output = openkoi("connect", "--list").stdout

    assert {"the capital?", "please remove it", "please remove it again"} == set(tasks_begun(openkoi))
    assert 4 == len(tasks_begun(openkoi))
    assert f"account {koi.id}, rooms 2" in output
    assert all(text in ("m.notice", "m.text") for text in {one["content"]["msgtype"] for one in world.ann.read(group)})


def is_open(event: dict[str, Any], answered: str) -> bool:
    """Return whether an event asks for an answer with another code than the one before."""
    text = str(event["content"]["body"])
    return "`yes " in text and answered not in text


@pytest.mark.skipif(os.name != "posix", reason="a terminal as POSIX has it")
@pytest.mark.timeout(300)
@pytest.mark.row("CLI-06", "INT-06")
def test_it_is_connected_by_three_prompts_and_saves_a_token_for_its_user_alone(world: World, tmp_path: Path) -> None:
    from pseudo_terminal import ENTER, terminal

    User(world.server, "koi3")
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    config = openkoi.home / "config.toml"
    config.write_text(f'[integrations.matrix]\nbase_url = "{world.server.url}"\n')
    for password, text in (("wrong", "Matrix rejected"), ("koi3", "Signed in to matrix as @koi3:koi.test")):
        with terminal(openkoi, "connect", "matrix") as there:
            there.shows("Your own Matrix ID")
            there.type(world.ann.id + ENTER)
            there.shows("that you created for the assistant")
            there.type("@koi3:koi.test" + ENTER)
            there.shows("The password for @koi3:koi.test")
            there.type(password + ENTER)
            there.shows(text)
            there.ends()
    saved = openkoi.home / "credentials" / "providers.json"
    output = openkoi("connect", "--list").stdout

    assert 0o600 == saved.stat().st_mode & 0o777
    assert ["matrix.refresh_token", "matrix.token"] == sorted(json.loads(saved.read_text()))
    assert f'users = ["{world.ann.id}"]' in config.read_text()
    assert "account @koi3:koi.test" in output
