"""Test that no byte outside an edit's span is ever changed, whatever the bytes are."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from openkoi_base.files.text_encoding import detect_encoding
from openkoi_hookspecs import ToolError
from openkoi_tools.byte_splice import TextChange, splice_bytes
from openkoi_tools.text_document import TextDocument, parse_document

LETTERS = st.sampled_from(
    ["a", "b", " ", "\t", "é", "€", "漢", "😀", "\n", "\r\n", "\r", "\0", "\x0c", "\u2028", "\u0085"]
)
TEXTS = st.lists(LETTERS, max_size=40).map("".join)
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1", "shift-jis", "gb18030"])
ENCODED = st.builds(lambda text, codec: text.encode(codec, "replace"), TEXTS, CODECS)
FILES = st.one_of(st.binary(max_size=60), ENCODED, st.builds(bytes.__add__, ENCODED, st.binary(max_size=4)))
ASCII_LINES = st.text(st.sampled_from("xyz \n"), max_size=12)


@st.composite
def edits(draw: st.DrawFn) -> tuple[bytes, TextChange]:
    """A file and a change of a span that occurs once in it."""
    data = draw(FILES)
    text = parse_document(data).plain
    assume(text)
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    assume(text.count(text[start:end]) == 1)
    return data, TextChange(start, end, draw(ASCII_LINES))


@given(FILES)
def test_every_file_is_read_and_encoded_back_to_its_own_bytes(data: bytes) -> None:
    text = parse_document(data)

    assert data == text.encoding.bom + text.encoding.encode(text.raw)


@given(edits())
def test_bytes_outside_the_span_of_an_edit_are_identical(edit: tuple[bytes, TextChange]) -> None:
    data, change = edit
    before, after = around(parse_document(data), change)

    changed = splice_bytes(parse_document(data), [change])

    assert before == changed[: len(before)]
    assert after == changed[len(changed) - len(after) :]
    assert len(changed) >= len(before) + len(after)


@given(edits())
def test_the_span_itself_becomes_the_replacement(edit: tuple[bytes, TextChange]) -> None:
    data, change = edit
    text = parse_document(data)
    before, after = around(text, change)

    changed = splice_bytes(text, [change])

    middle = text.encoding.encode("") + changed[len(before) : len(changed) - len(after)]
    content = middle.decode(text.encoding.codec, text.encoding.errors)
    assert change.new == content.replace("\r\n", "\n").replace("\r", "\n")


@given(FILES, st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True), ASCII_LINES)
def test_many_changes_at_once_leave_all_between_them_alone(data: bytes, cuts: list[int], new: str) -> None:
    text = parse_document(data)
    marks = sorted(cut for cut in cuts if cut <= len(text.plain))
    changes = [TextChange(start, end, new) for start, end in zip(marks[::2], marks[1::2], strict=False)]

    changed = splice_bytes(text, changes)

    rest = changed
    for piece in kept(text, changes):
        assert piece in rest
        rest = rest[rest.index(piece) + len(piece) :]


@pytest.mark.parametrize(
    ("data", "search", "new", "expected"),
    [
        (b"a\r\nb\r\nc\r\n", "b\n", "x\ny\n", b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\rb\rc", "b", "x\ny", b"a\rx\ry\rc"),
        (b"a\r\nb\nc\r\n", "b\nc", "b\nx\nc", b"a\r\nb\nx\nc\r\n"),
        (b"a\nb", "b", "x\ny", b"a\nx\ny"),
        (b"\xef\xbb\xbfa\r\n", "a", "b", b"\xef\xbb\xbfb\r\n"),
        (b"caf\xe9 old\r\n", "old", "n\u00e9w", b"caf\xe9 n\xe9w\r\n"),
        (b"\x93old\x94", "old", "\u20ac", b"\x93\x80\x94"),
        ("\ufeffa b".encode("utf-16-be"), "b", "€", "\ufeffa €".encode("utf-16-be")),
        ("漢字 ".encode() + b"\xff old", "old", "new", "漢字 ".encode() + b"\xff new"),
        (b"a\0b old\n", "old", "new", b"a\0b new\n"),
        (b"a \r\r\n old", "old", "x\ny", b"a \r\r\n x\ry"),
        (b"one\x0ctwo old", "old", "new", b"one\x0ctwo new"),
    ],
    ids=["crlf", "cr", "mixed", "no-end", "bom", "latin-1", "cp1252", "utf-16", "broken-utf-8", "nul", "odd", "feed"],
)
def test_files_of_every_kind_keep_their_manner(data: bytes, search: str, new: str, expected: bytes) -> None:
    text = parse_document(data)
    at = text.plain.index(search)

    assert expected == splice_bytes(text, [TextChange(at, at + len(search), new)])


@pytest.mark.parametrize("lines", [300_000, pytest.param(3_000_000, marks=pytest.mark.campaign)])
def test_a_large_file_with_an_edit_in_the_middle_is_otherwise_the_same(lines: int) -> None:
    half = b"0123456789abcde\r\n" * lines
    text = parse_document(half + b"needle\r\n" + half)
    at = text.plain.index("needle")

    assert half + b"pin\r\n" + half == splice_bytes(text, [TextChange(at, at + 6, "pin")])


def test_a_character_that_the_encoding_lacks_is_refused_and_named() -> None:
    text = parse_document(b"caf\xe9 old")

    with pytest.raises(ToolError, match=r"latin-1, which cannot encode '漢'"):
        splice_bytes(text, [TextChange(5, 8, "漢")])


def test_a_stand_in_for_a_byte_is_never_written_in_its_place() -> None:
    text = parse_document("漢字".encode() + b"\xff old")

    with pytest.raises(ToolError, match="placeholder for a byte"):
        splice_bytes(text, [TextChange(2, 7, "new \ufffd")])


def test_a_stand_in_that_the_edit_leaves_where_it_was_keeps_its_byte() -> None:
    text = parse_document("漢字".encode() + b"\xff old")

    assert "漢字".encode() + b"\xff new" == splice_bytes(text, [TextChange(2, 7, "\ufffd new")])


@pytest.mark.parametrize(
    ("data", "codec"),
    [
        (b"plain", "utf-8"),
        ("漢".encode(), "utf-8"),
        ("漢字".encode() + b"\xff", "utf-8"),
        (b"caf\xe9", "latin-1"),
        (b"\x80 5", "cp1252"),
        (b"\x81\x8d", "latin-1"),
        (b"\xff\xfea\0", "utf-16-le"),
        (b"\xff\xfea", "latin-1"),
    ],
)
def test_the_encoding_is_found(data: bytes, codec: str) -> None:
    assert codec == detect_encoding(data).codec


def around(text: TextDocument, change: TextChange) -> tuple[bytes, bytes]:
    """The bytes before and after a span, found in a slow but certain way."""
    start, end = text.raw_offsets([change.start, change.end])
    before = text.encoding.bom + text.encoding.encode(text.raw[:start])
    return before, text.data[len(before) + len(text.encoding.encode(text.raw[start:end])) :]


def kept(text: TextDocument, changes: list[TextChange]) -> list[bytes]:
    """The pieces of a file that lie outside all changes."""
    edges = [0, *text.raw_offsets([edge for change in changes for edge in (change.start, change.end)]), len(text.raw)]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [text.encoding.encode(text.raw[start:end]) for start, end in pairs]
