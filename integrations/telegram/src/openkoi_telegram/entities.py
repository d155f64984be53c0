"""Convert Markdown to Telegram's text with entities, which every server accepts and which loses no character.

Offsets count UTF-16 units. What is not recognised stays in the text as it was written.
"""

import re
from collections.abc import Iterator
from dataclasses import field

from openkoi_hookspecs import Json
from openkoi_hookspecs.lazy_dataclass import dataclass

FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
HEADING = re.compile(r"^\s{0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
QUOTE = re.compile(r"^\s{0,3}>[ \t]?(.*)$")
BULLET = re.compile(r"^(\s*)[-*+][ \t]+(?=\S)")
RULE = re.compile(r"^\s{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|!?\[(?P<label>(?:[^\[\]\\]|\\.)+)\]\((?P<url>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)"
    r"|(?P<bold>\*\*|__)(?=\S)(?P<strong>.+?\S??)(?<=\S)(?P=bold)(?!\w)"
    r"|(?P<strike>~~)(?=\S)(?P<struck>.+?)(?<=\S)~~"
    r"|(?<![\w*])(?P<star>\*)(?=[^\s*])(?P<starred>[^*\n]*?[^\s*])\*(?![\w*])"
    r"|(?<!\w)(?P<under>_)(?=[^\s_])(?P<emphasis>[^\n]*?[^\s_])_(?!\w)",
    re.DOTALL,
)
MAX_ENTITIES = 100  # Telegram ignores those beyond
MAX_LINKS = 70  # further ones are written out
STYLES = (("strong", "bold"), ("struck", "strikethrough"), ("starred", "italic"), ("emphasis", "italic"))
CARRY_TEXT = ("text_link", "pre")  # an address or a language is in the entity alone
SCHEMES = ("http://", "https://", "tg://", "mailto:")


def utf16_length(text: str) -> int:
    """Return the length of a text as Telegram counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(slots=True)
class Rendering:
    """A text that grows, with its entities."""

    pieces: list[str] = field(default_factory=list)
    entities: list[dict[str, Json]] = field(default_factory=list)
    length: int = 0

    def add(self, text: str) -> None:
        """Append text."""
        self.pieces.append(text)
        self.length += utf16_length(text)

    def mark(self, start: int, kind: str, **more: Json) -> None:
        """Mark what was appended since an offset."""
        self.mark_part(start, self.length, kind, **more)

    def mark_around_code(self, start: int, kind: str) -> None:
        """Mark what was appended since an offset, except code, which Telegram allows inside no other mark."""
        for one in [one for one in self.entities if one["type"] == "code" and int(str(one["offset"])) >= start]:
            offset = int(str(one["offset"]))
            self.mark_part(start, offset, kind)
            start = offset + int(str(one["length"]))
        self.mark_part(start, self.length, kind)

    def mark_part(self, start: int, end: int, kind: str, **more: Json) -> None:
        """Mark a part of the text, unless it is empty."""
        if end > start:
            self.entities.append({"type": kind, "offset": start, "length": end - start, **more})


def render_markdown(text: str) -> tuple[str, list[dict[str, Json]]]:
    """Return the text of a Markdown document, and its entities."""
    rendering = Rendering()
    for number, block in enumerate(split_blocks(text)):
        rendering.add("\n" if number else "")
        add_block(block, rendering)
    whole = "".join(rendering.pieces)
    kept = sorted(rendering.entities, key=lambda one: one["type"] not in CARRY_TEXT)[:MAX_ENTITIES]
    return whole, sorted(kept, key=lambda one: (one["offset"], -int(str(one["length"]))))


def split_blocks(text: str) -> Iterator[list[str]]:
    """Yield the lines of each code block, quotation and other line."""
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        end = place + 1
        if opened := FENCE.match(lines[place]):
            while end < len(lines) and not closes(lines[end], opened[1]):
                end += 1
            end = end + 1 if end < len(lines) else place + 1  # without an end it is a line like others
        elif QUOTE.match(lines[place]):
            while end < len(lines) and QUOTE.match(lines[end]):
                end += 1
        yield lines[place:end]
        place = end


def closes(line: str, marks: str) -> bool:
    """Return whether a line ends a code block."""
    found = FENCE.match(line)
    return found is not None and found[1].startswith(marks) and not found[2].strip()


def add_block(lines: list[str], rendering: Rendering) -> None:
    """Append a block."""
    start, first = rendering.length, lines[0]
    opened = FENCE.match(first)
    if opened and len(lines) > 1:
        info = opened[2].strip()
        language = "" if " " in info else info
        rendering.add("\n".join([*([] if language == info else [info]), *lines[1:-1]]))
        rendering.mark(start, "pre", **({"language": language} if language else {}))
    elif QUOTE.match(first):
        add_inline("\n".join(QUOTE.sub(r"\1", line) for line in lines), rendering)
        rendering.mark(start, "blockquote")
    elif RULE.match(first):
        rendering.add(first)
    elif heading := HEADING.match(first):
        add_inline(heading[1], rendering)
        rendering.mark_around_code(start, "bold")
    else:
        bullet = BULLET.match(first)
        rendering.add(f"{bullet[1]}\u2022 " if bullet else "")
        add_inline(first[bullet.end() :] if bullet else first, rendering)


def add_inline(text: str, rendering: Rendering, depth: int = 0) -> None:
    """Append a text with its marks."""
    place = 0
    for found in INLINE.finditer(text):
        rendering.add(text[place : found.start()])
        add_span(found, rendering, depth)
        place = found.end()
    rendering.add(text[place:])


def add_span(found: re.Match[str], rendering: Rendering, depth: int) -> None:
    """Append one marked span; spans within it are also marked."""
    start = rendering.length
    if found["escaped"]:
        rendering.add(found["escaped"])
    elif found["code"]:
        rendering.add(found["code"])
        rendering.mark(start, "code")
    elif found["label"]:
        add_link(found, rendering)
    elif depth > 8:  # nesting that no author writes
        rendering.add(found[0])
    else:
        kind, name = next((kind, name) for name, kind in STYLES if found[name])
        add_inline(found[name], rendering, depth + 1)
        rendering.mark_around_code(start, kind)


def add_link(found: re.Match[str], rendering: Rendering) -> None:
    """Append a link; one that Telegram would not follow keeps its address in the text."""
    start, url = rendering.length, found["url"]
    links = sum(one["type"] == "text_link" for one in rendering.entities)
    if not url.startswith(SCHEMES) or links >= MAX_LINKS:
        rendering.add(found[0])
        return
    rendering.add(re.sub(r"\\(.)", r"\1", found["label"]))
    rendering.mark(start, "text_link", url=url)
