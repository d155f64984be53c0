"""Test that a long output can be read completely by the run that produced it, and by no other."""

import re
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from openkoi_hookspecs import ToolCall, ToolResult
from openkoi_tools import WorkspaceTools
from openkoi_tools.long_outputs import outputs_of_history

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Bench, Hands

pytestmark = pytest.mark.skipif(not shutil.which("seq"), reason="needs a POSIX shell")
NAMED = re.compile(r"it is saved in (\S+): continue with read_file, start=(\d+)")


@pytest.fixture
def keeping(bench: "Bench", tmp_path: Path) -> "Hands":
    """The tools of a run, with a folder for outputs."""
    return bench.hands(WorkspaceTools(outputs=tmp_path / "outputs"))


@pytest.mark.parametrize("lines", [6_000, 200_000], ids=["some", "much"])
def test_the_middle_of_a_long_output_is_read_where_it_was_left_out(keeping: "Hands", lines: int) -> None:
    answer = keeping.use("run_command", command=f"seq {lines}")

    named = NAMED.search(answer.text)
    assert named, answer.text
    page = keeping.use("read_file", path=named[1], start=int(named[2]), end=int(named[2]) + 5)
    beyond = keeping.use("read_file", path=named[1], start=lines - 1)
    assert f"\n{named[2]}|{named[2]}\n" in page.text
    assert beyond.text.endswith(f"{lines - 1}|{lines - 1}\n{lines}|{lines}")
    assert len(answer.text.encode()) <= 24 * 1024


def test_what_is_kept_is_for_its_user_alone(keeping: "Hands", tmp_path: Path) -> None:
    keeping.use("run_command", command="seq 6000")

    folder = tmp_path / "outputs"
    assert [0o600] == [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()]
    assert 0o700 == stat.S_IMODE(folder.stat().st_mode)


def test_another_run_cannot_read_it(bench: "Bench", tmp_path: Path) -> None:
    tool_provider = WorkspaceTools(outputs=tmp_path / "outputs")
    one, other = bench.hands(tool_provider), bench.hands(tool_provider)
    named = NAMED.search(one.use("run_command", command="seq 6000").text)

    assert named
    assert not one.use("read_file", path=named[1]).failed
    assert "is outside the working directory" in other.use("read_file", path=named[1]).text


def test_it_can_be_read_and_not_changed(keeping: "Hands") -> None:
    named = NAMED.search(keeping.use("run_command", command="seq 6000").text)

    assert named
    keeping.use("read_file", path=named[1])
    assert keeping.use("edit_file", path=named[1], search="1\n2\n", replace="").failed
    assert keeping.use("write_file", path=named[1], content="", overwrite=True).failed


def test_where_nothing_can_be_kept_it_is_only_said_that_something_is_left_out(bench: "Bench", tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    hands = bench.hands(WorkspaceTools(outputs=tmp_path / "file"))

    answer = hands.use("run_command", command="seq 6000")

    assert "\n[... the middle of the output is omitted ...]\n" in answer.text
    assert not answer.failed


def test_after_an_interruption_outputs_of_the_run_are_known_and_no_other_paths() -> None:
    reply = "[... the middle of the output is omitted; it is saved in {}: continue with read_file, start=9 ...]"
    results = [ToolResult(reply.format(path)) for path in ("/data/outputs/x.txt", "/etc/shadow", "/data/outputs/../x")]
    calls = [(ToolCall("1", "run_command", {}), result) for result in results]
    fetched = (ToolCall("2", "fetch", {}), results[0])

    assert [Path("/data/outputs/x.txt")] == list(outputs_of_history([*calls, fetched], Path("/data/outputs")))
    assert [] == list(outputs_of_history(calls, None))
