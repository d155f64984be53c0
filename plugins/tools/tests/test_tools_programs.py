"""What is said of a program that is not there."""

import shutil
from typing import TYPE_CHECKING

import pytest

from openkoi_tools.unknown_program import programs, unknown

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Hands

needs_a_shell = pytest.mark.skipif(not shutil.which("sh"), reason="needs a POSIX shell")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("pytest -q", ["pytest"]),
        ("A=1 B='x y' make all", ["make"]),
        ("cd sub && pytset | tee log; echo 'a; b'", ["cd", "pytset", "tee", "echo"]),
        ("(npm ci\nnpm test) > out 2>&1", ["npm", "npm"]),
        ("echo 'open", ["echo"]),
        ("", []),
    ],
)
def test_programs_are_the_words_that_begin_a_command(line: str, names: list[str]) -> None:
    assert names == list(programs(line))


def test_the_nearest_name_is_told() -> None:
    told = unknown("pytset", "", ["python", "pytest", "ls"])

    assert "[There is no program 'pytset' on PATH or in the project. Did you mean 'pytest'?]" == told
    assert "[There is no program 'xyzzy' on PATH or in the project.]" == unknown("xyzzy", "", ["ls"])


@needs_a_shell
@pytest.mark.row("SAFE-08")
def test_a_program_that_is_nowhere_is_named_with_the_one_that_is_like_it(hands: "Hands") -> None:
    answer = hands.use("run_command", command="true && mkdri x")

    assert 127 == answer.exit_code
    assert answer.text.endswith("[There is no program 'mkdri' on PATH or in the project. Did you mean 'mkdir'?]"), (
        answer.text
    )


@needs_a_shell
@pytest.mark.row("SAFE-08")
def test_a_program_of_the_project_is_named_by_its_path(hands: "Hands") -> None:
    hands.write(".venv/bin/check-it", "#!/bin/sh\n").chmod(0o755)

    answer = hands.use("run_command", command="check-it --all")

    assert answer.text.endswith(
        "[There is no program 'check-it' on PATH, but there is .venv/bin/check-it in the project. "
        "Call it by that path.]"
    )


@needs_a_shell
def test_of_a_command_that_only_ends_like_that_nothing_is_said(hands: "Hands") -> None:
    assert "There is no program" not in hands.use("run_command", command="echo hello; exit 127").text
