"""Which runs are under way: each is carried out by one process alone."""

import os
from pathlib import Path
from typing import Any

import pytest

from openkoi_base.files import is_run_active, lock_run
from openkoi_hookspecs import KoiError


def test_a_run_is_carried_out_by_one_alone(tmp_path: Path) -> None:
    with lock_run(tmp_path, "run-1"):
        assert (True, False) == (is_run_active(tmp_path, "run-1"), is_run_active(tmp_path, "run-2"))
        with pytest.raises(KoiError, match="already running"), lock_run(tmp_path, "run-1"):
            pass

    assert not is_run_active(tmp_path, "run-1")


def test_nothing_is_left_of_a_run_that_failed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), lock_run(tmp_path, "run-1"):
        raise ZeroDivisionError

    assert [] == list(tmp_path.iterdir())


def test_only_the_locks_of_processes_that_were_killed_are_removed(tmp_path: Path) -> None:
    (tmp_path / "killed.lock").touch()
    (tmp_path / "opened.lock").touch()
    os.utime(tmp_path / "killed.lock", (0, 0))
    with lock_run(tmp_path, "run-1"):
        os.utime(tmp_path / "run-1.lock", (0, 0))
        with lock_run(tmp_path, "run-2"):
            assert is_run_active(tmp_path, "run-1")

    assert ["opened.lock"] == [path.name for path in tmp_path.iterdir()]


def test_a_lock_that_is_removed_while_it_is_opened_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, opened = tmp_path / "run-1.lock", os.open
    lock.touch()

    def open_late(*arguments: Any) -> int:
        """Open a file that another process removes at once, the first time."""
        monkeypatch.undo()
        file = opened(*arguments)
        lock.unlink()
        return file

    monkeypatch.setattr(os, "open", open_late)
    with lock_run(tmp_path, "run-1"):
        assert is_run_active(tmp_path, "run-1")
