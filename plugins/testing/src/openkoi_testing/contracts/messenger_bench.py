"""What a messenger is tested with: its account, and another user of the same service."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, aclosing
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from openkoi_hookspecs.integrations import Delivery, Messenger, Post, SenderKind

T = TypeVar("T")
PATIENCE = 10.0


class Counterpart(Protocol):
    """The other end of the app: another user of the service, and what can happen to the service itself.

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
        """Return what is in a channel as the other user sees it, oldest first."""

    def outage(self) -> AbstractContextManager[object]:
        """Let the service be away for as long as this is entered."""


class Account:
    """Our account with its counterpart: what tests speak to."""

    def __init__(self, other: Counterpart, messenger: Messenger) -> None:
        self.other, self.messenger = other, messenger

    async def now(self) -> str:
        """Return the cursor of now."""
        async with aclosing(self.messenger.watch()) as arriving:
            return (await asyncio.wait_for(anext(arriving), PATIENCE)).cursor

    async def arriving(self, cursor: str, count: int = 1) -> list[Delivery]:
        """Wait for so many deliveries of posts of others after a cursor."""
        found: list[Delivery] = []
        async with asyncio.timeout(PATIENCE), aclosing(self.messenger.watch(cursor)) as arriving:
            async for one in arriving:
                found += [one] if one.post and one.post.sender.kind is not SenderKind.SELF else []
                if len(found) == count:
                    break
        return found

    async def posts(self, cursor: str, count: int = 1) -> list[Post]:
        """Wait for so many posts of others."""
        return [one.post for one in await self.arriving(cursor, count) if one.post]

    async def say(self, text: str, *, channel: str = "", thread: str = "") -> str:
        """Let the other user say something, in the channel if no other is named."""
        return await self.other.say(Post(text, app="", channel=channel or self.other.channel, thread=thread))

    def post(self, text: str, *, thread: str = "", id: str = "", key: str = "") -> Post:
        """Return a post of ours to the channel."""
        return Post(text, app="", channel=self.other.channel, thread=thread, id=id, key=key)


Story = Callable[[Account], Awaitable[T]]


class MessengerBench(ABC):
    """Gives tests an account and its counterpart."""

    @abstractmethod
    def counterpart(self, folder: Path) -> AbstractContextManager[Counterpart]:
        """Start the service, or a fake of it, and return another user of it."""

    @pytest.fixture
    def other(self, tmp_path: Path) -> Iterator[Counterpart]:
        """The other end of the app."""
        with self.counterpart(tmp_path) as other:
            yield other

    def tell(self, other: Counterpart, story: Story[T]) -> T:
        """Let a story happen with a new connection of our account."""

        async def telling() -> T:
            async with AsyncExitStack() as stack:
                return await story(Account(other, await connected(other, stack)))

        return asyncio.run(telling())


async def connected(other: Counterpart, stack: AsyncExitStack) -> Messenger:
    """Build our app and enter it, as the kernel does."""
    messenger = other.connect()
    if isinstance(messenger, AbstractAsyncContextManager):
        await stack.enter_async_context(messenger)
    assert isinstance(messenger, Messenger)
    return messenger
