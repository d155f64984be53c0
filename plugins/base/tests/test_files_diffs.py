"""A diff names the files that it changes, whatever their names contain."""

import pytest

from openkoi_base.files.diffs import changed_files, split_by_file

pytestmark = pytest.mark.unit


def test_each_file_has_its_part() -> None:
    first, second = "diff --git a/a.py b/a.py\n+one\n", "diff --git a/deep/b c.py b/deep/b c.py\n-two\n"

    assert {"a.py": first, "deep/b c.py": second} == split_by_file(first + second)


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("a/x b/y b/x b/y", "x b/y"),
        (r'"a/t\303\244b\tx" "b/t\303\244b\tx"', "täb\tx"),
        (r'"a/q\"\\" "b/q\"\\"', 'q"\\'),
    ],
)
def test_spaces_quotes_and_escapes_in_names_are_read(header: str, path: str) -> None:
    assert (path,) == changed_files(f"diff --git {header}\n")


def test_no_diff_changes_no_file() -> None:
    assert () == changed_files("")
