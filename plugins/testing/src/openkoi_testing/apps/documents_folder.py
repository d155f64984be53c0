"""Documents that are the Markdown files of a folder. A revision is a digest of the file."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from openkoi_files.filelock import locked
from openkoi_hookspecs import AppRejectedError, DocumentConflictError
from openkoi_hookspecs.integrations import Document

from .shared_folder import SharedFolder


class DocumentsFolder(SharedFolder):
    """Implements ``Documents`` and ``SupportsDocumentSearch``."""

    @property
    def documents(self) -> Path:
        """The folder of documents."""
        self.require_folder()
        return self.path.resolve() / "documents"

    async def read_document(self, id: str) -> Document:
        """Read a file."""
        return self.document_in(self.existing(id))

    async def write_document(self, document: Document) -> Document:
        """Write a file, if it is still as it was read."""
        file = self.existing(document.id) if document.id else self.free_name(document)
        file.parent.mkdir(parents=True, exist_ok=True)
        with locked(file):
            if document.id and document.revision != revision_of(file):
                raise DocumentConflictError(f"{document.id!r} has changed since it was read. Read it again.")
            file.write_bytes(document.text.encode())
        return self.document_in(file)

    async def list_documents(self, folder: str = "", *, since: str = "") -> Sequence[Document]:
        """List the files of a folder, those that changed last first."""
        found = [self.document_in(file) for file in self.place(folder).glob("*.md")]
        recent = sorted((one for one in found if one.at >= since), key=lambda one: one.at, reverse=True)
        return [replace(one, text="") for one in recent]

    async def search_documents(self, text: str, *, limit: int = 20) -> Sequence[Document]:
        """Find documents that contain a text, with the lines that do."""
        every = map(self.document_in, sorted(self.documents.rglob("*.md")))
        matching = ((one, [line for line in one.text.splitlines() if text in line]) for one in every)
        return [replace(one, text="\n".join(lines)) for one, lines in matching if lines][:limit]

    def place(self, id: str) -> Path:
        """Return the path of a document or folder; raises AppRejectedError for one outside."""
        path = (self.documents / id).resolve()
        if not path.is_relative_to(self.documents):
            raise AppRejectedError(f"{id!r} leads out of the documents of {self.name}.")
        return path

    def existing(self, id: str) -> Path:
        """Return the file of a document; raises AppRejectedError where there is none."""
        if not (file := self.place(id)).is_file():
            raise AppRejectedError(f"{self.name} has no document {id!r}.")
        return file

    def free_name(self, document: Document) -> Path:
        """Return a file for a new document."""
        title = "".join(char if char.isalnum() or char in " _-." else "-" for char in document.title or "untitled")
        names = (f"{title}{suffix}.md" for suffix in ("", *(f" {n}" for n in range(2, 1_000))))
        return next(file for name in names if not (file := self.place(document.folder) / name).exists())

    def document_in(self, file: Path) -> Document:
        """Read a file as a document."""
        id = file.relative_to(self.documents)
        at = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat(timespec="microseconds")
        folder = "" if id.parent == Path() else id.parent.as_posix()
        text, revision = file.read_bytes().decode(), revision_of(file)
        return Document(text, id=id.as_posix(), title=file.stem, folder=folder, revision=revision, at=at)


def revision_of(file: Path) -> str:
    """Return a digest of a file."""
    return sha256(file.read_bytes()).hexdigest()[:16]
