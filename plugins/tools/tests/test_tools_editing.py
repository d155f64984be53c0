"""Test what ``edit_file`` changes and refuses."""

import stat
from typing import TYPE_CHECKING

import pytest

from openkoi_hookspecs import Json
from openkoi_tools import WorkspaceTools

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Bench, Hands

CODE = "def login(user):\n    if user:\n        return True\n    return False\n"


def test_a_text_that_occurs_once_is_replaced(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)

    answer = hands.use("edit_file", path="a.py", search="return True", replace="return user.ok")

    assert "Edited a.py, line 3." == answer.text
    assert CODE.replace("True", "user.ok") == file.read_text()


@pytest.mark.parametrize(
    "data",
    [
        CODE.replace("\n", "\r\n").encode(),
        CODE.replace("\n", "\r").encode(),
        CODE.replace(":\n", ":\r\n").encode(),
        CODE.rstrip("\n").encode(),
        b"\xef\xbb\xbf" + CODE.encode(),
        b"# caf\xe9\n" + CODE.encode(),
        b"# \0\n" + CODE.encode(),
        ("\ufeff" + CODE).encode("utf-16-le"),
    ],
    ids=["crlf", "cr", "mixed", "no-end", "bom", "latin-1", "nul", "utf-16"],
)
def test_every_byte_outside_the_span_stays(hands: "Hands", data: bytes) -> None:
    file = hands.have_read("a.py", data)
    wide = data.startswith(b"\xff\xfe")
    old, new = (text.encode("utf-16-le" if wide else "utf-8") for text in ("True", "user.ok"))

    assert not hands.use("edit_file", path="a.py", search="return True", replace="return user.ok").failed
    assert data.replace(old, new) == file.read_bytes()


def test_wrong_indentation_is_adapted_and_shown(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)

    answer = hands.use("edit_file", path="a.py", search="if user:\n    return True", replace="if user:\n    return 1")

    assert CODE.replace("True", "1") == file.read_text()
    assert answer.text.endswith(
        "The white space was adapted to the file, which now reads:\n2|    if user:\n3|        return 1"
    )


def test_an_ambiguous_text_changes_nothing_and_is_located(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)

    answer = hands.use("edit_file", path="a.py", search="return", replace="yield")

    assert answer.failed
    assert "The search text occurs 2 times in a.py, at lines 3, 4." in answer.text
    assert CODE == file.read_text()


def test_all_occurrences_are_replaced_when_asked(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)

    answer = hands.use("edit_file", path="a.py", search="return", replace="yield", all=True)

    assert "Edited a.py in 2 places, the first at line 3." == answer.text
    assert CODE.replace("return", "yield") == file.read_text()


def test_a_text_that_is_not_there_is_answered_with_the_nearest_lines(hands: "Hands") -> None:
    hands.have_read("a.py", CODE)

    answer = hands.use("edit_file", path="a.py", search="return Flase", replace="return None")

    assert answer.failed
    assert "The search text is not in a.py.\nMost similar (79 %), line 4:\n4|    return False" in answer.text


def test_an_edit_that_was_made_before_is_answered_with_the_line_of_its_replacement(hands: "Hands") -> None:
    hands.have_read("a.py", CODE)
    edit = {"search": "return True", "replace": "return None"}
    hands.use("edit_file", path="a.py", **edit)

    answer = hands.use("edit_file", path="a.py", **edit)

    assert answer.failed
    assert (
        "The search text is not in a.py. The replacement is already there, at line 3: this edit may be done already."
        == answer.text.splitlines()[0]
    )


def test_a_text_that_is_nowhere_is_answered_with_what_to_do_next(hands: "Hands") -> None:
    hands.have_read("a.py", CODE)

    answer = hands.use("edit_file", path="a.py", search="zzzzzzzzzzzz", replace="")

    assert "Read the file again, or search for the text: it may be in another file." in answer.text


def test_a_file_that_was_never_shown_is_not_edited(hands: "Hands") -> None:
    file = hands.write("a.py", CODE)

    answer = hands.use("edit_file", path="a.py", search="return True", replace="return 1")

    assert "a.py was not read in this run. Read it with read_file, then edit it." == answer.text
    assert CODE == file.read_text()


def test_lines_that_were_never_shown_are_not_edited(hands: "Hands") -> None:
    hands.write("a.py", CODE)
    hands.use("read_file", path="a.py", start=1, end=2)

    answer = hands.use("edit_file", path="a.py", search="        return True\n", replace="")

    assert "Not read in this run, or changed since: line 3 of a.py." in answer.text
    assert "read_file (start=3, end=3)" in answer.text


def test_what_another_run_was_shown_does_not_count(bench: "Bench") -> None:
    tool_provider = WorkspaceTools()
    one, other = bench.hands(tool_provider), bench.hands(tool_provider)
    one.have_read("a.py", CODE)

    assert other.use("edit_file", path="a.py", search="return True", replace="return 1").failed
    assert not one.use("edit_file", path="a.py", search="return True", replace="return 1").failed


def test_the_lines_of_a_search_hit_may_be_edited(hands: "Hands") -> None:
    hands.write("a.py", CODE)
    hands.use("search", pattern="True")

    assert not hands.use("edit_file", path="a.py", search="return True", replace="return 1").failed
    assert hands.use("edit_file", path="a.py", search="return False", replace="return 0").failed


def test_what_the_run_wrote_itself_may_be_edited(hands: "Hands") -> None:
    hands.use("write_file", path="a.py", content=CODE)

    assert not hands.use("edit_file", path="a.py", search="return True", replace="return 1").failed
    assert not hands.use("edit_file", path="a.py", search="        return 1\n", replace="        return 2\n").failed


def test_a_line_that_was_edited_in_part_is_known_as_a_whole(hands: "Hands") -> None:
    file = hands.have_read("a.py", "x = one + one\ny = 2\n")
    hands.use("edit_file", path="a.py", search="one", replace="two", all=True)

    assert not hands.use("edit_file", path="a.py", search="x = two + two\n", replace="x = 4\n").failed
    assert "x = 4\ny = 2\n" == file.read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"search": "", "replace": "x"}, "The search text is empty."),
        ({"search": "x", "replace": "x"}, "Search and replacement are the same, so nothing would change."),
        ({"search": "a\nb", "replace": "a\r\nb"}, "Line endings are always kept."),
    ],
)
def test_an_edit_that_can_change_nothing_is_refused(hands: "Hands", arguments: dict[str, str], sentence: str) -> None:
    hands.have_read("a.py", CODE)

    assert sentence in hands.use("edit_file", path="a.py", **arguments).text


def test_an_edit_that_only_guesses_white_space_changes_nothing(hands: "Hands") -> None:
    hands.have_read("a.py", "    x = 1\n")

    answer = hands.use("edit_file", path="a.py", search="x = 1  \n", replace="x = 1\n")

    assert "The edit would not change the file" in answer.text


def test_edits_at_the_same_time_all_arrive(bench: "Bench") -> None:
    tool_provider = WorkspaceTools()
    one, other = bench.hands(tool_provider), bench.hands(tool_provider)
    file = one.have_read("a.txt", "".join(f"line {n};\n" for n in range(30)))
    other.use("read_file", path="a.txt")
    edits: list[dict[str, Json]] = [
        {"path": "a.txt", "search": f"line {n};", "replace": f"edited {n};"} for n in range(30)
    ]
    mixed = [(one if n % 2 else other).tools["edit_file"] for n in range(30)]

    answers = one.together(list(zip(mixed, edits, strict=True)))

    assert [] == [answer.text for answer in answers if answer.failed]
    assert "".join(f"edited {n};\n" for n in range(30)) == file.read_text()


def test_the_mode_stays_and_nothing_is_left_behind(hands: "Hands") -> None:
    file = hands.have_read("run.sh", "#!/bin/sh\necho a\n")
    file.chmod(0o751)

    hands.use("edit_file", path="run.sh", search="echo a", replace="echo b")

    assert 0o751 == stat.S_IMODE(file.stat().st_mode)
    assert [file] == list(hands.workspace.iterdir())


def test_a_link_stays_one_and_its_target_is_edited(hands: "Hands") -> None:
    file = hands.write("real.txt", "a\n")
    (hands.workspace / "link.txt").symlink_to("real.txt")
    hands.use("read_file", path="link.txt")

    assert "Edited real.txt, line 1." == hands.use("edit_file", path="link.txt", search="a", replace="b").text
    assert (hands.workspace / "link.txt").is_symlink()
    assert "b\n" == file.read_text()
