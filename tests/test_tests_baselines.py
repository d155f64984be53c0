"""The tests of a state run once: what a run found at its end is known to the next. Real tests, a scripted model."""

import os
from pathlib import Path

import pytest
from cli_process import Shell, shell
from verdict_runs import DONE, EDIT, configure, play, result

RUNS = ".pytest_cache/runs"  # a folder that tests write as they like
COUNTED = f"""\
from pathlib import Path

import a


def test_x() -> None:
    Path("{RUNS}").parent.mkdir(exist_ok=True)
    with Path("{RUNS}").open("a") as file:
        file.write("once\\n")
    assert a.x == 3
"""
CHECKED = "--no-judge"
NOTE = """\
  - when: {after: 0}
    says: I will note it.
    calls: [{tool: write_file, arguments: {path: notes.txt, content: "x", overwrite: true}}]
    usage: {input: 10, output: 10}
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with a failing test that counts how often it runs."""
    made = shell(tmp_path)
    (made.folder / "a.py").write_text("x = 0\n")
    (made.folder / "test_a.py").write_text(COUNTED)
    configure(made, "")
    return made


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
    done = play(openkoi, EDIT + DONE, CHECKED)
    assert (0, 5) == (done.returncode, runs(openkoi))
    assert "turned green" in str(result(done))


def test_a_test_that_was_red_at_the_end_of_a_run_turns_green_in_the_next(openkoi: Shell) -> None:
    play(openkoi, NOTE + DONE, CHECKED, "-i", "1")
    before = runs(openkoi)

    done = play(openkoi, EDIT + DONE, CHECKED)

    assert (0, before + 1) == (done.returncode, runs(openkoi))
    assert "1 check turned green" in str(result(done))


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


def test_tests_do_not_run_where_nothing_is_evaluated(openkoi: Shell) -> None:
    assert 0 == play(openkoi, EDIT + DONE, "-i", "0").returncode
    play(openkoi, DONE, CHECKED, task="What is x?")

    assert 0 == runs(openkoi)
