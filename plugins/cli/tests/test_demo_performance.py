"""What the whole promises: the command does the main job and says how it went."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(300)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a person sees of a demo."""

    status: int
    result: str
    progress: str


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> list[Seen]:
    """The demo twice, by the same person."""
    home = tmp_path_factory.mktemp("home")
    return [performed(home), performed(home)]


def performed(home: Path) -> Seen:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OPENKOI_", "PYTEST_"))}
    env |= {"OPENKOI_HOME": str(home / "koi"), "TMPDIR": str(home), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "openkoi", "demo"]
    result = subprocess.run(command, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return Seen(result.returncode, result.stdout, result.stderr)


def test_the_second_attempt_is_better_than_the_first_and_accepted(demos: list[Seen]) -> None:
    first, second = map(float, re.findall(r"\[iter \d/3\] score: ([\d.]+)", demos[0].progress))

    assert 0 == demos[0].status, demos[0].progress
    assert first <= 0.5 < 0.8 <= second


def test_the_result_is_the_last_words_the_diff_and_the_truth_about_the_model(demos: list[Seen]) -> None:
    text = demos[0].result

    assert text.startswith("Both bugs are fixed.")
    assert "+    return [len(range(friend, total, people)) for friend in range(people)]" in text
    assert "The model was scripted" in text
    assert "\x1b" not in text


def test_nothing_is_left_behind(demos: list[Seen], tmp_path_factory: pytest.TempPathFactory) -> None:
    assert [] == list(tmp_path_factory.getbasetemp().glob("home*/openkoi-demo-*"))


def test_nothing_had_to_be_warned_of(demos: list[Seen]) -> None:
    assert [] == [line for line in demos[0].progress.splitlines() if line.startswith(("  ! Plugin", "  ! There is no"))]


def test_a_second_demo_recalls_the_first(demos: list[Seen]) -> None:
    assert "[recall] 0 similar tasks\n" in demos[0].progress
    assert "[recall] 0 similar tasks\n" not in demos[1].progress
    assert 0 == demos[1].status


def test_with_what_the_first_demo_learned_the_second_needs_one_iteration(demos: list[Seen]) -> None:
    counts = [re.findall(r"\[done\] (\d) iteration", demo.progress) for demo in demos]
    scores = re.findall(r"\[iter \d/3\] score: ([\d.]+)", demos[1].progress)

    assert [["2"], ["1"]] == counts
    assert [True] == [float(score) >= 0.9 for score in scores]
    assert re.search(r", [1-9]\d* learnings?\n", demos[1].progress)
    assert demos[1].result.startswith("Both bugs are fixed.")
