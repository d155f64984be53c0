"""Test how the output of runners is parsed. The files in ``printed`` are recordings of real runs."""

from pathlib import Path

import pytest

from openkoi_testrunner.cargo import read_cargo
from openkoi_testrunner.report import RunnerReport, outcome_of

PRINTED = Path(__file__).parent / "printed"
GO = "example.com/calc"
READ = {
    "go": {
        f"{GO}/sub.TestPanics": False,
        f"{GO}.TestAdd": True,
        f"{GO}.TestWrong/case_one": False,
        f"{GO}.TestWrong/case_two": True,
        f"{GO}/bad": False,
    },
    "cargo": {
        "tests::adds": True,
        "tests::panics": True,
        "tests::wrong": False,
        "adds": True,
        "src/lib.rs - add": True,
    },
    "cargo_broken": {"cargo test": False},
    "tap": {
        "adds": True,
        "suite > inner # odd": False,
        "suite > fine": True,
        "throws": False,
        "/home/koi/pond/test/c.test.mjs": False,
    },
}
TITLES = {
    "go": [
        f"{GO}.TestWrong/case_one fails: got 2",
        f"{GO}/bad fails: undefined: x",
        f"{GO}/sub.TestPanics fails: panic: assignment to entry in nil map [recovered]",
    ],
    "cargo": ["tests::wrong fails: assertion `left == right` failed: sum"],
    "cargo_broken": ["cargo test fails: cannot find value `c` in this scope"],
    "tap": [
        "/home/koi/pond/test/c.test.mjs fails: SyntaxError: Unexpected identifier 'error'",
        "suite > inner # odd fails: 3 == 4",
        "throws fails: bad",
    ],
}


def report(text: str, root: Path, exit_code: int = 1) -> RunnerReport:
    return RunnerReport(runner="cargo test", text=text, exit_code=exit_code, root=root, counts=True)


@pytest.mark.parametrize("name", READ)
def test_a_recording_is_read_test_by_test(tmp_path: Path, name: str) -> None:
    outcome = outcome_of(report((PRINTED / f"{name}.txt").read_text(), tmp_path))

    assert READ[name] == {test.name: test.passed for test in outcome.tests}
    assert TITLES[name] == sorted(test.title for test in outcome.red)


@pytest.mark.parametrize("name", READ)
def test_a_recording_that_breaks_off_still_fails(tmp_path: Path, name: str) -> None:
    text = (PRINTED / f"{name}.txt").read_text()

    for share in range(10):
        assert outcome_of(report(text[: len(text) * share // 10], tmp_path)).red


def test_places_are_those_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "sub_test.go").touch()
    text = (PRINTED / "go.txt").read_text().replace("/home/koi/calc", str(tmp_path))

    places = {test.name: test.where for test in outcome_of(report(text, tmp_path)).red}

    assert "sub/sub_test.go:3" == places[f"{GO}/sub.TestPanics"]
    assert "" == places[f"{GO}/bad"]


def test_a_test_program_that_dies_fails_although_an_old_failure_is_there(tmp_path: Path) -> None:
    died = "Caused by:\n  process didn't exit successfully: `/a/b` (signal: 6, SIGABRT: process abort signal)\n"

    outcome = outcome_of(report(f"running 1 test\ntest old ... FAILED\n\nrunning 2 tests\n{died}", tmp_path))

    assert {"old": False, "cargo test": False} == {test.name: test.passed for test in outcome.tests}
    assert not outcome.complete


def test_tap_of_other_runners_is_read(tmp_path: Path) -> None:
    block = "  ---\n    operator: equal\n  ...\n"
    text = f"TAP version 13\n# pond\nok 1 is deep\nnot ok 2 is wide\n{block}ok 3 later # SKIP\n1..3\n"

    outcome = outcome_of(report(text, tmp_path))

    assert {"is deep": True, "is wide": False} == {test.name: test.passed for test in outcome.tests}
    assert ("later",) == outcome.skipped


@pytest.mark.parametrize("piece", [".", "a/", "_", " ", "=", "x.y:", "FAILED a::b - c\n", "/a/b"])
def test_endless_output_is_read_all_the_same(tmp_path: Path, piece: str) -> None:
    outcome = outcome_of(report((piece * 300_000)[:400_000], tmp_path))

    assert {"cargo test": False} == {test.name: test.passed for test in outcome.tests}


def test_no_tests_are_no_tests_that_passed(tmp_path: Path) -> None:
    assert () == outcome_of(report("running 0 tests\n", tmp_path, exit_code=0)).tests


def test_a_documented_example_fails_where_it_begins(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lib.rs").touch()
    text = (
        "running 1 test\ntest src/lib.rs - pond::depth (line 147) ... FAILED\n\nfailures:\n\n"
        "---- src/lib.rs - pond::depth (line 147) stdout ----\n\nthread 'main' panicked at src/lib.rs:7:1:\ndry\n"
    )

    ((test,), _) = read_cargo(text, tmp_path)

    assert ("src/lib.rs - pond::depth", "src/lib.rs:147") == (test.name, test.where)
