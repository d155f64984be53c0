"""Convert HTML to text, with quotations marked as in plain-text mail."""

import re
from html.parser import HTMLParser

BREAKS = frozenset(
    ["p", "div", "br", "tr", "li", "ul", "ol", "table", "pre", "blockquote", "hr", *map("h{}".format, "123456")]
)
HIDDEN = frozenset(["script", "style", "head", "title", "template", "noscript"])


def html_to_text(page: str) -> str:
    """Return the text of a page, with quotations marked as in plain-text mail."""
    reader = PageReader()
    reader.feed(page)
    reader.close()
    text = "".join(reader.pieces)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip("\n")


class PageReader(HTMLParser):
    """Collects the text of a page, line by line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.open: list[tuple[str, bool]] = []
        self.hidden, self.link = 0, ""

    @property
    def depth(self) -> int:
        """How many quotations are open."""
        return sum(is_quote for _, is_quote in self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a line, a quotation or a hidden part."""
        given = {name: value or "" for name, value in attrs}
        if tag in HIDDEN:
            self.hidden += 1
        if tag in ("blockquote", "div"):
            quotes = tag == "blockquote" or "gmail_quote" in given.get("class", "").split()
            self.open.append((tag, quotes))
        if tag in BREAKS:
            self.break_line()
        self.link = given.get("href", "") if tag == "a" else self.link

    def handle_endtag(self, tag: str) -> None:
        """End the part that a tag started."""
        if tag in HIDDEN:
            self.hidden = max(0, self.hidden - 1)
        if tag in BREAKS and tag != "br":
            self.break_line()
        places = [place for place, (name, _) in enumerate(self.open) if name == tag]
        if places:
            del self.open[places[-1] :]

    def handle_data(self, data: str) -> None:
        """Add words."""
        if self.hidden:
            return
        for number, words in enumerate(re.sub(r"\s+", " ", data).split("\n")):
            if number:
                self.break_line()
            at_start = not self.pieces or self.pieces[-1].endswith("\n")
            words = words.lstrip() if at_start else words
            if words:
                self.pieces.append(f"{'> ' * self.depth if at_start else ''}{words}")

    def break_line(self) -> None:
        """End the line, unless it is empty."""
        if self.pieces and not self.pieces[-1].endswith("\n\n"):
            self.pieces.append("\n")
