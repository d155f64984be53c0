"""Test the message about a missing program."""

import shutil
from typing import TYPE_CHECKING

import pytest

from openkoi_tools.unknown_program import describe_unknown, program_words

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
    assert names == list(program_words(line))


def test_the_nearest_name_is_told() -> None:
    output = describe_unknown("pytset", "", ["python", "pytest", "ls"])

    assert "[Program not found on PATH or in the project: 'pytset'. Did you mean 'pytest'?]" == output
    assert "[Program not found on PATH or in the project: 'xyzzy'.]" == describe_unknown("xyzzy", "", ["ls"])


@needs_a_shell
@pytest.mark.row("SAFE-08")
def test_a_program_that_is_nowhere_is_named_with_the_one_that_is_like_it(hands: "Hands") -> None:
    answer = hands.use("run_command", command="true && mkdri x")

    assert 127 == answer.exit_code
    assert answer.text.endswith("[Program not found on PATH or in the project: 'mkdri'. Did you mean 'mkdir'?]"), (
        answer.text
    )


@needs_a_shell
@pytest.mark.row("SAFE-08")
def test_a_program_of_the_project_is_named_by_its_path(hands: "Hands") -> None:
    hands.write(".venv/bin/check-it", "#!/bin/sh\n").chmod(0o755)

    answer = hands.use("run_command", command="check-it --all")

    assert answer.text.endswith(
        "[Program not found on PATH: 'check-it'. The project has .venv/bin/check-it. Call it by that path.]"
    )


@needs_a_shell
def test_of_a_command_that_only_ends_like_that_nothing_is_said(hands: "Hands") -> None:
    assert "Program not found" not in hands.use("run_command", command="echo hello; exit 127").text
