"""The Matrix app against synapse, the homeserver that most of Matrix runs on."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from synapse_server import Synapse, User, run_synapse
from tcp_relay import TcpRelay

from openkoi_hookspecs.integrations import Post
from openkoi_matrix import Matrix
from openkoi_testing import MessengerContract
from openkoi_testing.contracts.messenger import Counterpart

FILE = "m.room.message"


class World:
    """A homeserver with the account of the assistant, two other users, and a line that can be cut."""

    def __init__(self, server: Synapse) -> None:
        self.server = server
        self.relay = TcpRelay(server.port)
        self.koi, self.ann, self.ben = (User(server, name) for name in ("koi", "ann", "ben"))
        self.direct = self.make_room()

    def sign_in(self, *channels: str, users: Sequence[str] = ("@ann:koi.test",), token: str = "") -> Matrix:
        """Return the app as it is connected to the homeserver."""
        return Matrix(
            base_url=f"http://127.0.0.1:{self.relay.port}",
            token=token or self.koi.token,
            users=tuple(users),
            channels=channels,
            poll_seconds=5,
        )

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
        """React to a message, by a reaction that was not there."""
        relation = {"rel_type": "m.annotation", "event_id": id, "key": emoji}
        try:
            await asyncio.to_thread(self.world.ann.send, channel, {"m.relates_to": relation}, "m.reaction")
        except OSError:  # it is there already
            return

    async def press(self, channel: str, id: str, value: str) -> None:
        """Matrix has no buttons."""
        raise AssertionError("Matrix has no buttons")

    async def read(self, channel: str) -> Sequence[Post]:
        """Look at a room as a client shows it."""
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


class TestMatrix(MessengerContract):
    """What every messenger promises."""

    world: ClassVar[World]

    @pytest.fixture(autouse=True)
    def on_the_homeserver(self, world: World) -> None:
        """Use the homeserver of this file."""
        type(self).world = world

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Make rooms of their own."""
        yield Ann(self.world)
