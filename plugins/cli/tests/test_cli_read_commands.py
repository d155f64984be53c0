"""Commands that only read answer without click, and exactly as with it: an option makes click parse the line."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest
from cli_process import Shell, shell, write_script

TURNS = "  - text: Paris. password=hunter2-hunter2-9x\n  - text: Done.\n"
LINES = (["status"], ["memory", "search", "capital"], ["memory", "search", "no", "such", "word"], ["memory", "search"])
CONFIGURATIONS = {
    "none": "",
    "unknown setting": '[hooks.acme]\nx = "y"\n',
    "no memory": '[use]\nmemory = "none"\n',
    "memory that has to be opened": "[memory.duckdb]\nunknown = 1\n",
    "wrong type": "[memory]\nmax_storage_mb = 'many'\n",
    "no TOML": "[memory\n",
}


@pytest.fixture(scope="module")
def openkoi(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A home with a task whose words a terminal must not show as they are."""
    openkoi = shell(tmp_path_factory.mktemp("read"))
    openkoi("-i", "0", "-m", write_script(openkoi.folder, TURNS), "The capital of \x1b[31mFrance, Zürich, 日本?")
    openkoi("-i", "0", "-m", write_script(openkoi.folder, TURNS), "The capital of Peru?")
    return openkoi


def output_of(result: CompletedProcess[str]) -> tuple[int, str, str]:
    return result.returncode, result.stdout, result.stderr


def write_config(openkoi: Shell, text: str) -> Path:
    config = openkoi.home / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(text)
    return config


@pytest.mark.parametrize("configuration", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_the_answer_is_that_of_the_command(openkoi: Shell, configuration: str) -> None:
    config = write_config(openkoi, configuration)

    for line in LINES:
        assert output_of(openkoi(*line, f"--config={config}")) == output_of(openkoi(*line))


@pytest.mark.parametrize("variables", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}], ids=str)
def test_text_that_a_terminal_cannot_show_is_printed_as_by_the_command(
    openkoi: Shell, variables: dict[str, str]
) -> None:
    config = write_config(openkoi, "")
    there = openkoi.with_environment(**variables)

    assert output_of(there("status", f"--config={config}")) == output_of(there("status"))


def test_a_deleted_folder_and_a_full_disk_are_reported_as_by_the_command(openkoi: Shell) -> None:
    config = write_config(openkoi, "")
    lines = 'mkdir gone; cd gone; rmdir "$PWD"; openkoi status {0}; echo $?; cd /; openkoi status {0} >/dev/full'

    with_click, without = (openkoi.bash(lines.format(option)) for option in (f"--config={config}", ""))

    assert output_of(with_click) == output_of(without)
    assert "Cannot write to standard output" in without.stderr


def test_a_folder_without_tasks_says_so(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)

    assert "No tasks yet." in openkoi("status").stdout
    assert output_of(openkoi("memory", "search", "x", "--limit=10")) == output_of(openkoi("memory", "search", "x"))
