"""The table of habits in the chat's ``HABITS.md``: each names tests that exist and that do what the habit is."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
HABITS = ROOT / "plugins/chat/HABITS.md"
SCREENS = {"test_every_screen_of_the_chat": ROOT / "tests/screens/chat.txt"}
FILES = [*ROOT.glob("tests/test_*.py"), *ROOT.glob("plugins/*/tests/test_*.py")]


def read_tests(names: set[str]) -> dict[str, str]:
    """Return the code of tests by their names, with the screens that one of them compares."""
    found = dict[str, str]()
    for text in (file.read_text() for file in FILES):
        if any(f"def {name}(" in text for name in names):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef) and node.name in names:
                    found[node.name] = ast.get_source_segment(text, node) or ""
    return {name: code + (SCREENS[name].read_text() if name in SCREENS else "") for name, code in found.items()}


def test_every_habit_has_a_test_that_does_it() -> None:
    rows = [line.strip("|").split("|") for line in HABITS.read_text().splitlines() if line.startswith("| ")][1:]
    named = [re.findall(r"`(test_\w+)`", row[-1]) for row in rows]
    known = read_tests({name for names in named for name in names})

    assert 25 <= len(rows)
    assert ["y"] * len(rows) == [row[-2].strip() for row in rows]
    assert all(named)
    assert set() == {name for names in named for name in names} - known.keys()
    for row, names in zip(rows, named, strict=True):
        code = "".join(known[name] for name in names)
        assert [] == [word for word in re.findall(r"`([^`]+)`", row[0]) if word.partition("file")[0] not in code], row[
            0
        ]
        assert not re.search(r"pytest\.skip|xfail", code)
