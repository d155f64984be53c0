"""Read and write Notion's pages by its Markdown endpoints (API version 2026-03-11)."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Self

from openkoi_hookspecs import (
    AppRejectedError,
    AppUnavailableError,
    DocumentConflictError,
    Env,
    Json,
    Koi,
    Question,
    SignInRequiredError,
)
from openkoi_hookspecs.integrations import Document
from openkoi_http import AppClient, ResponseLimits, Server

from .tables import keep_pipes

VERSION = "2026-03-11"
LIMITS = ResponseLimits(idle_seconds=30.0)
SIGN_IN = "Notion rejected the token. Run `openkoi connect notion`."
NO_PARENT = (
    "Notion needs a parent page. Pass one as the folder, or set `[integrations.notion] parent`; "
    "`openkoi connect notion` asks for it."
)
CHANGED = "The page {0} has changed since it was read. Read it again."
TOO_LARGE = "Notion returned only part of the page {0}, so it cannot be replaced."
ASK_TOKEN = (
    "Open https://www.notion.so/profile/integrations, create an integration, and share a page with it "
    "(... > Connections). Paste its secret (ntn_...)"
)
ASK_PARENT = "URL of the shared page, under which new pages are created"
ID = re.compile(
    r"([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})(?:[?#].*)?$", re.IGNORECASE
)
HEADING = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)
PAGE = 100
RETRIES, MAX_WAIT = 3, 30.0  # Notion allows three calls a second, and says how many seconds to wait


class Notion:
    """The shared pages of a workspace. ``[integrations.notion] parent`` is the page under which new ones are created.

    ``base_url`` is another address, for tests and proxies.
    """

    def __init__(
        self,
        *,
        base_url: str = "https://api.notion.com/v1",
        token: Annotated[str, Env("NOTION_API_KEY", secret=True), Env("NOTION_TOKEN", secret=True)] = "",
        parent: str = "",
    ) -> None:
        self.base_url, self.token, self.parent = base_url, token, parent
        self.open()

    def open(self) -> None:
        """Create the client for the token without connecting."""
        signed = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        self.api = AppClient(
            self.base_url, headers={"Notion-Version": VERSION, **signed}, bounds=LIMITS, explain=explain
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.api.__aexit__()

    async def call(self, method: str, path: str, arguments: Mapping[str, Json] | None = None) -> Any:
        """Call Notion; wait and retry when Notion asks for that."""
        if not self.token:
            raise SignInRequiredError.not_connected("notion")
        for attempt in range(RETRIES):
            try:
                return await (
                    self.api.fetch(path) if arguments is None else self.api.call(path, arguments, method=method)
                )
            except AppUnavailableError as error:
                if error.retry_after is None or error.retry_after > MAX_WAIT or attempt == RETRIES - 1:
                    raise
                await asyncio.sleep(error.retry_after)
        return None

    async def health(self) -> dict[str, str]:
        """Return the name of the integration."""
        return {"integration": str((await self.call("GET", "/users/me")).get("name", ""))}

    async def connect(self, koi: Koi) -> str:
        """Ask for the token and a page, verify both, and save them."""
        self.token = (await koi.ask(Question(ASK_TOKEN, secret=True)) or "").strip()
        koi.conceal(self.token, "the Notion token")
        self.open()
        name = (await self.health())["integration"]
        parent = read_id(await koi.ask(Question(ASK_PARENT)) or "")
        title = title_of(await self.call("GET", f"/pages/{parent}"))
        koi.save_key("notion.token", self.token)
        koi.set_setting("integrations.notion.parent", parent)
        return f"{name}, under the page {title!r}"

    # Documents

    async def read_document(self, id: str) -> Document:
        """Read a page."""
        page = await self.call("GET", f"/pages/{read_id(id)}")
        return to_document(page, await self.call("GET", f"/pages/{page['id']}/markdown"))

    async def write_document(self, document: Document) -> Document:
        """Create a page, or replace one that is unchanged since it was read. Notion does not check revisions: another
        change in the same second is overwritten.
        """
        if not document.id:
            return await self.create(document)
        now = await self.read_document(document.id)
        if not now.revision:
            raise AppRejectedError(TOO_LARGE.format(document.id))
        if document.revision != now.revision:
            raise DocumentConflictError(CHANGED.format(document.id))
        change: dict[str, Json] = {"type": "replace_content", "replace_content": {"new_str": keep_pipes(document.text)}}
        await self.call("PATCH", f"/pages/{now.id}/markdown", change)
        if document.title and document.title != now.title:
            await self.call("PATCH", f"/pages/{now.id}", {"properties": {"title": title_property(document.title)}})
        return await self.read_document(now.id)

    async def create(self, document: Document) -> Document:
        """Create a page."""
        parent = document.folder or self.parent
        if not parent:
            raise AppRejectedError(NO_PARENT)
        heading = HEADING.search(document.text)
        title = document.title or (heading[1] if heading else "Untitled")
        page: dict[str, Json] = {
            "parent": {"type": "page_id", "page_id": read_id(parent)},
            "properties": {"title": title_property(title)},
            "markdown": keep_pipes(document.text),
        }
        return await self.read_document(str((await self.call("POST", "/pages", page))["id"]))

    async def list_documents(self, folder: str = "", *, since: str = "") -> Sequence[Document]:
        """List the pages that are shared with the integration, or those below one, most recently changed first."""
        below = read_id(folder) if folder else ""
        found = [to_document(one) for one in await self.find("")]
        return [one for one in found if (not below or one.folder == below) and one.at >= since]

    async def search_documents(self, text: str, *, limit: int = 20) -> Sequence[Document]:
        """Find pages by their titles, as Notion does."""
        found = map(to_document, await self.find(text))
        return [Document(one.title, id=one.id, title=one.title, at=one.at, url=one.url) for one in found][:limit]

    async def find(self, text: str) -> list[dict[str, Any]]:
        """Return the last pages that Notion finds for a text, or of all."""
        query: dict[str, Json] = {"query": text} if text else {}
        only: dict[str, Json] = {"filter": {"property": "object", "value": "page"}, "page_size": PAGE}
        order: dict[str, Json] = {"sort": {"timestamp": "last_edited_time", "direction": "descending"}}
        return list((await self.call("POST", "/search", {**query, **only, **order}))["results"])


def to_document(page: Mapping[str, Any], content: Mapping[str, Any] | None = None) -> Document:
    """Return a page as a document; one without its whole content has no revision."""
    parent, at = page.get("parent", {}), str(page["last_edited_time"]).replace("Z", "+00:00")
    whole = content is not None and not content.get("truncated")
    text = str(content["markdown"]) if content else ""
    return Document(
        text,
        id=str(page["id"]),
        title=title_of(page),
        folder=str(parent.get("page_id") or parent.get("data_source_id") or parent.get("database_id") or ""),
        revision=sha256(f"{page['last_edited_time']} {text}".encode()).hexdigest()[:16] if whole else "",
        at=at,
        url=str(page.get("url", "")),
    )


def title_of(page: Mapping[str, Any]) -> str:
    """Return the title of a page: the text of the property of that type, whatever it is called."""
    titles = (one["title"] for one in page.get("properties", {}).values() if one.get("type") == "title")
    return "".join(str(part.get("plain_text", "")) for part in next(titles, []))


def title_property(title: str) -> Json:
    """Return a title as a property."""
    return {"title": [{"type": "text", "text": {"content": title[:2000]}}]}


def read_id(address: str) -> str:
    """Return the id in an id or address of a page; raise AppRejectedError for anything else."""
    found = ID.search(address.strip())
    if not found:
        raise AppRejectedError(f"{address!r} is not the ID or URL of a Notion page.")
    return "-".join(found.groups()).lower()


def explain(server: Server, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raise the error that Notion reports; return None to judge by the HTTP status."""
    try:
        message = str(json.loads(body).get("message", ""))
    except (ValueError, AttributeError):
        return
    if status == 401:
        raise SignInRequiredError(SIGN_IN)
    if status in (400, 403, 404):
        raise AppRejectedError(f"Notion rejected the request: {message}")
    return
