"""Test the folder app with the contracts of apps, shared by processes that are killed."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from openkoi_hookspecs import AppRejectedError
from openkoi_hookspecs.integrations import Document, Documents, Post
from openkoi_testing import DocumentsContract
from openkoi_testing.apps import FolderApp
from openkoi_testing.contracts.messenger import (
    ButtonsContract,
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


class Ann:
    """Another user of the folder."""

    channel, direct, mention = "general", "@ann", "@koi"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.app = FolderApp(path=folder, user="ann", bot=False)

    def connect(self) -> FolderApp:
        """Open the folder."""
        return FolderApp(path=self.folder)

    async def say(self, post: Post) -> str:
        """Post something."""
        return await self.app.send(post)

    async def change(self, post: Post) -> None:
        """Edit a post."""
        await self.app.edit(post)

    async def react(self, channel: str, id: str, emoji: str) -> None:
        """React to a post."""
        await self.app.add_reaction(channel, id, emoji)

    async def press(self, channel: str, id: str, value: str) -> None:
        """Press a button."""
        await self.app.press(channel, id, value)

    async def read(self, channel: str) -> Sequence[Post]:
        """Read a channel."""
        return await self.app.history(channel, limit=100)

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Move the folder away."""
        away = self.folder.with_name("away")
        self.folder.rename(away)
        yield
        away.rename(self.folder)


class TestPosts(
    ButtonsContract,
    DownloadContract,
    EditContract,
    HistoryContract,
    IdempotencyContract,
    PostSearchContract,
    ReactionsContract,
    ThreadsContract,
    MessengerContract,
):
    """A folder's posts."""

    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        """Make a folder."""
        (folder / "app").mkdir()
        yield Ann(folder / "app")


class TestDocuments(DocumentsContract):
    """A folder's documents."""

    def app(self, folder: Path) -> AbstractContextManager[Documents]:
        """Open a folder."""
        return nullcontext(FolderApp(path=folder))


def test_a_document_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("x")
    app = FolderApp(path=tmp_path)

    with pytest.raises(AppRejectedError, match="is outside"):
        asyncio.run(app.read_document("../secret.md"))
    with pytest.raises(AppRejectedError, match="is outside"):
        asyncio.run(app.write_document(Document("x", title="a", folder="../..")))


WRITER = """
import asyncio, sys
from pathlib import Path
from openkoi_hookspecs.integrations import Post
from openkoi_testing.apps import FolderApp


async def write() -> None:
    app = FolderApp(path=Path(sys.argv[1]), user=sys.argv[2])
    for n in range(100_000):
        print(await app.send(Post(f"{sys.argv[2]} {n} " + "x" * 3_000, app="", channel="general")), flush=True)


asyncio.run(write())
"""


def test_two_writers_that_are_killed_lose_nothing_that_they_were_told_is_there(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), user], stdout=subprocess.PIPE, text=True)
        for user in ("one", "two")
    ]
    output = [str(writer.stdout and writer.stdout.readline().strip()) for writer in writers for _ in range(3)]
    for writer in writers:
        with writer:
            writer.kill()
            output += writer.communicate()[0].split()
    with (tmp_path / "posts.jsonl").open("ab") as file:
        file.write(b'{"text": "cut sh')
    last = asyncio.run(FolderApp(path=tmp_path).send(Post("last", app="", channel="general")))
    there = asyncio.run(FolderApp(path=tmp_path).history("general", limit=1_000_000))

    assert {*output, last} <= {post.id for post in there}
    assert len(there) == len({post.id for post in there})
