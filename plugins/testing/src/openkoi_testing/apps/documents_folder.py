"""Store documents as the Markdown files of a folder. A revision is a digest of the file."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from openkoi_base.files.filelock import lock_beside
from openkoi_hookspecs import AppRejectedError, DocumentConflictError
from openkoi_hookspecs.integrations import Document

from .shared_folder import SharedFolder


class DocumentsFolder(SharedFolder):
    """Implement ``Documents`` and ``SupportsDocumentSearch``."""

    @property
    def documents(self) -> Path:
        """The folder of documents."""
        self.require_folder()
        return self.path.resolve() / "documents"

    async def read_document(self, id: str) -> Document:
        """Read a file."""
        return self.document_in(self.existing_file(id))

    async def write_document(self, document: Document) -> Document:
        """Write a file, if it has not changed since it was read."""
        file = self.existing_file(document.id) if document.id else self.free_name(document)
        file.parent.mkdir(parents=True, exist_ok=True)
        with lock_beside(file):
            if document.id and document.revision != file_revision(file):
                raise DocumentConflictError(f"{document.id!r} has changed since it was read. Read it again.")
            file.write_bytes(document.text.encode())
        return self.document_in(file)

    async def list_documents(self, folder: str = "", *, since: str = "") -> Sequence[Document]:
        """List the files of a folder, most recently changed first."""
        found = [self.document_in(file) for file in self.resolve_id(folder).glob("*.md")]
        recent = sorted((one for one in found if one.at >= since), key=lambda one: one.at, reverse=True)
        return [replace(one, text="") for one in recent]

    async def search_documents(self, text: str, *, limit: int = 20) -> Sequence[Document]:
        """Find documents that contain a text, with the matching lines."""
        every = map(self.document_in, sorted(self.documents.rglob("*.md")))
        matching = ((one, [line for line in one.text.splitlines() if text in line]) for one in every)
        return [replace(one, text="\n".join(lines)) for one, lines in matching if lines][:limit]

    def resolve_id(self, id: str) -> Path:
        """Return the path of a document or folder; raise AppRejectedError for one outside."""
        path = (self.documents / id).resolve()
        if not path.is_relative_to(self.documents):
            raise AppRejectedError(f"{id!r} is outside the documents of {self.name}.")
        return path

    def existing_file(self, id: str) -> Path:
        """Return the file of a document; raise AppRejectedError if there is none."""
        if not (file := self.resolve_id(id)).is_file():
            raise AppRejectedError(f"{self.name} has no document {id!r}.")
        return file

    def free_name(self, document: Document) -> Path:
        """Return a file for a new document."""
        title = "".join(char if char.isalnum() or char in " _-." else "-" for char in document.title or "untitled")
        names = (f"{title}{suffix}.md" for suffix in ("", *(f" {n}" for n in range(2, 1_000))))
        return next(file for name in names if not (file := self.resolve_id(document.folder) / name).exists())

    def document_in(self, file: Path) -> Document:
        """Read a file as a document."""
        id = file.relative_to(self.documents)
        at = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat(timespec="microseconds")
        folder = "" if id.parent == Path() else id.parent.as_posix()
        text, revision = file.read_bytes().decode(), file_revision(file)
        return Document(text, id=id.as_posix(), title=file.stem, folder=folder, revision=revision, at=at)


def file_revision(file: Path) -> str:
    """Return a digest of a file."""
    return sha256(file.read_bytes()).hexdigest()[:16]
