"""HTML as text to read, with links that are whole. Knows HTML by a library of pure Python: pages are hostile input."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from justhtml import Node
    from justhtml.dom import NodeType

MOST = 2_000_000
UNREAD = frozenset(
    {"#comment", "script", "style", "template", "noscript", "svg", "math", "img", "picture", "video", "audio", "canvas"}
    | {"object", "embed", "iframe", "button", "input", "select", "textarea", "dialog"}
)
TOLD = frozenset({"start", "colspan", "rowspan"})
FOLLOWED = ("http://", "https://", "mailto:")


def markdown(html: str, address: str) -> str:
    """A page as Markdown, its title first. What is not for reading is left out."""
    from justhtml import JustHTML

    page, title = JustHTML(html[:MOST], sanitize=False), ""
    for node in nodes(page.root):
        node.children = [child for child in node.children or () if not unread(child)]
        node.attrs = useful_attributes(node, address)
        if node.name == "title" and not title:
            title = " ".join(node.to_text().split())
    text = page.to_markdown().strip()
    return f"Title: {title}\n\n{text}" if title else text


def nodes(root: "Node") -> "Iterator[Node]":
    """Yield each element from the top; skip those removed meanwhile."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(child for child in reversed(node.children or ()) if child.name != "#text")


def unread(node: "NodeType") -> bool:
    """Whether a node is not for reading."""
    from justhtml import Text

    if isinstance(node, Text):
        return False
    attrs = node.attrs or {}
    return (
        node.name in UNREAD
        or "hidden" in attrs
        or attrs.get("aria-hidden") == "true"
        or attrs.get("class") == "headerlink"
    )


def useful_attributes(node: "Node", address: str) -> dict[str, str | None]:
    """Return the attributes that matter to a reader."""
    attrs = node.attrs or {}
    kept = {name: value for name, value in attrs.items() if name in TOLD}
    if node.name == "a" and (link := join_url(address, attrs.get("href") or "")).startswith(FOLLOWED):
        return {**kept, "href": link}
    return kept


def join_url(base: str, link: str) -> str:
    """Return a link as an absolute URL, or an empty string for an invalid one."""
    try:
        return urljoin(base, link) if link else ""
    except ValueError:
        return ""
