"""Test what every app with documents promises: written text is read back, and others' changes are not overwritten.

class TestMine(DocumentsContract):
    def app(self, folder: Path) -> AbstractContextManager[Documents]:
        ...    # start the service, or a fake of it; give the app
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import pytest

from openkoi_hookspecs import AppRejectedError, DocumentConflictError
from openkoi_hookspecs.integrations import Document, Documents, SupportsDocumentSearch

from .optional_protocols import require_protocol

T = TypeVar("T")
TEXT = "# Plan\n\nWe *will* \u2713 paint:\n\n- the calendar\n- the `parser`\n"


class DocumentsContract(ABC):
    """Inherit it, and implement ``app``."""

    @abstractmethod
    def app(self, folder: Path) -> AbstractContextManager[Documents]:
        """Start the service, or a fake of it, and return the app."""

    @pytest.fixture
    def documents(self, tmp_path: Path) -> Iterator[Documents]:
        """Yield the app under test."""
        with self.app(tmp_path) as app:
            yield app

    def run_story(self, documents: Documents, story: Callable[[], Awaitable[T]]) -> T:
        """Run a story while the app is entered."""

        async def telling() -> T:
            async with AsyncExitStack() as stack:
                if isinstance(documents, AbstractAsyncContextManager):
                    await stack.enter_async_context(documents)
                return await story()

        return asyncio.run(telling())

    def test_what_is_created_is_read_back(self, documents: Documents) -> None:
        async def story() -> tuple[Document, Document]:
            created = await documents.write_document(Document(TEXT, title="Plan"))
            return created, await documents.read_document(created.id)

        created, read = self.run_story(documents, story)

        assert (TEXT, "Plan") == (read.text, read.title)
        assert created == read
        assert read.revision
        assert datetime.fromisoformat(read.at).tzinfo

    def test_two_documents_of_one_title_are_two(self, documents: Documents) -> None:
        async def story() -> list[str]:
            ids = [(await documents.write_document(Document(text, title="Plan"))).id for text in ("one", "two")]
            return [(await documents.read_document(id)).text for id in ids]

        assert ["one", "two"] == self.run_story(documents, story)

    def test_a_change_has_another_revision(self, documents: Documents) -> None:
        async def story() -> tuple[Document, Document, Document]:
            first = await documents.write_document(Document(TEXT, title="Plan"))
            second = await documents.write_document(replace(first, text="short"))
            return first, second, await documents.read_document(first.id)

        first, second, read = self.run_story(documents, story)

        assert first.id == second.id
        assert first.revision != second.revision
        assert ("short", second.revision) == (read.text, read.revision)

    @pytest.mark.parametrize("revision", ["stale", "none"])
    def test_what_another_user_wrote_since_is_not_overwritten(self, documents: Documents, revision: str) -> None:
        async def story() -> Document:
            first = await documents.write_document(Document(TEXT, title="Plan"))
            await documents.write_document(replace(first, text="theirs"))
            mine = replace(first, text="mine", revision=first.revision if revision == "stale" else "")
            with pytest.raises(DocumentConflictError):
                await documents.write_document(mine)
            return await documents.read_document(first.id)

        assert "theirs" == self.run_story(documents, story).text

    def test_an_unknown_document_is_refused(self, documents: Documents) -> None:
        async def story() -> None:
            with pytest.raises(AppRejectedError):
                await documents.read_document("no-such-document")
            with pytest.raises(AppRejectedError):
                await documents.write_document(Document("x", id="no-such-document"))

        self.run_story(documents, story)

    def test_documents_are_listed_without_their_texts(self, documents: Documents) -> None:
        async def story() -> tuple[list[Document], list[Document], list[str]]:
            one = await documents.write_document(Document(TEXT, title="One"))
            two = await documents.write_document(Document(TEXT, title="Two"))
            listed = list(await documents.list_documents())
            recent = await documents.list_documents(since=max(two.at, one.at))
            return [one, two], listed, [each.id for each in recent]

        made, listed, recent = self.run_story(documents, story)

        assert {(each.id, each.title) for each in made} == {(each.id, each.title) for each in listed}
        assert {each.revision for each in listed} <= {"", *(each.revision for each in made)}
        assert {""} == {each.text for each in listed}
        assert made[-1].id in recent

    def test_documents_are_found_by_their_words(self, documents: Documents) -> None:
        async def story() -> list[tuple[str, bool]]:
            searched = require_protocol(documents, SupportsDocumentSearch)
            await documents.write_document(Document(TEXT, title="Plan of the calendar"))
            await documents.write_document(Document("nothing of it", title="Other"))
            return [(one.title, "calendar" in one.text) for one in await searched.search_documents("calendar")]

        assert [("Plan of the calendar", True)] == self.run_story(documents, story)
