"""A command that only shows files reads, and nothing else does."""

import pytest

from openkoi.progress import Step, StuckDetector
from openkoi.progress.read_only_commands import shows_files
from openkoi_hookspecs import ToolCall, ToolResult

pytestmark = pytest.mark.unit

READING = [
    "cat a.txt",
    "cat src/a.py | head -n 20",
    "sed -n '1,80p' src/a.py",
    "head -40 'with space.txt'",
    "grep -rn pond . | sort | uniq -c",
    "rg 'def main' && cat setup.py",
    "git show HEAD:a.txt",
    "git log --oneline -5; git diff",
]
NOT_READING = [
    "",
    "|",
    "cat",
    "echo cat a.txt",
    "cat a.txt > b.txt",
    "cat a.txt && make",
    "cat a.txt | xargs rm",
    "cat $(ls)",
    "cat `ls`",
    "cat a.txt & rm b.txt",
    "sed -i s/a/b/ a.txt",
    "sed -n -i p a.txt",
    "git push",
    "git",
    "wc a.txt",
    "cat 'unclosed",
    "cat a.txt\nrm a.txt",
]


@pytest.mark.parametrize("line", READING)
def test_a_command_that_shows_files_reads(line: str) -> None:
    assert shows_files(line)


@pytest.mark.parametrize("line", NOT_READING)
def test_what_does_more_or_cannot_be_told_does_not(line: str) -> None:
    assert not shows_files(line)


@pytest.mark.row("C78")
@pytest.mark.parametrize(
    ("text", "failed", "without_news", "without_progress"), [("new", False, 0, 0), ("new", True, 0, 1)]
)
def test_a_command_that_shows_what_was_not_seen_is_progress(
    text: str, failed: bool, without_news: int, without_progress: int
) -> None:
    stuck_detector = StuckDetector()
    stuck_detector.record_cycle(
        [Step(ToolCall("1", "run_command", {"command": "cat a.txt"}), ToolResult(text, failed=failed))]
    )

    assert (without_news, without_progress) == (stuck_detector.without_news, stuck_detector.without_progress)


@pytest.mark.row("C27")
def test_a_command_that_shows_what_was_seen_before_is_none() -> None:
    stuck_detector = StuckDetector()
    for line in ("cat a.txt", "cat ./a.txt"):
        stuck_detector.record_cycle([Step(ToolCall("1", "run_command", {"command": line}), ToolResult("one"))])

    assert (1, 1) == (stuck_detector.without_news, stuck_detector.without_progress)
