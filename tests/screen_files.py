"""Compare screens with files of ``tests/screens``, without parts that vary.

A change of a screen changes its file: review the diff. To write the files again, run their tests with
UPDATE_SCREENS=1: ``UPDATE_SCREENS=1 uv run pytest tests/test_screens.py tests/test_chat_screens.py``.
"""

import os
import re
from difflib import unified_diff
from pathlib import Path

SCREENS = Path(__file__).parent / "screens"
CHANGING = (
    (re.compile(r"\b[0-9a-f]{8}\b"), "1a2b3c4d"),
    (re.compile(r"\(\d+s\b"), "(0s"),
    (re.compile(r"/tmp/\S+"), "/tmp/folder"),
    (re.compile(r"^Tip: .*\n?", re.MULTILINE), ""),
)
MEASURED = (  # what a screen of the chat or a README may show with other values
    (re.compile(r"Memory:( +duckdb:)? index .*?parts of words", re.DOTALL), "Memory: index"),
    *CHANGING,
    (re.compile(r"\b\d+ model calls"), "0 model calls"),
    (re.compile(r"^  \d+ learnings? saved\n", re.MULTILINE), ""),  # they may be saved a moment later
    (re.compile(r"<?\$\d+\.\d+"), "$0.00"),
    (re.compile(r"\b\d+(\.\d+)?k? tokens"), "0 tokens"),
    (re.compile(r"\(\d+%\)"), "(0%)"),
    (re.compile(r"\((just now|\d+ \w+ ago)"), "(just now"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?"), "2026-01-01 00:00"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "2026-01-01"),
    (re.compile(r"\b(v?)20\d\d\.\d+\.\d+\b"), r"\1VERSION"),
    (re.compile(r"\((\d+h )?(\d+m )?\d+s\b"), "(0s"),
    (re.compile(r"  +\d+(\.\d+)?k? +\$"), "  0    $"),
    (re.compile(r"\b\d+(\.\d+)?(KB|MB|GB)\b"), "0KB"),
    (re.compile(r"\b\d+(\.\d+)? ?ms\b"), "0ms"),
    (re.compile(r"entries \d+"), "entries 0"),
    (re.compile(r" +\n"), "\n"),
)


def normalize(screen: str, changing: tuple[tuple[re.Pattern[str], str], ...] = CHANGING) -> str:
    """Return a screen without what changes."""
    for pattern, plain in changing:
        screen = pattern.sub(plain, screen)
    return screen


def check_screen(name: str, screen: str) -> None:
    """Compare a screen with its file."""
    file = SCREENS / f"{name}.txt"
    if os.environ.get("UPDATE_SCREENS"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(screen)

    changed = "\n".join(unified_diff(file.read_text().split("\n"), screen.split("\n"), lineterm=""))
    assert not changed, f"{file} is not up to date:\n{changed}"
