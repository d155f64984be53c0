"""Read and write canvases as documents; text files are read the same way."""

from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from openkoi_hookspecs import AppRejectedError, DocumentConflictError, Json
from openkoi_hookspecs.integrations import Attachment, Document
from openkoi_hookspecs.lazy_dataclass import dataclass

from .api_types import Call, Facts

CANVAS = ("quip", "canvas")  # the types of such files: canvases are built on Quip's documents
PAGE, MAX_PAGES = 100, 20
MAX_BYTES = 1_000_000  # of a text that is read (estimate)
CHANGED = "The canvas {0} has changed since it was read. Read it again."
NOT_A_CANVAS = "{0} is a file, which Slack cannot replace. To write a new document, omit the id."
NOT_TEXT = "{0} is neither a canvas nor a text file."


@dataclass(frozen=True, slots=True)
class Canvases:
    """The canvases and texts of a workspace. ``call`` calls the Web API, ``download`` yields a file."""

    call: Call
    download: Callable[[Attachment], AsyncGenerator[bytes, None]]

    async def read(self, id: str) -> Document:
        """Read a canvas as Markdown, or a text as it is."""
        file = (await self.call("files.info", file=id))["file"]
        if is_canvas(file):
            found = await self.call("canvases.getContent", canvas_id=id, content_type="markdown")
            return to_document(file, str(found["content"]))
        if not is_text(file) or file["size"] > MAX_BYTES:
            raise AppRejectedError(NOT_TEXT.format(id))
        pieces = [piece async for piece in self.download(Attachment(id, ref=str(file["url_private_download"])))]
        return to_document(file, b"".join(pieces).decode(errors="replace"))

    async def write(self, document: Document) -> Document:
        """Create or replace a canvas. Slack does not check revisions: a change made meanwhile is overwritten."""
        content: Json = {"type": "markdown", "markdown": document.text}
        if not document.id:
            place: dict[str, Json] = {"channel_id": document.folder} if document.folder else {}
            titled: dict[str, Json] = {"title": document.title or "Untitled", **place}
            made = await self.call("canvases.create", **titled, document_content=content)
            return await self.read(str(made["canvas_id"]))
        if not is_canvas((await self.call("files.info", file=document.id))["file"]):
            raise AppRejectedError(NOT_A_CANVAS.format(document.id))
        now = await self.read(document.id)
        if document.revision != now.revision:
            raise DocumentConflictError(CHANGED.format(document.id))
        await self.change(now.id, {"operation": "replace", "document_content": content})
        if document.title and document.title != now.title:
            title: Json = {"type": "markdown", "markdown": document.title}
            await self.change(now.id, {"operation": "rename", "title_content": title})
        return await self.read(now.id)

    async def change(self, id: str, change: dict[str, Json]) -> None:
        """Change a canvas; Slack accepts one change per call."""
        await self.call("canvases.edit", canvas_id=id, changes=[change])

    async def list_all(self, channel: str, since: str) -> Sequence[Document]:
        """List the canvases and texts, or those of a channel, most recently changed first."""
        found: list[Document] = []
        place: dict[str, Json] = {"channel": channel} if channel else {}
        for page in range(1, MAX_PAGES + 1):
            answer = await self.call("files.list", count=PAGE, page=page, **place)
            found += [to_document(one) for one in answer["files"] if is_canvas(one) or is_text(one)]
            if page >= int(answer.get("paging", {}).get("pages", 1)):
                break
        return sorted((one for one in found if one.at >= since), key=lambda one: one.at, reverse=True)


def is_canvas(file: Facts) -> bool:
    """Return whether a file is a canvas."""
    return file.get("filetype") in CANVAS


def is_text(file: Facts) -> bool:
    """Return whether a file is a text."""
    return str(file.get("mimetype", "")).startswith("text/")


def to_document(file: Facts, text: str | None = None) -> Document:
    """Return a file as a document; one without its text has no revision."""
    changed = max(int(file.get(name) or 0) for name in ("updated", "edit_timestamp", "timestamp", "created"))
    return Document(
        text or "",
        id=str(file["id"]),
        title=str(file.get("title") or file.get("name") or ""),
        folder=str(next(iter(file.get("channels") or ()), "")),
        revision="" if text is None else sha256(f"{changed} {text}".encode()).hexdigest()[:16],
        at=datetime.fromtimestamp(changed, UTC).isoformat(),
        url=str(file.get("permalink", "")),
    )
