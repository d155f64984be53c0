"""Convert HTML to Markdown with absolute links, by a library of pure Python: pages are hostile input."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from justhtml import Node
    from justhtml.dom import NodeType

MAX_HTML_CHARACTERS = 2_000_000
SKIPPED_ELEMENTS = frozenset(
    {"#comment", "script", "style", "template", "noscript", "svg", "math", "img", "picture", "video", "audio", "canvas"}
    | {"object", "embed", "iframe", "button", "input", "select", "textarea", "dialog"}
)
KEPT_ATTRIBUTES = frozenset({"start", "colspan", "rowspan"})
LINK_SCHEMES = ("http://", "https://", "mailto:")


def to_markdown(html: str, address: str) -> str:
    """Return a page as Markdown, its title first, without scripts and styles."""
    from justhtml import JustHTML

    page, title = JustHTML(html[:MAX_HTML_CHARACTERS], sanitize=False), ""
    for node in walk_nodes(page.root):
        node.children = [child for child in node.children or () if not is_skipped(child)]
        node.attrs = useful_attributes(node, address)
        if node.name == "title" and not title:
            title = " ".join(node.to_text().split())
    text = page.to_markdown().strip()
    return f"Title: {title}\n\n{text}" if title else text


def walk_nodes(root: "Node") -> "Iterator[Node]":
    """Yield each element from the top; skip those removed meanwhile."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(child for child in reversed(node.children or ()) if child.name != "#text")


def is_skipped(node: "NodeType") -> bool:
    """Return whether a node has no readable content."""
    from justhtml import Text

    if isinstance(node, Text):
        return False
    attrs = node.attrs or {}
    return (
        node.name in SKIPPED_ELEMENTS
        or "hidden" in attrs
        or attrs.get("aria-hidden") == "true"
        or attrs.get("class") == "headerlink"
    )


def useful_attributes(node: "Node", address: str) -> dict[str, str | None]:
    """Return the attributes that matter to a reader."""
    attrs = node.attrs or {}
    kept = {name: value for name, value in attrs.items() if name in KEPT_ATTRIBUTES}
    if node.name == "a" and (link := join_url(address, attrs.get("href") or "")).startswith(LINK_SCHEMES):
        return {**kept, "href": link}
    return kept


def join_url(base: str, link: str) -> str:
    """Return a link as an absolute URL, or an empty string for an invalid one."""
    try:
        return urljoin(base, link) if link else ""
    except ValueError:
        return ""
