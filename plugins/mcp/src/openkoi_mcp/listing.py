"""List the tools and prompts that an MCP server offers, page by page. Imports the SDK."""

from collections.abc import Awaitable, Callable
from typing import Any

from mcp import Client
from pydantic import BaseModel

from .definitions import PROMPT_KEYS, TOOL_KEYS, Definitions
from .message_limits import MessageTooLargeError

MAX_PAGES = 50  # a server whose pages never end is cut off
MAX_LISTED_BYTES = 8 * 2**20  # bytes of all pages; estimate: 10,000 tools of 800 bytes


async def list_definitions(client: Client) -> Definitions:
    """Return the tools and prompts of a server as it describes them now."""
    offers = client.server_capabilities
    tools = await list_all(client.list_tools, "tools") if offers.tools else []
    prompts = await list_all(client.list_prompts, "prompts") if offers.prompts else []
    return Definitions(plain(tools, TOOL_KEYS), plain(prompts, PROMPT_KEYS), offers.resources is not None)


async def list_resources(client: Client) -> str:
    """Return a line for each resource, and for each pattern of resources."""
    listed = await list_all(client.list_resources, "resources")
    patterns = await list_all(client.list_resource_templates, "resource_templates")
    named = [(one.uri, one) for one in listed] + [(one.uri_template, one) for one in patterns]
    return "\n".join(f"{uri}: {one.title or one.name}. {one.description or ''}".strip() for uri, one in named)


async def list_all(ask: Callable[..., Awaitable[Any]], field: str) -> list[Any]:
    """Return all items of a list that a server gives in pages."""
    found: list[Any] = []
    cursor: str | None = None
    size = 0
    for _ in range(MAX_PAGES):
        page = await ask(cursor=cursor)
        size += len(page.model_dump_json())
        if size > MAX_LISTED_BYTES:
            raise MessageTooLargeError(f"its list of {field} is larger than {MAX_LISTED_BYTES >> 20} MiB")
        found += getattr(page, field)
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def plain(listed: list[BaseModel], keys: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """Return definitions as JSON, by name, with the parts that models and users see."""
    dumped = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in listed]
    kept = [{key: one[key] for key in keys if key in one} for one in dumped]
    return tuple(sorted(kept, key=lambda one: str(one["name"])))
