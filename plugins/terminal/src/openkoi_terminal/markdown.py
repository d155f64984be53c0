"""Render final blocks of Markdown for a terminal: prose is neither wrapped nor indented, so that it can be copied."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .blocks import FENCE, LIST, Block, MarkdownStream
from .safe_text import strip_controls
from .style import Style
from .width import text_width

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

INLINE_MARKS = {"strong": ("bold",), "em": ("italic",), "s": ("strike",), "code_inline": ("cyan",)}
INDENT = "  "
RULE = "─" * 24
QUOTE = "│ "
BULLET = "• "
MARKUP = lazy_pattern(r"[\\`*_\[!<&~\t]")  # what may mean anything within a paragraph
HEADING = lazy_pattern(r"(#{1,6}) ([^#\s][^#\n]*)")
ITEM = lazy_pattern(r"([-*+]|\d{1,9}[.)]) ([^\W\d_][^\n]*)")
PARSERS: "list[MarkdownIt]" = []  # building one costs 3 ms


def render_markdown(text: str, style: Style) -> str:
    """Render a whole text."""
    stream = MarkdownStream()
    stream.add(text)
    return "".join(render_block(block, style) for block in stream.finish())


def render_block(block: Block, style: Style, *, numbered: bool = False) -> str:
    """Render a final block with the empty line that ends it; ``numbered`` adds its number, for ``/copy``."""
    number = style.mark(f" [{block.number}]", "grey") if numbered else ""
    if block.kind == FENCE:
        return render_code(block, style, number)
    text = block.source if style.plain else render_text(block, style)
    if not block.last:
        return f"{text}\n"
    return f"{text}{number}\n\n" if text else "\n"


def render_text(block: Block, style: Style) -> str:
    """Render a block that is not code; most have no markup and need no parser, which takes 20 times as long."""
    source = block.source.strip()
    if not MARKUP.search(source, int(block.kind == LIST)):
        if block.kind == "paragraph":
            return "\n".join(line.strip(" ") for line in source.split("\n"))
        if block.kind == "heading" and (found := HEADING.fullmatch(source)):
            return mark_heading(found[2], len(found[1]), style)
        if block.kind == LIST and (found := ITEM.fullmatch(source)):
            return f"{BULLET if found[1] in '-*+' else f'{found[1]} '}{found[2]}"
    return "\n".join(render_nodes(parse(block.source).children, style))


def mark_heading(text: str, level: int, style: Style) -> str:
    """Return a heading in bold, the highest one underlined."""
    return style.mark(text, "bold", *(["underline"] * (level == 1)))


def render_code(block: Block, style: Style, number: str) -> str:
    """Render a line of a code block; a plain one keeps its fence."""
    edge = "```" if style.plain else style.mark("───", "grey")
    named = block.info if style.plain else style.mark(f" {block.info}" * bool(block.info), "grey")
    opening = f"{edge}{named}{number}\n"
    line = "" if block.last else f"{highlight(block.source, block.info, style)}\n"
    return (opening if block.first else "") + line + (f"{edge}\n\n" if block.last else "")


def highlight(line: str, language: str, style: Style) -> str:
    """Return a line of code in colours; text that spans lines is coloured line by line."""
    if not style.colour or not language:
        return line
    from .code import colour_line

    return colour_line(line, language)


def parse(source: str) -> "SyntaxTreeNode":
    """Return the tree of a block."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    if not PARSERS:
        PARSERS.append(MarkdownIt("commonmark").enable(["table", "strikethrough"]))
    return SyntaxTreeNode(PARSERS[0].parse(source))


def render_nodes(nodes: "Sequence[SyntaxTreeNode]", style: Style) -> Iterator[str]:
    """Yield the lines of blocks."""
    for node in nodes:
        yield from render_node(node, style)


def render_node(node: "SyntaxTreeNode", style: Style) -> Iterator[str]:
    """Yield the lines of one block."""
    match node.type:
        case "heading":
            yield mark_heading(render_inline(node, style), int(node.tag[1:]), style)
        case "paragraph":
            yield from render_inline(node, style).split("\n")
        case "bullet_list" | "ordered_list":
            yield from render_list(node, style)
        case "blockquote":
            yield from (f"{style.mark(QUOTE, 'grey')}{line}" for line in render_nodes(node.children, style))
        case "fence" | "code_block":
            yield from (highlight(line, node.info, style) for line in node.content.rstrip("\n").split("\n"))
        case "table":
            yield from render_table(node, style)
        case "hr":
            yield style.mark(RULE, "grey")
        case _:
            yield from node.content.rstrip("\n").split("\n")


def render_list(node: "SyntaxTreeNode", style: Style) -> Iterator[str]:
    """Yield the lines of a list, each item after its bullet or number."""
    for item in node.children:
        sign = f"{item.info}{item.markup} " if node.type == "ordered_list" else BULLET
        lines = [*render_nodes(item.children, style)] or [""]
        yield f"{sign}{lines[0]}"
        yield from (f"{' ' * len(sign)}{line}" for line in lines[1:])


def render_table(node: "SyntaxTreeNode", style: Style) -> Iterator[str]:
    """Yield the rows of a table, its columns aligned."""
    rows = [[render_inline(cell, style) for cell in row.children] for part in node.children for row in part.children]
    plain = [[inline_text(cell) for cell in row.children] for part in node.children for row in part.children]
    widths = [max(map(text_width, column)) for column in zip(*plain, strict=True)]
    for place, (cells, texts) in enumerate(zip(rows, plain, strict=True)):
        padded = [
            f"{cell}{' ' * (width - text_width(text))}" for cell, text, width in zip(cells, texts, widths, strict=True)
        ]
        line = INDENT.join(padded).rstrip()
        yield style.mark(line, "bold") if place == 0 else line
        if place == 0:
            yield style.mark(INDENT.join("─" * width for width in widths), "grey")


def inline_text(node: "SyntaxTreeNode") -> str:
    """Return the text of a cell, without markup."""
    return render_inline(node, Style(colour=False, plain=True))


def render_inline(node: "SyntaxTreeNode", style: Style, marks: tuple[str, ...] = ()) -> str:
    """Render the text of a paragraph, heading or cell; nested marks are combined."""
    return "".join(render_span(child, style, marks) for child in node.children)


def render_span(node: "SyntaxTreeNode", style: Style, marks: tuple[str, ...]) -> str:
    """Render one piece of text. Control and bidi characters of an entity such as ``&#8238;`` are stripped."""
    if node.type in ("softbreak", "hardbreak"):
        return "\n"
    if node.type == "link":
        text, target = render_inline(node, style, marks), strip_controls(str(node.attrs.get("href", "")))
        return text if target in (text, inline_text(node)) else f"{text} ({target})"
    if node.type == "image":
        return strip_controls(f"{node.content or 'image'} ({node.attrs.get('src', '')})")
    own = (*marks, *INLINE_MARKS.get(node.type, ()))
    if node.children:
        return render_inline(node, style, own)
    return style.mark(strip_controls(node.content), *own)
