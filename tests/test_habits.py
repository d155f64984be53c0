"""The table of habits in the chat's ``HABITS.md``: each names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
HABITS = ROOT / "plugins/chat/HABITS.md"
DEFINED = re.compile(r"^ *def (test_\w+)\(", re.MULTILINE)


def test_every_habit_has_a_test_that_exists() -> None:
    rows = [line.strip("|").split("|") for line in HABITS.read_text().splitlines() if line.startswith("| ")][1:]
    files = [*ROOT.glob("tests/test_*.py"), *ROOT.glob("plugins/*/tests/test_*.py")]
    known = {name for file in files for name in DEFINED.findall(file.read_text())}
    named = [re.findall(r"`(test_\w+)`", row[-1]) for row in rows]

    assert 25 <= len(rows)
    assert ["y"] * len(rows) == [row[-2].strip() for row in rows]
    assert all(named)
    assert set() == {name for names in named for name in names} - known
