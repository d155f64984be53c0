"""Test the example as its README runs it."""

import shutil
from pathlib import Path

from cli_process import Shell

HERE = Path(__file__).parent


def test_the_commands_of_the_readme_show_the_section_and_prove_the_hooks(tmp_path: Path) -> None:
    shutil.copytree(HERE / ".openkoi", tmp_path / "letters" / ".openkoi")
    openkoi = Shell(tmp_path / "letters", tmp_path / "home")
    commands = [line.strip() for line in (HERE / "README.md").read_text().splitlines() if line.startswith("    ")]

    before = openkoi("context", "Write a letter to the landlord")
    result = openkoi.bash(" && ".join(commands))

    assert "house-rules" not in before.stdout.partition("estimated total")[0]
    assert 0 == result.returncode, result.stderr
    prompt, table = result.stdout.partition("estimated total")[::2]
    assert "house-rules" in prompt
    rows = {tuple(line.split()[:2]) for line in table.splitlines()}
    assert {("house-rules", "before_plan"), ("house-rules", "after_plan")} <= rows
