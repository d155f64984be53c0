"""Which runs are under way: each is carried out by one process alone."""

from pathlib import Path

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
