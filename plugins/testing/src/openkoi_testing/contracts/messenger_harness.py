"""Provide the fixtures for testing a messenger: its account, and another user of the same service."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, aclosing
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from openkoi_hookspecs.integrations import Delivery, Messenger, Post, SenderKind

T = TypeVar("T")
WAIT_SECONDS = 10.0
REPEAT_SECONDS = 0.5  # some services lose presses and reactions while nothing watches


class Counterpart(Protocol):
    """Act as another user of the service, and control the service itself.

    ``channel`` and ``direct`` are channels that both users are in; ``mention`` is how our account is named in a text.
    """

    channel: str
    direct: str
    mention: str

    def connect(self) -> Messenger:
        """Build our app, as a new process would."""

    async def say(self, post: Post) -> str:
        """Post something as the other user; return its id."""

    async def change(self, post: Post) -> None:
        """Edit a post of the other user."""

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """React to a post as the other user."""

    async def press(self, channel: str, id: str, value: str) -> None:
        """Press a button as the other user."""

    async def read(self, channel: str) -> Sequence[Post]:
        """Return the content of a channel as the other user sees it, oldest first."""

    def outage(self) -> AbstractContextManager[object]:
        """Make the service unavailable while this is entered."""


class Account:
    """Our account with its counterpart."""

    def __init__(self, other: Counterpart, messenger: Messenger) -> None:
        self.other, self.messenger = other, messenger

    async def current_cursor(self) -> str:
        """Return the current cursor."""
        async with aclosing(self.messenger.watch()) as arriving:
            return (await asyncio.wait_for(anext(arriving), WAIT_SECONDS)).cursor

    async def receive_deliveries(self, cursor: str, count: int = 1) -> list[Delivery]:
        """Wait for a number of posts by others after a cursor; one that a service resends counts once."""
        found: dict[str, Delivery] = {}
        async with asyncio.timeout(WAIT_SECONDS), aclosing(self.messenger.watch(cursor)) as arriving:
            async for one in arriving:
                if one.post and one.post.sender.kind is not SenderKind.SELF:
                    found.setdefault(one.post.identity, one)
                if len(found) == count:
                    break
        return list(found.values())

    async def receive_posts(self, cursor: str, count: int = 1) -> list[Post]:
        """Wait for a number of posts by others."""
        return [one.post for one in await self.receive_deliveries(cursor, count) if one.post]

    async def receive_while(self, cursor: str, count: int, act: Callable[[], Awaitable[None]]) -> list[Post]:
        """Wait for posts by others; the other user repeats an action until it arrives."""
        watching = asyncio.create_task(self.receive_posts(cursor, count))
        while not watching.done():
            await act()
            await asyncio.wait([watching], timeout=REPEAT_SECONDS)
        return await watching

    async def say(self, text: str, *, channel: str = "", thread: str = "") -> str:
        """Let the other user post something, by default in the main channel."""
        return await self.other.say(Post(text, app="", channel=channel or self.other.channel, thread=thread))

    def build_post(self, text: str, *, thread: str = "", id: str = "", key: str = "") -> Post:
        """Return a new post to the channel."""
        return Post(text, app="", channel=self.other.channel, thread=thread, id=id, key=key)


Story = Callable[[Account], Awaitable[T]]


class MessengerHarness(ABC):
    """Give tests an account and its counterpart."""

    @abstractmethod
    def counterpart(self, folder: Path) -> AbstractContextManager[Counterpart]:
        """Start the service, or a fake of it, and return another user of it."""

    @pytest.fixture
    def other(self, tmp_path: Path) -> Iterator[Counterpart]:
        """Yield the other end of the app."""
        with self.counterpart(tmp_path) as other:
            yield other

    def run_story(self, other: Counterpart, story: Story[T]) -> T:
        """Run a story with a new connection of our account."""

        async def telling() -> T:
            async with AsyncExitStack() as stack:
                return await story(Account(other, await connect_account(other, stack)))

        return asyncio.run(telling())


async def connect_account(other: Counterpart, stack: AsyncExitStack) -> Messenger:
    """Build our app and enter it, as the kernel does."""
    messenger = other.connect()
    if isinstance(messenger, AbstractAsyncContextManager):
        await stack.enter_async_context(messenger)
    assert isinstance(messenger, Messenger)
    return messenger
