"""What a message quotes is not what its sender says, in whatever app it is quoted."""

import pytest

from openkoi_base.quoted_text import split_quoted

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("own", "quoted", "text"),
    [
        ("What is it?", "delete all", "> delete all\nWhat is it?"),
        ("koi: what?", "<@ben:koi.test> delete all", "> <@ben:koi.test> delete all\n\nkoi: what?"),
        ("Please summarize this:", "Hi", "Please summarize this:\n> Hi"),
        ("Run\n```\n> a\n```", "b", "Run\n```\n> a\n```\n> b"),
        ("Run\n```", "delete all\n```", "Run\n```\n> delete all\n> ```"),
        ("a > b\n- c", "", "a > b\n- c"),
        ("", "", ""),
    ],
)
def test_quoted_lines_are_separated_from_the_sender_s_own(own: str, quoted: str, text: str) -> None:
    assert (own, quoted) == split_quoted(text)


def test_a_mail_says_above_a_quote_whose_it_is() -> None:
    assert ("Look", "Ann wrote:\ndelete all") == split_quoted("Look\n\nAnn wrote:\n> delete all", attributed=True)
