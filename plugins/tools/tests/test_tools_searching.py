"""Test ``search`` with and without ripgrep."""

import asyncio
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from openkoi_testing import make_run
from openkoi_tools import WorkspaceTools
from openkoi_tools.glob import GlobPattern
from openkoi_tools.search_backends import Hit, SearchQuery, parse_hits, search_in_process, search_with_ripgrep
from openkoi_tools.symlink_safe_paths import resolve_path
from openkoi_tools.tool_context import ToolSettings
from openkoi_tools.workspace_tools import SKIPPED_NAMES

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Bench, Hands

SETTINGS = ToolSettings(
    result_bytes=24 * 1024,
    file_bytes=1024**2,
    command_seconds=10,
    max_command_seconds=10,
    search_seconds=10.0,
    skip=frozenset(SKIPPED_NAMES),
)
FILES = {
    ".gitignore": b"dist/\n*.log\n",
    "src/auth.py": b"def login(user):\r\n    return login_url\r\n",
    "src/auth.test.ts": "login('é')\n".encode(),
    "src/old.txt": b"caf\xe9 login\n",
    "src/wide.txt": "\ufefflogin\n".encode("utf-16-le"),
    "src/image.bin": b"login\0\0\0",
    "a.log": b"login\n",
    "dist/x.py": b"login\n",
    "node_modules/m.js": b"login\n",
    ".github/ci.yml": b"# login\n",
    "with space/-dash.py": b"login: 1:2\n",
}


def test_hits_are_told_as_path_line_and_text(hands: "Hands") -> None:
    hands.write("src/auth.py", "import os\ndef login(user):\n")

    assert "src/auth.py:2: def login(user):\n[1 line in 1 file]" == hands.use("search", pattern=r"login\(").text


def test_plain_text_needs_no_escaping(hands: "Hands") -> None:
    hands.write("a.py", "x = a[0](b)\nx = a0b\n")

    assert "a.py:1: x = a[0](b)\n[1 line in 1 file]" == hands.use("search", pattern="a[0](", literal=True).text


def test_nothing_found_is_an_answer(hands: "Hands") -> None:
    answer = hands.use("search", pattern="login")

    assert ("[No matches. Try a shorter pattern, literal=true for plain text, or another path]", False) == (
        answer.text,
        answer.failed,
    )


def test_many_hits_are_capped_and_that_is_said(hands: "Hands") -> None:
    hands.write("a.txt", f"login {'x' * 90}\n" * 2_000)

    answer = hands.use("search", pattern="login").text

    assert answer.endswith(
        "lines in 1 file; more matches are omitted: narrow the search with path, glob or a longer pattern]"
    )
    assert 20_000 < len(answer) <= 24 * 1024


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("log(in", "The pattern is not a valid regular expression: missing ), unterminated subpattern"),
        ("", "The pattern is empty."),
        ("a\nb", "The pattern contains a newline or NUL"),
    ],
)
def test_a_pattern_that_is_none_is_refused(hands: "Hands", pattern: str, sentence: str) -> None:
    answer = hands.use("search", pattern=pattern)

    assert answer.failed
    assert sentence in answer.text


def test_a_pattern_that_never_comes_to_an_end_is_stopped_and_nothing_else_waits(bench: "Bench") -> None:
    hands = bench.hands(WorkspaceTools(search_seconds=1))
    hands.write("src/a.txt", "a" * 40 + "b\n")
    hands.write("b.txt", "hello\n")

    began = time.monotonic()
    endless, quick = hands.use_together(
        ("search", {"pattern": "(?=a)(a+)+$", "path": "src"}), ("read_file", {"path": "b.txt"})
    )

    assert "The search took longer than 1 seconds. Narrow it" in endless.text
    assert not quick.failed
    assert time.monotonic() - began < 10


def test_a_missing_folder_is_answered_with_the_nearest_name(hands: "Hands") -> None:
    hands.write("source/a.py", "x\n")

    assert "Not found: sourse. Did you mean source?" == hands.use("search", pattern="x", path="sourse").text


@pytest.mark.parametrize(
    ("pattern", "glob", "where", "expected"),
    [
        (
            "login",
            "",
            ".",
            [".github/ci.yml", "src/auth.py", "src/auth.test.ts", "src/old.txt", "src/wide.txt", "with"],
        ),
        ("login", "*.{py,ts}", ".", ["src/auth.py", "src/auth.test.ts", "with"]),
        ("login", "!src", ".", [".github/ci.yml", "with"]),
        ("login", "src/*.py", "src", ["src/auth.py"]),
        ("login", "", "dist", ["dist/x.py"]),
        ("login", "", "a.log", ["a.log"]),
        ("^login: 1:2$", "", ".", ["with"]),
        (r"def \w+", "", "src/auth.py", ["src/auth.py"]),
        ("nowhere", "", ".", []),
    ],
)
@pytest.mark.parametrize("way", ["ourselves", "ripgrep"])
def test_both_ways_of_searching_find_the_same(
    tmp_path: Path, way: str, pattern: str, glob: str, where: str, expected: list[str]
) -> None:
    for name, data in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    wanted = SearchQuery(pattern, False, resolve_path(tmp_path, where), GlobPattern(glob))

    hits = asyncio.run(ours(wanted) if way == "ourselves" else ripgreps(wanted, tmp_path))

    found = sorted({hit.path.replace("with space/-dash.py", "with") for hit in hits})
    assert expected == found


def test_lines_that_are_no_hits_are_passed_over() -> None:
    assert [Hit("a:1.py", 2, "x\0y")] == parse_hits(["rg: a: permission denied", "./a:1.py\x002:x\0y", "", "--"])


async def ours(wanted: SearchQuery) -> list[Hit]:
    """Search in a process of our own."""
    return await search_in_process(wanted, SETTINGS)


async def ripgreps(wanted: SearchQuery, workspace: Path) -> list[Hit]:
    """Search with ripgrep, if it is installed."""
    if not shutil.which("rg"):
        pytest.skip("needs ripgrep: .ci/install-tools")
    async with make_run(workspace) as run:
        hits = await search_with_ripgrep(wanted, run, SETTINGS)
    assert hits is not None
    return hits
