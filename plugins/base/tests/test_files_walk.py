"""Folders are walked through however deep they are, as ``os.walk`` does."""

import os
import sys
from pathlib import Path

import pytest
from deep_folder import DEPTH, deep_folder

from openkoi_base.files import walk


def test_folders_and_files_are_those_of_os_walk_and_links_are_not_followed(tmp_path: Path) -> None:
    for folder in ("a/b/c", "a/d", "e"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").touch()
    (tmp_path / "a" / "link").symlink_to(tmp_path, target_is_directory=True)

    assert sorted(os.walk(tmp_path)) == sorted(walk(tmp_path))
    assert [] == [*walk(tmp_path / "absent")]


def test_removed_names_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    seen = []
    for place, folders, _ in walk(tmp_path):
        folders[:] = [name for name in folders if name != "a"]
        seen.append(Path(place).name)

    assert [tmp_path.name, "c"] == seen


@pytest.mark.skipif(sys.platform == "win32", reason="paths as POSIX has them")
def test_a_thousand_folders_in_each_other_are_walked_through(tmp_path: Path) -> None:
    with deep_folder(tmp_path) as deep:
        walked = [*walk(deep)]

    assert [DEPTH + 1, ["b"]] == [len(walked), walked[-1][2]]
