"""Test ``read_file`` with text and other files."""

from typing import TYPE_CHECKING

import pytest

from openkoi_hookspecs import Image
from openkoi_tools import WorkspaceTools

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Bench, Hands

LIMIT = 24 * 1024


def test_lines_are_shown_with_their_numbers(hands: "Hands") -> None:
    hands.write("src/a.py", "def a():\n\treturn 1\n")

    assert "src/a.py: 2 lines, 19 bytes\n1|def a():\n2|\treturn 1" == hands.use("read_file", path="src/a.py").text


def test_a_range_is_shown_with_the_way_to_go_on(hands: "Hands") -> None:
    hands.write("a.txt", "".join(f"line {n}\n" for n in range(1, 101)))

    answer = hands.use("read_file", path="a.txt", start=10, end="11")

    assert "a.txt: 100 lines, 792 bytes\n10|line 10\n11|line 11\n[89 more lines; continue with start=12]" == answer.text


def test_a_long_file_is_read_in_pages_that_miss_nothing(hands: "Hands") -> None:
    lines = [f"line {n} " + "x" * 60 for n in range(1, 1001)]
    hands.write("a.txt", "\n".join(lines))

    texts: list[str] = []
    while len(texts) < 1000:
        answer = hands.use("read_file", path="a.txt", start=len(texts) + 1)
        assert len(answer.text.encode()) <= LIMIT
        texts += [line.partition("|")[2] for line in answer.text.splitlines() if "|" in line]

    assert lines == texts


def test_a_long_line_is_cut_where_one_can_see_it(hands: "Hands") -> None:
    hands.write("a.min.js", "x" * 10_000 + "\nnext\n")

    answer = hands.use("read_file", path="a.min.js").text

    assert "x… [8,000 more characters in this line]\n2|next" in answer
    assert len(answer) < 3_000


def test_every_result_keeps_to_the_configured_size(bench: "Bench") -> None:
    hands = bench.hands(WorkspaceTools(max_result_kb=2))
    hands.write("a.txt", "😀" * 3_000 + "\n" + "line\n" * 9_000)

    assert len(hands.use("read_file", path="a.txt").text.encode()) <= 2 * 1024
    assert len(hands.use("search", pattern="line").text.encode()) <= 2 * 1024


def test_binary_files_are_named_and_not_dumped(hands: "Hands") -> None:
    hands.write("a.pdf", b"%PDF-1.7\n" + bytes(5000))
    hands.write("b.bin", bytes(range(256)) * 20)

    assert (
        "a.pdf is a PDF document, 4.9 KB, and not shown because it is not text. Use run_command."
        == hands.use("read_file", path="a.pdf").text
    )
    assert "b.bin is binary data, 5.0 KB, and not shown" in hands.use("read_file", path="b.bin").text


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
    ],
)
def test_an_image_is_shown_by_its_bytes_whatever_its_name(hands: "Hands", start: bytes, kind: str) -> None:
    hands.write("shot.dat", start + bytes(5000))
    answer = hands.use("read_file", path="shot.dat")

    assert f"shot.dat is an image ({kind}), 4.9 KB." == answer.text
    assert (Image(start + bytes(5000), kind),) == answer.parts


def test_an_image_that_is_too_large_is_named(hands: "Hands") -> None:
    hands.write("shot.png", b"\x89PNG\r\n\x1a\n" + bytes(5_000_000))
    answer = hands.use("read_file", path="shot.png")

    assert "shot.png is an image (image/png), 4.8 MB, and not shown because it is larger than 4.8 MB." in answer.text
    assert () == answer.parts


def test_what_is_out_of_the_ordinary_is_said(hands: "Hands") -> None:
    hands.write("crlf.txt", b"a\r\nb")
    hands.write("old.txt", b"caf\xe9\n")
    hands.write("wide.txt", "\ufeffa\n".encode("utf-16-le"))
    hands.write("nul.txt", b"a\0b\n")

    assert (
        "CRLF line endings (an edit keeps them; write plain line feeds), no newline at the end"
        in hands.use("read_file", path="crlf.txt").text
    )
    assert "latin-1\n1|café" in hands.use("read_file", path="old.txt").text
    assert "utf-16-le with byte order mark\n1|a" in hands.use("read_file", path="wide.txt").text
    assert "1|a\u2400b" in hands.use("read_file", path="nul.txt").text


def test_an_empty_file_has_no_lines(hands: "Hands") -> None:
    hands.write("a.txt", "")

    assert "a.txt: 0 lines, 0 bytes" == hands.use("read_file", path="a.txt").text


def test_a_range_that_is_not_there_is_refused(hands: "Hands") -> None:
    hands.write("a.txt", "one\ntwo\n")

    assert "a.txt has only 2 lines. Pass a start from 1 to 2." == hands.use("read_file", path="a.txt", start=3).text
    assert "The range is empty" in hands.use("read_file", path="a.txt", start=2, end=1).text


def test_a_file_that_is_too_large_says_how_to_see_a_part(bench: "Bench") -> None:
    hands = bench.hands(WorkspaceTools(max_file_mb=1))
    hands.write("a.log", b"x\n" * 600_000)

    answer = hands.use("read_file", path="a.log")

    assert answer.failed
    assert "a.log is too large to open here: 1.1 MB; the limit is 1.0 MB. Use search" in answer.text
