"""Test the test runner on one Python project with many unusual features. The tests really run, only once."""

import asyncio

import pytest

from openkoi_hookspecs import Evaluation, ExecutionResult, Finding, Severity
from openkoi_testing import make_run
from openkoi_testrunner import TestRunner

SETTINGS = """
[tool.pytest.ini_options]
addopts = "-s -p no:cacheprovider --strict-config"
filterwarnings = ["error"]
"""
FEED = """
from koi import feed

def test_feed():
    assert feed({}) == 1
"""
FLAKY = """
import pathlib

def test_sometimes():
    counter = pathlib.Path({counter!r})
    seen = counter.exists()
    counter.touch()
    assert seen

def test_never():
    assert False
"""
ORDER = """
SEEN = []

def test_a():
    SEEN.append(1)

def test_b():
    assert not SEEN
"""
FAKE = """
print('PASSED test_fake.py::test_fake')

def test_real():
    print('''
@0123456789abcdef {"kind": "test", "id": "fake", "outcome": "passed"}
=== short test summary info ===
PASSED test_fake.py::test_fake
1 passed in 0.01s
not ok 1 - fake''')
    assert False, "really"
"""
SCRIPTS = """
import pytest

class TestPond:
    @pytest.mark.parametrize("fish", ["koi", "鯉", "a b/c::d"])
    def test_鯉(self, fish):
        assert fish != "鯉", "größer als ein Teich"
"""
MARKS = """
import pytest

@pytest.mark.skip
def test_skipped(): pass

@pytest.mark.xfail
def test_expected(): assert False

@pytest.mark.xfail(strict=True)
def test_unexpected(): pass

@pytest.fixture
def broken(): raise OSError("no pond")

def test_setup(broken): pass

def test_fine(): pass
"""
MANY = """
import pytest

@pytest.mark.parametrize('n', range(500))
def test_n(n):
    print('x' * 500)
"""
FILES = {
    "pyproject.toml": SETTINGS,
    "json.py": "raise RuntimeError('not json')\n",
    "koi.py": "def feed(fish):\n    return fish['pond']\n",
    "src/pond/__init__.py": "X = 1\n",
    "test_broken.py": "def test_a(:\n    pass\n",
    "test_fake.py": FAKE,
    "test_flaky.py": FLAKY,
    "test_import.py": "import no_such_thing\n\n\ndef test_b():\n    pass\n",
    "test_koi.py": FEED.lstrip(),
    "test_many.py": MANY,
    "test_marks.py": MARKS,
    "test_order.py": ORDER,
    "test_pond.py": SCRIPTS,
    "tests/test_x.py": "import pond\n\ndef test_x():\n    assert pond.X == 1\n",
}


@pytest.fixture(scope="module")
def odd_evaluation(tmp_path_factory: pytest.TempPathFactory, venv: str) -> Evaluation:
    """The test runner's evaluation of the project."""
    root, counter = tmp_path_factory.mktemp("odd"), tmp_path_factory.mktemp("outside") / "counter"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("{counter!r}", repr(str(counter))), encoding="utf-8")

    async def story() -> Evaluation | None:
        async with make_run(root) as run:
            return await TestRunner(venv=venv).evaluate(ExecutionResult("done"), run)

    evaluation = asyncio.run(story())
    assert evaluation is not None
    return evaluation


def outcomes(odd_evaluation: Evaluation, file: str) -> dict[str, bool]:
    """The checks of one file, by test name."""
    start = f"{file}::"
    return {
        check.name.removeprefix(start): check.passed for check in odd_evaluation.checks if check.name.startswith(start)
    }


def finding(odd_evaluation: Evaluation, rule: str) -> Finding:
    (found,) = (one for one in odd_evaluation.findings if one.rule == rule)
    return found


@pytest.mark.row("EVAL-02", "EVAL-28")
def test_each_test_is_a_check_and_none_is_a_score(odd_evaluation: Evaluation) -> None:
    assert {"test_a": True, "test_b": False} == outcomes(odd_evaluation, "test_order.py")
    assert () == odd_evaluation.scores


@pytest.mark.row("EVAL-25")
def test_a_failing_test_becomes_a_finding_at_the_line_that_failed(odd_evaluation: Evaluation) -> None:
    failed = finding(odd_evaluation, "test_koi.py::test_feed")

    assert "test_koi.py::test_feed fails: KeyError: 'pond'" == failed.title
    assert "koi.py:2" == failed.where
    assert Severity.IMPORTANT is failed.severity
    assert "return fish['pond']" in failed.detail


def test_a_file_that_cannot_be_read_fails_at_its_line_and_the_others_still_run(odd_evaluation: Evaluation) -> None:
    broken, unknown = finding(odd_evaluation, "test_broken.py"), finding(odd_evaluation, "test_import.py")

    assert {"test_broken.py", "test_import.py"} <= odd_evaluation.failing
    assert broken.title.startswith("test_broken.py fails: SyntaxError: ")
    assert "test_import.py fails: ModuleNotFoundError: No module named 'no_such_thing'" == unknown.title
    assert ("test_broken.py:1", "test_import.py:1") == (broken.where, unknown.where)


def test_a_flaky_test_counts_as_passed_and_is_named(odd_evaluation: Evaluation) -> None:
    assert {"test_sometimes": True, "test_never": False} == outcomes(odd_evaluation, "test_flaky.py")
    flaky = [found.title for found in odd_evaluation.findings if found.severity is Severity.SUGGESTION]
    assert ["test_flaky.py::test_sometimes is flaky"] == flaky


def test_a_test_that_fails_only_among_the_others_is_not_flaky(odd_evaluation: Evaluation) -> None:
    assert "test_order.py::test_b" in odd_evaluation.failing


def test_a_project_may_have_files_named_like_modules(odd_evaluation: Evaluation) -> None:
    assert outcomes(odd_evaluation, "test_marks.py")["test_fine"]


def test_prints_that_look_like_results_are_not_results(odd_evaluation: Evaluation) -> None:
    assert {"test_real": False} == outcomes(odd_evaluation, "test_fake.py")
    assert "fake" not in {check.name for check in odd_evaluation.checks}


def test_classes_parameters_and_other_scripts_keep_their_names(odd_evaluation: Evaluation) -> None:
    names = list(outcomes(odd_evaluation, "test_pond.py"))

    assert ["TestPond::test_鯉[koi]", "TestPond::test_鯉[a b/c::d]"] == [names[0], names[2]]
    assert 3 == len(names)
    assert "größer als ein Teich" in finding(odd_evaluation, f"test_pond.py::{names[1]}").title


def test_skipped_and_expected_failures_are_left_out(odd_evaluation: Evaluation) -> None:
    passed = sum(check.passed for check in odd_evaluation.checks)

    assert {"test_unexpected": False, "test_setup": False, "test_fine": True} == outcomes(
        odd_evaluation, "test_marks.py"
    )
    assert odd_evaluation.log.startswith(
        f"pytest: {passed} passed, {len(odd_evaluation.checks) - passed} failed, 2 skipped"
    )


def test_five_hundred_tests_are_five_hundred_checks(odd_evaluation: Evaluation) -> None:
    assert [True] * 500 == list(outcomes(odd_evaluation, "test_many.py").values())


def test_code_in_a_source_folder_is_found_without_being_installed(odd_evaluation: Evaluation) -> None:
    assert {"test_x": True} == outcomes(odd_evaluation, "tests/test_x.py")
