"""Fragments of the changelog have names that a release can collect."""

import re
from pathlib import Path

FRAGMENTS = Path(__file__).parent.parent / ".changelog"
NAME = re.compile(r"(\+[a-z0-9-]+|[1-9][0-9]*)\.(added|changed|fixed|removed|security)(\.[1-9][0-9]*)?\.md")


def test_every_fragment_has_a_name_that_towncrier_collects() -> None:
    """It refuses two names that differ only in a word after the type, such as 17.fixed.chat.md and 17.fixed.log.md."""
    names = [path.name for path in FRAGMENTS.iterdir() if path.name != "README.md"]

    assert [] == [name for name in sorted(names) if not NAME.fullmatch(name)]
