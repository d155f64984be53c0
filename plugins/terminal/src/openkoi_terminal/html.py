"""Render Markdown as HTML for services that accept it: no text is lost, and HTML in the text has no effect."""

import re
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

PARSERS: "list[MarkdownIt]" = []  # building one costs 3 ms
FOLLOWED = ("http://", "https://", "mailto:")  # links that mail programs and Matrix clients open
MAX_NESTING = 100  # the parser drops what is nested deeper; texts of models have less than ten levels


def markdown_to_html(text: str) -> str:
    """Render a text. HTML in it is shown literally, an image becomes a link, and line breaks are kept."""
    from markdown_it.common.utils import escapeHtml

    if not PARSERS:
        PARSERS.append(make_parser())
    tokens = PARSERS[0].parse(text)
    if max((one.level for one in tokens), default=0) >= MAX_NESTING - 2 or has_surplus_cells(text, tokens):
        return f"<pre><code>{escapeHtml(text)}</code></pre>\n"
    for block in tokens:
        write_out_addresses(block.children or [])
    return str(PARSERS[0].renderer.render(tokens, PARSERS[0].options, {}))


def write_out_addresses(tokens: "Sequence[Token]") -> None:
    """Replace links that cannot be opened, such as relative ones, with their text and address."""
    addresses: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            address = str(token.attrs["href"])
            addresses.append("" if address.startswith(FOLLOWED) else address)
            if addresses[-1]:
                token.type, token.content = "text", ""
        elif token.type == "link_close" and (address := addresses.pop()):
            token.type, token.content = "text", f" ({address})"


def has_surplus_cells(text: str, tokens: "Sequence[Token]") -> bool:
    """Return whether a row of a table has more cells than its head, which the parser drops."""
    lines, columns = text.split("\n"), [0]
    for token in tokens:
        if token.type == "thead_open":
            columns.append(0)
        elif token.type == "th_open":
            columns[-1] += 1
        elif token.type == "tr_open" and token.map and count_cells(lines[token.map[0]]) > columns[-1] > 0:
            return True
    return False


def count_cells(row: str) -> int:
    """Return how many cells a row of a table has."""
    return len(re.split(r"(?<!\\)\|", row.strip().removeprefix("|").removesuffix("|")))


def make_parser() -> "MarkdownIt":
    """Return a parser without rules that drop text, such as definitions of unused links."""
    from markdown_it import MarkdownIt

    options = {"html": False, "breaks": True, "maxNesting": MAX_NESTING}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable("reference")
    parser.add_render_rule("image", render_image)
    parser.add_render_rule("fence", render_fence)
    return parser


def render_image(
    renderer: "RendererHTML",
    tokens: "Sequence[Token]",
    place: int,
    options: "OptionsDict",
    env: "MutableMapping[str, Any]",
) -> str:
    """Render an image as a link: loading an image would reveal the reader to its server."""
    from markdown_it.common.utils import escapeHtml

    image = tokens[place]
    address, words = escapeHtml(str(image.attrs["src"])), escapeHtml(text_of(image.children or []))
    return f'<a href="{address}">{words}</a>' if address.startswith(FOLLOWED) else f"{words} ({address})"


def text_of(tokens: "Sequence[Token]") -> str:
    """Return the text of a description; its links become text with addresses."""
    pieces: list[str] = []
    addresses: list[str] = []
    for token in tokens:
        match token.type:
            case "image":
                pieces.append(f"{text_of(token.children or [])} ({token.attrs['src']})")
            case "link_open":
                addresses.append(str(token.attrs["href"]))
            case "link_close":
                pieces.append(f" ({addresses.pop()})")
            case "softbreak" | "hardbreak":
                pieces.append("\n")
            case _:
                pieces.append(token.content)
    return "".join(pieces)


def render_fence(
    renderer: "RendererHTML",
    tokens: "Sequence[Token]",
    place: int,
    options: "OptionsDict",
    env: "MutableMapping[str, Any]",
) -> str:
    """Render a code block; if its info string is more than a language, that is its first line."""
    from markdown_it.common.utils import escapeHtml

    block = tokens[place]
    info = block.info.strip()
    language = info if info.replace("-", "").replace("+", "").replace("#", "").isalnum() else ""
    name = f' class="language-{escapeHtml(language)}"' if language else ""
    first = f"{info}\n" if info and not language else ""
    return f"<pre><code{name}>{escapeHtml(first + block.content)}</code></pre>\n"
