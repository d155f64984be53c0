"""A call that needs approval is shown as it would be made."""

from openkoi_terminal import PLAIN
from openkoi_terminal.approval_request import ApprovalRequest, show_call


def test_a_line_break_at_the_end_of_a_file_is_no_line() -> None:
    for content, lines in (("one\n\ntwo\n", ["+ one", "+ ", "+ two"]), ("one", ["+ one"]), ("", [])):
        request = ApprovalRequest("", "write_file", {"path": "a.txt", "content": content})

        assert ["write_file", "  path: a.txt", *(f"  {line}" for line in lines)] == [*show_call(request, PLAIN)]
