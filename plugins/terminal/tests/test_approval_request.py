"""A call that needs approval is shown as it would be made."""

from pathlib import Path

import pytest

from openkoi_terminal import PLAIN
from openkoi_terminal.approval_request import ApprovalRequest, describe_request, show_call

NEW = "new\u202e"


def test_a_line_break_at_the_end_of_a_file_is_no_line() -> None:
    for content, lines in (("one\n\ntwo\n", ["+ one", "+ ", "+ two"]), ("one", ["+ one"]), ("", [])):
        request = ApprovalRequest("", "write_file", {"path": "a.txt", "content": content})

        assert ["write_file", "  path: a.txt", *(f"  {line}" for line in lines)] == [*show_call(request, PLAIN)]


def test_a_file_that_is_replaced_is_compared_with_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{number}\n" for number in range(30)))
    content = "".join(f"{NEW if number == 20 else number}\n" for number in range(30))
    request = ApprovalRequest("", "write_file", {"path": "a.txt", "content": content})

    lines = [*describe_request(request, PLAIN, folder=tmp_path)]
    assert ["  write_file", "    path: a.txt", "    @@ -18,7 +18,7 @@"] == lines[1:4]
    assert ["     21 - 20", "     21 + new<U+202E>"] == lines[7:9]
    assert 14 == len(lines), lines


@pytest.mark.parametrize("there", [b"", b"same", b"same\n", b"\xff\xfe", b"x" * 300_000, None])
def test_what_cannot_be_compared_is_shown_as_it_would_be_written(tmp_path: Path, there: bytes | None) -> None:
    if there is not None:
        (tmp_path / "a.txt").write_bytes(there)
    request = ApprovalRequest("", "write_file", {"path": "a.txt", "content": "same\n"})

    assert "    + same" in describe_request(request, PLAIN, folder=tmp_path)
