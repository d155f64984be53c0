"""Test an index that is saved in a file by the state of its texts."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from openkoi_search import TextIndex
from openkoi_search.saved_index import open_saved_index
from openkoi_testing.full_disk import limit_file_size

TEXTS = {"koi": "Feed the koi with bread", "roses": "Water the roses at noon"}


def opened(folder: Path, texts: Mapping[str, str] = TEXTS, state: object = None) -> TextIndex[str]:
    return open_saved_index(list(texts), state, lambda: [[(text, 1)] for text in texts.values()], folder / "skills")


def test_an_index_is_built_once_in_the_same_state_and_again_in_another(tmp_path: Path) -> None:
    first = opened(tmp_path)
    [file] = tmp_path.iterdir()
    sold = {**TEXTS, "koi": "Sell the koi"}
    again, other = opened(tmp_path, sold), opened(tmp_path, sold, state=[2])

    assert ["koi"] == first("bread for koi", 1) == again("bread for koi", 1) == other("sell koi", 1)
    assert [] == other("bread", 1)
    assert file.name not in [one.name for one in tmp_path.iterdir()]
    assert 1 == len(list(tmp_path.iterdir()))


def test_a_damaged_file_is_built_again_and_a_folder_without_room_only_costs_time(tmp_path: Path) -> None:
    opened(tmp_path)
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:40])
    (tmp_path / "blocked").write_text("")

    assert ["roses"] == opened(tmp_path)("water at noon", 1)
    assert ["roses"] == opened(tmp_path / "blocked" / "x")("water at noon", 1)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_leaves_no_file_behind(tmp_path: Path) -> None:
    with limit_file_size(10):
        assert ["roses"] == opened(tmp_path)("water at noon", 1)

    assert [] == list(tmp_path.iterdir())


def test_a_word_counts_as_often_as_its_part_says(tmp_path: Path) -> None:
    texts = {"body": [("koi", 1), ("roses and lilies", 1)], "name": [("koi", 3), ("roses and lilies", 1)]}

    index = open_saved_index(list(texts), None, lambda: list(texts.values()), tmp_path / "skills")

    assert ["name", "body"] == index("koi", 2)
    assert ["body", "name"] == index("lilies", 2)
