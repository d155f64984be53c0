"""Test ``list_files``."""

from typing import TYPE_CHECKING

import pytest

from openkoi_tools.glob import GlobPattern

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Hands

LIMIT = 24 * 1024


def test_a_folders_files_come_first_and_then_those_below(hands: "Hands") -> None:
    for path in ("b.py", "a/z.py", "a/b/c.py", ".github/ci.yml"):
        hands.write(path, "")

    assert "The working directory: 4 files\nb.py\n.github/ci.yml\na/z.py\na/b/c.py" == hands.use("list_files").text


def test_what_version_control_ignores_is_left_out(hands: "Hands") -> None:
    hands.write(".gitignore", "*.log\n/dist/\n[z-a]\n!\n")
    hands.write("src/.gitignore", "!keep.log\n/tmp\n")
    for path in ("a.log", "dist/x.js", "src/keep.log", "src/tmp/x", "lib/tmp/x", "lib/dist/y", ".git/config"):
        hands.write(path, "")
    hands.write("node_modules/x/index.js", "")

    lines = hands.use("list_files").text.splitlines()[1:]

    assert [".gitignore", "lib/dist/y", "lib/tmp/x", "src/.gitignore", "src/keep.log"] == lines


def test_an_ignored_folder_is_shown_to_who_names_it(hands: "Hands") -> None:
    hands.write(".gitignore", "dist/\n*.log\n")
    hands.write("dist/x.js", "")
    hands.write("src/a.log", "")
    hands.write("src/a.py", "")

    assert "dist/: 1 file\ndist/x.js" == hands.use("list_files", path="dist").text
    assert "src/: 1 file\nsrc/a.py" == hands.use("list_files", path="src").text


def test_deep_folders_are_folded_with_the_number_of_their_files(hands: "Hands") -> None:
    for path in ("a.py", "src/b.py", "src/deep/c.py", "src/deep/er/d.py"):
        hands.write(path, "")

    assert (
        "The working directory: 4 files\na.py\nsrc/b.py\nsrc/deep/ (2 files)" == hands.use("list_files", depth=2).text
    )


def test_a_large_tree_is_folded_until_it_fits(hands: "Hands") -> None:
    for folder in range(20):
        for file in range(100):
            hands.write(f"package-{folder:02}/some/module/file-{file:03}.py", "")

    answer = hands.use("list_files").text

    assert "package-07/some/module/ (100 files)" in answer
    assert len(answer) < LIMIT


def test_a_folder_that_cannot_be_folded_says_what_is_left_out(hands: "Hands") -> None:
    for file in range(2_000):
        hands.write(f"{file:04}-{'x' * 20}.txt", "")

    answer = hands.use("list_files").text.splitlines()

    assert "The working directory: 2,000 files" == answer[0]
    assert f"[{2_000 - len(answer) + 2:,} more; narrow the list with path or glob]" == answer[-1]


@pytest.mark.parametrize(
    ("pattern", "path", "taken"),
    [
        ("*.py", "src/a.py", True),
        ("*.py", "src/a.pyc", False),
        ("src/**/*.ts", "src/a/b/c.ts", True),
        ("./src/*.ts", "src/a.ts", True),
        ("src/*.ts", "lib/a.ts", False),
        ("*.{ts,tsx}", "a.tsx", True),
        ("{a,b}/*.{x,y}", "b/c.x", True),
        ("{a,b}/*.{x,y}", "c/c.x", False),
        ("!*.py", "a.py", False),
        ("!*.py", "a.txt", True),
        ("src", "src/a.py", True),
        ("", "anything", True),
    ],
)
def test_a_glob_takes_what_people_mean_by_it(pattern: str, path: str, taken: bool) -> None:
    assert taken is GlobPattern(pattern).matches(path)


def test_a_glob_that_is_none_is_refused(hands: "Hands") -> None:
    hands.write("a.py", "")

    assert "The glob '[z-a]' is not valid." in hands.use("list_files", glob="[z-a]").text


def test_an_empty_folder_has_no_files(hands: "Hands") -> None:
    assert "The working directory: 0 files." == hands.use("list_files").text
