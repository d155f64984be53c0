"""Use the fake Notion as notion-client does. A standalone script."""

import json
import sys
from typing import Any

from notion_client import APIResponseError, Client


def use(url: str, token: str, root: str) -> dict[str, Any]:
    """Call each endpoint of the fake; return the responses."""
    client = Client(auth=token, base_url=url, notion_version="2026-03-11")
    title = {"title": [{"type": "text", "text": {"content": "Pond"}}]}
    page = client.pages.create(parent={"page_id": root}, properties={"title": title}, markdown="# Koi\n\nred")
    before = client.pages.retrieve_markdown(page["id"])
    client.pages.update_markdown(page["id"], type="replace_content", replace_content={"new_str": "blue"})
    after = client.pages.retrieve_markdown(page["id"])
    client.pages.update(page["id"], properties={"title": {"title": [{"text": {"content": "Lake"}}]}})
    found = client.search(query="lake", filter={"property": "object", "value": "page"})
    errors: list[str] = []
    calls: tuple[Any, ...] = (
        lambda: client.pages.retrieve("00000000-0000-4000-8000-000000000000"),
        lambda: Client(auth="nobody", base_url=url).users.me(),
    )
    for call in calls:
        try:
            call()
        except APIResponseError as error:
            errors.append(f"{error.status} {error.code.value}")
    return {
        "me": client.users.me()["name"],
        "markdown": [before["markdown"], after["markdown"], after["truncated"]],
        "found": [one["properties"]["title"]["title"][0]["plain_text"] for one in found["results"]],
        "errors": errors,
    }


print(json.dumps(use(*sys.argv[1:])))
