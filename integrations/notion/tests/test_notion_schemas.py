"""Test that the app's calls and the fake's answers match Notion's published API description."""

import asyncio
import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from data_files import schema_errors

from openkoi_hookspecs.integrations import Document
from openkoi_notion import Notion
from openkoi_testing.servers import NotionServer
from openkoi_testing.servers.http_server import ReceivedRequest, ServerResponse

ID = re.compile(r"/[0-9a-f]{8}-[0-9a-f-]{27}")
CALLS = {
    *("GET /v1/users/me", "POST /v1/search", "POST /v1/pages", "GET /v1/pages/{page_id}", "PATCH /v1/pages/{page_id}"),
    *("GET /v1/pages/{page_id}/markdown", "PATCH /v1/pages/{page_id}/markdown"),
}


class CheckedServer(NotionServer):
    """A fake that checks each call, and its answer, by the published schemas."""

    def __init__(self) -> None:
        super().__init__()
        self.checked: set[str] = set()
        self.problems: list[str] = []

    def route(self, seen: ReceivedRequest) -> ServerResponse:
        """Check a call and what it returns."""
        response = super().route(seen)
        address = urlsplit(seen.path)
        name = f"{seen.method} {ID.sub('/{page_id}', address.path)}"
        parts: dict[str, Any] = {
            "query": dict(parse_qsl(address.query)),
            "result": json.loads(b"".join(response.pieces)),
        }
        if seen.body:
            parts["body"] = seen.json
        for part, value in parts.items():
            self.problems += [f"{name} {part}: {one}" for one in schema_errors("notion", f"{name}.{part}", value)]
        self.checked.add(name)
        return response


async def use(server: NotionServer) -> str:
    """Use all functions of the app; return the final content of a page."""
    async with Notion(base_url=f"{server.url}/v1", token=server.token, parent=server.root) as app:
        await app.health()
        made = await app.write_document(Document("# Koi\n\nred"))
        changed = await app.write_document(replace(made, text="blue", title="Lake"))
        await app.list_documents(server.root)
        await app.search_documents("lake")
        return (await app.read_document(changed.id)).text


def test_calls_and_answers_are_what_the_description_of_the_api_says() -> None:
    with CheckedServer() as server:
        text = asyncio.run(use(server))

    assert [] == server.problems
    assert server.checked == CALLS
    assert "blue" == text
