"""Markdown as models write it becomes HTML for mail and Matrix, without a lost letter and with no HTML that works."""

from html.parser import HTMLParser

import pytest

from openkoi_terminal.html import markdown_to_html
from openkoi_terminal.html_text import html_to_text
from openkoi_testing.markdown_samples import count_letters, count_letters_in_html, draw_markdown, without_numbers

pytestmark = pytest.mark.unit
# Of the tags that the specification of Matrix lets clients show.
TAGS = frozenset(
    [
        *("a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s"),
        *("strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    ]
)
ATTRIBUTES = frozenset(
    [("a", "href"), ("a", "title"), ("ol", "start"), ("code", "class"), ("td", "style"), ("th", "style")]
)
SCHEMES = ("http://", "https://", "mailto:")  # of links that clients open


class TagReader(HTMLParser):
    """Notes the tags of a page that were not closed, and those that should not be there."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.strange: list[object] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that begins."""
        self.strange += [] if tag in TAGS else [tag]
        self.strange += [(tag, name) for name, _ in attrs if (tag, name) not in ATTRIBUTES]
        self.strange += [value for name, value in attrs if name == "href" and not str(value).startswith(SCHEMES)]
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag without an end."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Note a tag that ends."""
        if not self.open or self.open.pop() != tag:
            self.strange.append(f"/{tag}")


@pytest.mark.parametrize("seed", range(300))
def test_each_sample_is_whole_and_well_formed(seed: int) -> None:
    text = draw_markdown(seed)
    page = markdown_to_html(text)
    reader = TagReader(page)

    assert ([], []) == (reader.open, reader.strange)
    assert not count_letters(without_numbers(text)) - count_letters_in_html(page)


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("**a** _b_ ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"),
        ("one\ntwo", "<p>one<br />\ntwo</p>"),
        ("<b>x</b> & <script>", "<p>&lt;b&gt;x&lt;/b&gt; &amp; &lt;script&gt;</p>"),
        ("![koi](https://a.b/c.png)", '<p><a href="https://a.b/c.png">koi</a></p>'),
        ("[a *b*](c/d.md) [e](https://f.g)", '<p>a <em>b</em> (c/d.md) <a href="https://f.g">e</a></p>'),
        ("![a](c/d.png)", "<p>a (c/d.png)</p>"),
        (
            "![a [b](https://c.d) ![`e`](https://f.g)](https://h.i/j.png)",
            '<p><a href="https://h.i/j.png">a b (https://c.d) e (https://f.g)</a></p>',
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[a]: https://b.c", "<p>[a]: https://b.c</p>"),
        ("```py\nx = 1\n```", '<pre><code class="language-py">x = 1\n</code></pre>'),
        ("```py title=a\nx\n```", "<pre><code>py title=a\nx\n</code></pre>"),
        ("| a |\n|---|\n| 1 | 2 |", "<pre><code>| a |\n|---|\n| 1 | 2 |</code></pre>"),
        ("3. three", '<ol start="3">\n<li>three</li>\n</ol>'),
        ("> " * 200 + "deep", f"<pre><code>{'&gt; ' * 200}deep</code></pre>"),
        ("", ""),
    ],
)
def test_what_is_marked_is_marked_in_html(text: str, page: str) -> None:
    assert page == markdown_to_html(text).strip()


def test_html_becomes_text_with_its_quotations() -> None:
    page = "<title>t</title><p>Hello <b>you</b></p><blockquote>theirs<br>too</blockquote><style>x</style>bye &amp; <"

    assert "Hello you\n\n> theirs\n> too\nbye & <" == html_to_text(page).replace("\n\n\n", "\n\n")
