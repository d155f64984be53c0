"""``openkoi status`` answers in any home: a new one, one that cannot be written, a damaged one, and two at once."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_process import Shell, shell
from privileges import bound_by_modes

from openkoi_cli.invocation import Invocation
from openkoi_cli.read_commands import answer
from openkoi_loader.launcher import Launcher
from openkoi_loader.plugin_discovery import scan
from openkoi_testing.servers import OpenAIServer

NO_TASKS = "\n\n  No tasks yet.\n"


def used(tmp_path: Path) -> Shell:
    """Return a shell in whose home a question was answered."""
    openkoi = shell(tmp_path)
    with OpenAIServer("Paris.", models=["mock"]) as server:
        asked = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-not-a-real-key")
        assert 0 == asked("-i", "0", "-m", "openai/mock", "What is the capital of France?").returncode
    return openkoi


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing in a folder can be written for a while."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    modes = {path: path.stat().st_mode for path in folders}
    for path in folders:
        path.chmod(0o500)
    try:
        with bound_by_modes():
            yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def damage_index(openkoi: Shell) -> None:
    for path in openkoi.home.joinpath("data", "openkoi.db.index").iterdir():
        path.write_bytes(b"garbage")


def test_an_empty_home_stays_empty(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir(exist_ok=True)

    result = openkoi("status")

    assert (0, "") == (result.returncode, result.stderr)
    assert "entries 0," in result.stdout
    assert result.stdout.endswith(NO_TASKS)
    assert [] == list(openkoi.home.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("damaged", [False, True])
def test_a_home_that_cannot_be_written_is_read(
    tmp_path: Path, damaged: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    openkoi = used(tmp_path)
    if damaged:
        damage_index(openkoi)
    monkeypatch.setenv("OPENKOI_HOME", str(openkoi.home))
    monkeypatch.chdir(openkoi.folder)

    with read_only(openkoi.home):  # in this process: a child of root may write anywhere
        status = answer(Invocation(Launcher(scan(), ["status"], "1", "")))

    shown = capsys.readouterr()
    assert (0, "") == (status, shown.err)
    assert damaged == ("openkoi.db.index cannot be used" in shown.out)
    assert "What is the capital of France?" in shown.out
    assert "(1 task, " in shown.out


def test_a_damaged_log_costs_what_is_damaged_alone(tmp_path: Path) -> None:
    openkoi = used(tmp_path)
    sessions = openkoi.home / "data" / "sessions"
    [log] = sessions.glob("*.jsonl")
    log.write_bytes(b"\0\xff\n" + log.read_bytes() + b'{"ts":"2026')
    sessions.joinpath("20260101T000000-1.jsonl").write_bytes(bytes(range(256)) * 4)
    sessions.joinpath("20260101T000000-2.jsonl").mkdir()

    result = openkoi("status")

    assert 0 == result.returncode
    assert "What is the capital of France?" in result.stdout
    assert "(1 task, " in result.stdout
    assert 1 == len(result.stderr.splitlines())
    assert "20260101T000000-2.jsonl (Is a directory); skipping it." in result.stderr


@pytest.mark.parametrize("damaged", [False, True])
def test_several_at_once_say_the_same(tmp_path: Path, damaged: bool) -> None:
    openkoi = used(tmp_path)
    if damaged:
        damage_index(openkoi)

    with ThreadPoolExecutor(4) as pool:
        results = [*pool.map(lambda _: openkoi("status"), range(4))]

    assert [0] * 4 == [result.returncode for result in results], results
    assert 1 == len({result.stdout.partition("Last tasks")[2] for result in results})
