"""What the demo promises around the run: a clean copy, an honest diff, plain words, and the run's own exit status."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from openkoi_cli.demo import demo, prepare_project
from openkoi_cli.demo.project_diff import diff_projects
from openkoi_cli.demo.setup import PROJECT, demo_environment, wait_for
from openkoi_cli.demo.text import color_diff, format_closing, format_opening


def test_every_copy_is_the_same_project_to_memory(tmp_path: Path) -> None:
    copies = [prepare_project(tmp_path / name) for name in ("one", "two")]

    assert {"openkoi-demo\n"} == {(copy / ".openkoi" / "project").read_text(encoding="utf-8") for copy in copies}


def test_an_untouched_copy_has_no_changes(tmp_path: Path) -> None:
    assert [] == diff_projects(PROJECT, prepare_project(tmp_path))


def test_the_diff_shows_what_was_changed_added_and_removed(tmp_path: Path) -> None:
    copy = prepare_project(tmp_path)
    (copy / "teahouse" / "new.py").write_text("tea = 1\n", encoding="utf-8")
    (copy / "README.md").unlink()
    (copy / ".ruff_cache").mkdir()
    (copy / ".ruff_cache" / "x.py").touch()

    report = diff_projects(PROJECT, copy)

    assert ["--- a/README.md", "--- a/teahouse/new.py"] == [line for line in report if line.startswith("---")]
    assert "+tea = 1" in report
    assert "-# teahouse" in report


def test_a_diff_is_painted_line_by_line() -> None:
    assert "\x1b[32m+a\x1b[0m\n\x1b[31m-b\x1b[0m\n c" == color_diff(["+a", "-b", " c"])


def test_the_words_say_what_was_scripted_and_end_with_a_real_command(tmp_path: Path) -> None:
    report = format_closing(None)

    assert report.startswith("The model was scripted")
    assert 'OPENAI_API_KEY=... openkoi -m openai/gpt-5.2 "Fix the failing tests"' == report.splitlines()[-1].strip()
    assert str(tmp_path) in format_closing(tmp_path)
    assert str(tmp_path) in format_opening(tmp_path, "Fix it")


def test_the_run_is_told_where_the_script_is() -> None:
    assert {"HOME": "/home/koi", "OPENKOI_SCRIPTED": str(PROJECT.parent)} == demo_environment({"HOME": "/home/koi"})


def test_the_exit_status_is_that_of_the_run() -> None:
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as run:
        assert 3 == wait_for(run)


def test_the_help_says_that_the_model_is_scripted() -> None:
    report = CliRunner().invoke(demo, ["--help"])

    assert 0 == report.exit_code
    assert "the model is scripted" in " ".join(report.output.split())


@pytest.mark.parametrize("name", ["teahouse/bill.py", "tests/test_sharing.py", "pyproject.toml"])
def test_the_project_is_packed(name: str) -> None:
    assert (PROJECT / name).is_file()
