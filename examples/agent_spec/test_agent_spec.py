"""Test both examples as a user runs them."""

import json
import re
import shutil
from pathlib import Path

import pytest
from cli_process import Shell

HERE = Path(__file__).parent
MODEL = ("-m", "scripted/script.yaml")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    folder = tmp_path / "pond"
    folder.mkdir()
    for file in (*HERE.glob("*.yaml"), HERE / "greeting.py"):
        shutil.copy(file, folder)
    return Shell(folder, tmp_path / "home")


def test_the_fixer_works_until_the_program_greets(openkoi: Shell) -> None:
    process = openkoi("run", "fixer.yaml", *MODEL, "--format", "json", "Fix the greeting")
    result = json.loads(process.stdout)

    assert (0, "tool-result") == (process.returncode, result["terminated_by"])
    assert {"name": "fixer", "version": "1.0.0"} == result["agent"]
    assert "Good morning" in (openkoi.folder / "greeting.py").read_text()


def test_the_poets_work_until_the_reviewer_is_content(openkoi: Shell) -> None:
    process = openkoi("run", "team.yaml", *MODEL, "--format", "json", "Write a haiku about a pond")
    result = json.loads(process.stdout)

    assert (0, "text-includes", []) == (process.returncode, result["terminated_by"], result["warnings"])
    assert result["output"].startswith("Still pond at daybreak")


def test_the_reviewer_alone_uses_up_its_cycles_or_is_content(openkoi: Shell) -> None:
    strict = openkoi("run", "reviewer.yaml", *MODEL, "Review the haiku")
    content = openkoi("run", "reviewer.yaml", *MODEL, "Review the haiku: Still pond at daybreak")

    assert (3, 0) == (strict.returncode, content.returncode), strict.stderr
    assert "APPROVED" in content.stdout


def test_the_readme_shows_what_is_printed(openkoi: Shell) -> None:
    lines = [counted(line) for line in (HERE / "README.md").read_text().splitlines() if line.startswith("    ")]

    result = openkoi("run", "fixer.yaml", *MODEL, "Fix the greeting")
    printed = {counted(line) for line in (result.stderr + result.stdout).splitlines()}

    assert [] == [line for line in lines if line.startswith(("[", "It")) and line not in printed]


def counted(line: str) -> str:
    """Return a line without its number of tokens, which depends on the machine's folders and programs."""
    return re.sub(r"[\d.]+k? tokens", "N tokens", line.strip())
