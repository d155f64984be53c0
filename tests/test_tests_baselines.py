"""The tests of a state run once: what a run found at its end is known to the next. Real tests, a scripted model."""

import os
import time
from pathlib import Path

import pytest
from cli_process import Shell, shell
from verdict_runs import DONE, EDIT, configure, play, result

from openkoi_testing.servers import OpenAIServer
from openkoi_testing.servers.http_server import ReceivedRequest, ServerResponse

RUNS = ".pytest_cache/runs"  # a folder that tests write as they like
COUNTED = f"""\
import unittest
from pathlib import Path

import a


class Case(unittest.TestCase):
    def test_x(self) -> None:
        Path("{RUNS}").parent.mkdir(exist_ok=True)
        with Path("{RUNS}").open("a") as file:
            file.write("once\\n")
        self.assertEqual(3, a.x)
"""
CHECKED = "--no-judge"
PATIENCE_SECONDS = 20
NOTE = """\
  - when: {after: 0}
    says: I will note it.
    calls: [{tool: write_file, arguments: {path: notes.txt, content: "x", overwrite: true}}]
    usage: {input: 10, output: 10}
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with a failing test that counts how often it runs."""
    openkoi = shell(tmp_path)
    (openkoi.folder / "a.py").write_text("x = 0\n")
    (openkoi.folder / "test_a.py").write_text(COUNTED)
    configure(openkoi, "")
    return openkoi


def runs(openkoi: Shell) -> int:
    """Return how often the test has run."""
    counted = openkoi.folder / RUNS
    return len(counted.read_text().splitlines()) if counted.exists() else 0


def test_what_a_run_found_at_its_end_is_how_the_tests_stand_at_the_next(openkoi: Shell) -> None:
    assert 0 == play(openkoi, EDIT + DONE, CHECKED).returncode
    assert 2 == runs(openkoi)

    assert 0 == play(openkoi, NOTE + DONE, CHECKED).returncode
    assert 3 == runs(openkoi)

    (openkoi.folder / "a.py").write_text("x = 1\n")
    process = play(openkoi, EDIT + DONE, CHECKED)
    assert (0, 5) == (process.returncode, runs(openkoi))
    assert "turned green" in str(result(process))


def test_a_test_that_was_red_at_the_end_of_a_run_turns_green_in_the_next(openkoi: Shell) -> None:
    play(openkoi, NOTE + DONE, CHECKED, "-i", "1")
    before = runs(openkoi)

    process = play(openkoi, EDIT + DONE, CHECKED)

    assert (0, before + 1) == (process.returncode, runs(openkoi))
    assert "1 check turned green" in str(result(process))


@pytest.mark.parametrize("change", ["a file that git ignores", "a package that is installed", "an hour"])
def test_what_the_tests_may_depend_on_has_them_run_again(change: str, openkoi: Shell) -> None:
    site = openkoi.folder / ".venv" / "lib" / "python3" / "site-packages"
    site.mkdir(parents=True)
    (openkoi.folder / ".gitignore").write_text("*.env\n")
    play(openkoi, EDIT + DONE, CHECKED)
    before = runs(openkoi)

    if change == "a file that git ignores":
        (openkoi.folder / "local.env").write_text("x")
    elif change == "a package that is installed":
        (openkoi.folder / ".venv" / "pyvenv.cfg").write_text("x")
    else:
        for known in (openkoi.home / "data" / "test-results").iterdir():
            os.utime(known, (0, 0))
    play(openkoi, NOTE + DONE, CHECKED)

    assert before + 2 == runs(openkoi)


class Waiting(OpenAIServer):
    """A model that answers when a file is there, or after a while."""

    def __init__(self, path: Path) -> None:
        super().__init__("Done.", models=["mock"])
        self.path = path
        self.came = False

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer as the vendor does."""
        until = time.monotonic() + PATIENCE_SECONDS
        while seen.method == "POST" and not self.came and time.monotonic() < until:
            self.came = self.path.exists()
            time.sleep(0.05)
        return super().answer(seen)


def test_the_tests_run_beside_the_first_call_of_the_model(openkoi: Shell) -> None:
    with Waiting(openkoi.folder / RUNS) as server:
        shell = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-not-a-real-key")
        shell(CHECKED, "-i", "1", "-m", "openai/mock", "Edit a.py so that x is 3")

    assert server.came


def test_tests_do_not_run_where_nothing_is_evaluated(openkoi: Shell) -> None:
    assert 0 == play(openkoi, EDIT + DONE, "-i", "0").returncode
    play(openkoi, DONE, CHECKED, task="What is x?")

    assert 0 == runs(openkoi)


def test_tests_do_not_run_for_a_skill_that_is_not_evaluated(openkoi: Shell) -> None:
    skill = openkoi.home / "data" / "skills" / "user" / "edit" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    more = "name: edit\ndescription: Edits a.py.\nmetadata: {openkoi: {deterministic: true}}"
    skill.write_text(f"---\n{more}\n---\nEdit a.py.\n")

    process = play(openkoi, EDIT + DONE, CHECKED, task="Use the skill edit: edit a.py so that x is 3")

    assert "not evaluated" in str(result(process)).lower()
    assert 0 == runs(openkoi)
