"""Whether a folder is another than it ever was, also where more than files and folders are in it."""

import os
import sys
from pathlib import Path

import pytest
from deep_folder import deep_folder

from openkoi.progress import SeenStates

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and links as POSIX has them")


def test_a_change_that_is_taken_back_comes_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    seen_states = SeenStates()
    seen_states.begin(tmp_path)

    (tmp_path / "b.txt").write_text("two")
    assert seen_states.measure_change(tmp_path)
    (tmp_path / "b.txt").unlink()
    assert not seen_states.measure_change(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    seen_states = SeenStates()
    seen_states.begin(tmp_path)
    os.mkfifo(tmp_path / "pipe")

    assert seen_states.measure_change(tmp_path)


def test_a_link_is_where_it_leads_and_is_not_followed(tmp_path: Path) -> None:
    seen_states = SeenStates()
    seen_states.begin(tmp_path)

    (tmp_path / "endless").symlink_to("/dev/zero")
    assert seen_states.measure_change(tmp_path)
    (tmp_path / "endless").unlink()
    (tmp_path / "endless").symlink_to("/dev/null")
    assert seen_states.measure_change(tmp_path)


def test_folders_are_looked_at_however_deep(tmp_path: Path) -> None:
    seen_states = SeenStates()
    with deep_folder(tmp_path) as deep:
        seen_states.begin(deep)
        Path("b").write_text("changed")

        assert seen_states.measure_change(deep)
