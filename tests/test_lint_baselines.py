"""Linters look at what a run changed and compare it with how it was: the default plugins, and a server as the model."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say
from openkoi_testing.servers.http_server import ReceivedRequest, ServerResponse

NOT_PYTHON = "def f(:\n" + ")( 1 2 3\nx = = 4 $ ??\n  import\n" * 40
MANY = 1_000
MEGABYTE = 1_000_000
OLD = "import os\n\n\ndef depth() -> int:\n    return old_name\n"
WITHOUT_EVALUATION, CHECKED = ("-i", "0"), ("-i", "1", "--no-judge")


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder whose files OpenKoi has not seen."""
    return shell(tmp_path)


def write(path: str, content: str) -> ToolCall:
    return ToolCall("c1", "write_file", {"path": path, "content": content, "overwrite": True})


def command(line: str) -> ToolCall:
    return ToolCall("c1", "run_command", {"command": line})


def do(openkoi: Shell, calls: Sequence[ToolCall], *options: str) -> dict[str, object]:
    """Let a model make these calls; return the result."""
    turns = [Say([call]) for call in calls]
    with OpenAIServer(*turns, Say("Done."), models=["mock"]) as server:
        shell = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-not-a-real-key")
        result = shell("--format", "json", "-m", "openai/mock", *options, "Improve the code")
    assert result.stdout, result.stderr
    reply: dict[str, object] = json.loads(result.stdout)
    return reply


def found(reply: dict[str, object]) -> list[tuple[str, str]]:
    """Return where the findings of a result are, and their rules."""
    findings = reply["findings"]
    assert isinstance(findings, list)
    return [(one["location"], one["rule"]) for one in findings]


def data_bytes(openkoi: Shell) -> int:
    """Return how much OpenKoi keeps."""
    return sum(path.stat().st_size for path in openkoi.home.rglob("*") if path.is_file())


def baseline_of_lint(openkoi: Shell) -> str:
    """Return the last record of how the linters' findings were."""
    lines = [line for path in (openkoi.home / "data" / "sessions").iterdir() for line in path.read_text().splitlines()]
    return [line for line in lines if '"checks.baseline"' in line and '"lint"' in line][-1]


def test_a_write_among_many_files_that_are_not_python_costs_what_it_costs_among_none(openkoi: Shell) -> None:
    for number in range(MANY):
        (openkoi.folder / f"bad{number}.py").write_text(NOT_PYTHON)
    (openkoi.folder / "old.py").write_text(OLD)
    do(openkoi, [write("old.py", f"{OLD}x = 1\n")], *WITHOUT_EVALUATION)
    before = data_bytes(openkoi)

    reply = do(openkoi, [write("old.py", f"{OLD}x = new_name\n")], *CHECKED)

    assert [("old.py:6", "F821")] == found(reply)
    assert MEGABYTE > data_bytes(openkoi) - before
    assert [] == list((openkoi.home / "data" / "outputs").glob("*.txt"))
    assert 1_000 > len(baseline_of_lint(openkoi))


@pytest.mark.parametrize(
    ("before", "call", "expected"),
    [
        (OLD, write("a.py", f"# Pond\n\n{OLD}"), []),
        (OLD, write("a.py", f"{OLD}\nreturn 1\n"), [("a.py:7", "F706")]),
        (OLD, write("a.py", OLD.replace("import os\n", "") + "\n\nprint(os)\n"), [("a.py:7", "F821")]),
        (OLD.rstrip("\n"), write("a.py", OLD + "print(old_name)\n"), [("a.py:6", "F821")]),
        (OLD.replace("\n", "\r\n"), write("a.py", OLD.replace("\n", "\r\n") + "print(x)\r\n"), [("a.py:6", "F821")]),
        (OLD, write("new dir/ä b.py", "print(x)\n"), [("new dir/ä b.py:1", "F821")]),
        (OLD, command("printf 'print(x)\\n' >> a.py"), [("a.py:6", "F821")]),
        (OLD, command("rm a.py"), []),
        (NOT_PYTHON, write("a.py", "x = 1\n"), []),
        (NOT_PYTHON, write("a.py", f"{NOT_PYTHON}y = 1\n"), []),
    ],
    ids=[
        *("moved lines", "another rule", "a removed import", "no line feed", "carriage returns", "a new file"),
        *("by a command", "deleted", "repaired", "still not Python"),
    ],
)
def test_only_what_the_work_broke_counts(
    before: str, call: ToolCall, expected: list[tuple[str, str]], openkoi: Shell
) -> None:
    (openkoi.folder / "a.py").write_bytes(before.encode())

    assert expected == found(do(openkoi, [call], *CHECKED))


def test_files_that_the_project_does_not_include_are_not_checked(openkoi: Shell) -> None:
    (openkoi.folder / "ruff.toml").write_text('include = ["src/*.py"]\nexclude = ["src/skip.py"]\n')
    (openkoi.folder / "src").mkdir()
    line = "for f in a.py src/a.py src/skip.py; do printf 'import os\\n' > $f; done"

    assert [("src/a.py:1", "F401")] == found(do(openkoi, [command(line)], *CHECKED))


def test_without_checkpoints_the_whole_project_is_compared(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[use]\ncheckpoints = "none"\n')
    (openkoi.folder / "a.py").write_text(OLD)

    assert [("a.py:6", "F821")] == found(do(openkoi, [write("a.py", f"{OLD}print(x)\n")], *CHECKED))


def test_a_linter_that_reports_more_than_is_read_is_named(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    every = "i=0; while [ $i -lt 11000 ]; do i=$((i+1)); echo a.txt:$i: wrong $i; done"
    (openkoi.home / "config.toml").write_text(f'[evaluators.lint]\ncommands = {{spell = "{every}"}}\n')
    (openkoi.folder / "a.txt").write_text("a\n")

    reply = do(openkoi, [write("a.txt", "b\n")], *CHECKED)

    assert (
        "spell reported so many problems before the task that new ones cannot be identified, so it was ignored."
        in str(reply["warnings"])
    )
    assert [] == found(reply)


def test_a_file_that_is_not_text_is_not_compared(openkoi: Shell) -> None:
    (openkoi.folder / "a.py").write_bytes(b"x = 'caf\xe9'\nprint(old_name)\n")
    (openkoi.folder / "real.py").write_text(OLD)
    line = "printf 'print(new_name)\\n' >> a.py; ln -s real.py link.py; printf 'print(new_name)\\n' >> real.py"

    reply = do(openkoi, [command(line)], *CHECKED)

    assert [("real.py:6", "F821")] == found(reply)
    assert "could not compare" not in str(reply)


class Meddling(OpenAIServer):
    """A model that edits a file and says so; meanwhile someone else changes the line that it wrote."""

    def __init__(self, path: Path) -> None:
        super().__init__(Say([write("a.py", f"{OLD}print(new_name)\n")]), "Done.", models=["mock"])
        self.path = path

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer as the vendor does."""
        if "new_name" in self.path.read_text():
            self.path.write_text(f"{OLD}print(other_name)\n")
        return super().answer(seen)


def test_a_problem_in_a_file_that_others_changed_meanwhile_is_found(openkoi: Shell) -> None:
    (openkoi.folder / "a.py").write_text(OLD)
    with Meddling(openkoi.folder / "a.py") as server:
        shell = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-not-a-real-key")
        result = shell("--format", "json", "-m", "openai/mock", *CHECKED, "Improve the code")

    reply = json.loads(result.stdout)
    assert ([("a.py:6", "F821")], False) == (found(reply), reply["accepted"])
