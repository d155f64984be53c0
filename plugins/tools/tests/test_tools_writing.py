"""Test what ``write_file`` writes, and what it does not replace."""

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Hands


def test_a_new_file_is_written_with_its_folders(hands: "Hands") -> None:
    answer = hands.use("write_file", path="src/new/a.py", content="x = 'é'\n")

    assert "Wrote src/new/a.py, 9 bytes." == answer.text
    assert "x = 'é'\n".encode() == (hands.workspace / "src/new/a.py").read_bytes()


def test_a_file_that_was_not_read_is_replaced_only_on_demand(hands: "Hands") -> None:
    file = hands.write("a.txt", "old\n")

    refused = hands.use("write_file", path="a.txt", content="new\n")
    assert "a.txt exists and was not read in this run. Read it first, or pass overwrite=true." == refused.text
    assert "old\n" == file.read_text()

    assert not hands.use("write_file", path="a.txt", content="new\n", overwrite=True).failed
    assert "new\n" == file.read_text()


def test_a_file_of_which_only_a_part_was_read_is_replaced_only_on_demand(hands: "Hands") -> None:
    file = hands.write("a.txt", "one\ntwo\nthree\n")
    hands.use("read_file", path="a.txt", start=1, end=2)

    refused = hands.use("write_file", path="a.txt", content="new\n")
    assert "Only a part of a.txt was read. Read all of it first, or pass overwrite=true." == refused.text
    hands.use("read_file", path="a.txt", start=3)
    assert not hands.use("write_file", path="a.txt", content="new\n").failed
    assert "new\n" == file.read_text()


def test_a_file_that_changed_since_it_was_read_is_not_replaced(hands: "Hands") -> None:
    file = hands.have_read("a.txt", "old\n")
    file.write_text("a person's work\n")

    answer = hands.use("write_file", path="a.txt", content="new\n")

    assert "a.txt has changed since it was read. Read it again, or pass overwrite=true." == answer.text
    assert "a person's work\n" == file.read_text()


def test_an_edit_of_a_changed_file_does_not_count_as_reading_it(hands: "Hands") -> None:
    file = hands.have_read("a.txt", "old\nmore\n")
    file.write_text("old\nmore\na person's work\n")
    hands.use("edit_file", path="a.txt", search="old", replace="new")

    assert "has changed since it was read" in hands.use("write_file", path="a.txt", content="x\n").text


def test_a_file_that_was_read_or_written_may_be_replaced(hands: "Hands") -> None:
    file = hands.have_read("a.txt", "old\n")

    assert "Replaced a.txt, 4 bytes." == hands.use("write_file", path="a.txt", content="new\n").text
    assert "Replaced a.txt, 6 bytes." == hands.use("write_file", path="a.txt", content="newer\n").text
    assert "newer\n" == file.read_text()


def test_an_empty_file_that_was_read_may_be_replaced(hands: "Hands") -> None:
    hands.have_read("a.txt", "")

    assert not hands.use("write_file", path="a.txt", content="new\n").failed


def test_the_manner_of_the_file_is_kept(hands: "Hands") -> None:
    file = hands.have_read("a.txt", b"\xef\xbb\xbfa\r\nb\r\n")

    answer = hands.use("write_file", path="a.txt", content="x\ny\n")

    assert b"\xef\xbb\xbfx\r\ny\r\n" == file.read_bytes()
    assert "(utf-8 and CRLF line endings kept)" in answer.text


def test_what_the_old_encoding_lacks_makes_it_utf8_and_says_so(hands: "Hands") -> None:
    file = hands.have_read("a.txt", b"caf\xe9\n")

    answer = hands.use("write_file", path="a.txt", content="漢\n")

    assert "漢\n" == file.read_text(encoding="utf-8")
    assert "(saved as UTF-8: latin-1 cannot represent some of the new characters)" in answer.text


def test_the_mode_stays_and_a_new_file_gets_the_usual_one(hands: "Hands") -> None:
    file = hands.have_read("run.sh", "a\n")
    file.chmod(0o750)
    mask = os.umask(0o022)
    os.umask(mask)

    hands.use("write_file", path="run.sh", content="b\n")
    hands.use("write_file", path="new.sh", content="b\n")

    assert 0o750 == stat.S_IMODE(file.stat().st_mode)
    assert 0o666 & ~mask == stat.S_IMODE((hands.workspace / "new.sh").stat().st_mode)


def test_binary_files_are_replaced_only_on_demand(hands: "Hands") -> None:
    hands.have_read("a.bin", bytes(100))

    assert hands.use("write_file", path="a.bin", content="x").failed
    assert not hands.use("write_file", path="a.bin", content="x", overwrite=True).failed
