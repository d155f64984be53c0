"""Fake Notion's pages as Markdown: create, read, replace, list and find them, with limits and refusals."""

import json
import time
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from .faults import ServerFault
from .http_server import HttpServer, ReceivedRequest, ServerResponse

TOKEN = "ntn_fake0000000000000000000000000000000000000"
VERSIONS = frozenset({"2025-09-03", "2026-03-11"})
MAX_TITLE = 2000
Facts = dict[str, Any]


class NotionRequestError(Exception):
    """A call that Notion refuses, with its status and code."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class NotionServer(HttpServer):
    """A workspace with a page ``root`` that is shared. ``markdown`` are the contents of pages by their ids.

    ``limited`` is how many coming calls are refused with ``retry_after`` seconds; ``truncated`` are pages that are
    returned only in part.
    """

    def __init__(self) -> None:
        super().__init__(self.route)
        self.token = TOKEN
        self.pages: dict[str, Facts] = {}
        self.markdown: dict[str, str] = {}
        self.truncated: set[str] = set()
        self.limited, self.retry_after = 0, 1
        self.refused: list[float] = []
        self.root = str(self.add_page({"type": "workspace", "workspace": True}, "Root", "")["id"])

    def route(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a call."""
        try:
            self.check(seen)
            arguments = json.loads(seen.body) if seen.body else {}
            return ServerResponse([json.dumps(self.do(seen.method, urlsplit(seen.path).path, arguments)).encode()])
        except NotionRequestError as refused:
            return failure(refused.status, refused.code, str(refused))
        except (KeyError, TypeError, ValueError) as error:
            return failure(400, "validation_error", f"body failed validation: {error!r}")

    def check(self, seen: ReceivedRequest) -> None:
        """Raise NotionRequestError for a call without a token or a version, or for one that is too early."""
        if seen.headers.get("authorization") != f"Bearer {self.token}":
            raise NotionRequestError(401, "unauthorized", "API token is invalid.")
        if seen.headers.get("notion-version") not in VERSIONS:
            raise NotionRequestError(400, "missing_version", "Notion-Version header should be defined.")
        if self.limited:
            self.limited -= 1
            self.refused.append(time.monotonic())
            raise NotionRequestError(429, "rate_limited", str(self.retry_after))

    def do(self, method: str, path: str, arguments: Facts) -> Facts:
        """Handle a call."""
        match method, path.strip("/").split("/"):
            case "GET", ["v1", "users", "me"]:
                return {"object": "user", "id": str(UUID(int=1)), "type": "bot", "name": "Koi", "bot": {}}
            case "POST", ["v1", "pages"]:
                return self.create(**arguments)
            case "GET", ["v1", "pages", id]:
                return self.page(id)
            case "PATCH", ["v1", "pages", id]:
                return self.rename(id, **arguments)
            case "GET", ["v1", "pages", id, "markdown"]:
                return self.content(id)
            case "PATCH", ["v1", "pages", id, "markdown"]:
                return self.change(id, **arguments)
            case "POST", ["v1", "search"]:
                return self.search(**arguments)
        raise NotionRequestError(400, "invalid_request_url", "Invalid request URL.")

    def create(self, parent: Facts, properties: Facts, markdown: str = "", **_: Any) -> Facts:
        """Create a page below another one."""
        self.page(parent["page_id"])
        return self.add_page({"type": "page_id", "page_id": parent["page_id"]}, text_in(properties["title"]), markdown)

    def rename(self, id: str, properties: Facts, **_: Any) -> Facts:
        """Change the title of a page."""
        page = self.page(id)
        page["properties"] = title_properties(text_in(properties["title"]))
        return self.touch(id)

    def change(self, id: str, type: str, replace_content: Facts, **_: Any) -> Facts:  # noqa: A002  # as Notion names it
        """Replace the content of a page."""
        self.page(id)
        if type != "replace_content":
            raise NotionRequestError(400, "validation_error", f"body.type is {type}.")
        self.markdown[id] = str(replace_content["new_str"])
        self.touch(id)
        return self.content(id)

    def content(self, id: str) -> Facts:
        """Return the content of a page."""
        self.page(id)
        whole, cut = self.markdown[id], id in self.truncated
        text = whole[: len(whole) // 2] if cut else whole
        return {"object": "page_markdown", "id": id, "markdown": text, "truncated": cut, "unknown_block_ids": []}

    def search(self, query: str = "", page_size: int = 100, **_: Any) -> Facts:
        """Find pages by their titles, most recently changed first."""
        every = sorted(self.pages.values(), key=lambda one: str(one["last_edited_time"]), reverse=True)
        below = [one for one in every if one["id"] != self.root]
        found = [one for one in below if query.lower() in plain_title(one).lower()][:page_size]
        return {
            "object": "list",
            "type": "page_or_data_source",
            "results": found,
            "has_more": False,
            "next_cursor": None,
        }

    def page(self, id: str) -> Facts:
        """Return a page; raise NotionRequestError for one that is not shared."""
        if id not in self.pages:
            message = f"Could not find page with ID: {id}. Make sure it is shared with your integration."
            raise NotionRequestError(404, "object_not_found", message)
        return self.pages[id]

    def add_page(self, parent: Facts, title: str, markdown: str) -> Facts:
        """Add a page."""
        id = str(uuid4())
        self.pages[id] = {
            "object": "page",
            "id": id,
            "created_time": now(),
            "parent": parent,
            "in_trash": False,
            "properties": title_properties(title),
            "url": f"https://www.notion.so/{id.replace('-', '')}",
        }
        self.markdown[id] = markdown
        return self.touch(id)

    def touch(self, id: str) -> Facts:
        """Record that a page has changed."""
        self.pages[id]["last_edited_time"] = now()
        return self.pages[id]


def now() -> str:
    """Return the time as Notion writes it: to the minute."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:00.000Z")


def text_in(value: Any) -> str:
    """Return the text of a title as it is sent."""
    parts = value["title"] if isinstance(value, dict) else value
    text = "".join(str(part["text"]["content"]) for part in parts)
    if len(text) > MAX_TITLE:
        raise NotionRequestError(400, "validation_error", "title should be at most 2000 characters.")
    return text


def title_properties(title: str) -> Facts:
    """Return the properties of a page that has only a title."""
    part = {"type": "text", "text": {"content": title, "link": None}, "plain_text": title, "href": None}
    return {"title": {"id": "title", "type": "title", "title": [part]}}


def plain_title(page: Facts) -> str:
    """Return the title of a page."""
    return "".join(str(part["plain_text"]) for part in page["properties"]["title"]["title"])


def failure(status: int, code: str, message: str) -> ServerResponse:
    """Return an error as Notion words it."""
    headers = {"retry-after": message} if status == 429 else {}
    body = {"object": "error", "status": status, "code": code, "message": message, "request_id": str(uuid4())}
    return ServerResponse([json.dumps(body).encode()], fault=ServerFault(status=status, headers=headers))
